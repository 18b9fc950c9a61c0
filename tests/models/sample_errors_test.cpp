#include "models/golden.hpp"

namespace kalaba {
namespace {

/// Model of the examples with one error, and the resulting message.
struct Sample {
  const char* what;
  const char* model;
  const char* written;
  const char* wrongly;
  const char* message;
  std::vector<std::string> overrides = {};
};

const Sample samples[] = {
    {"unknown_name", "bead", "c*x^2\"\n\n[model.start]", "c*x2^2\"\n\n[model.start]",
     R"(kalaba: bead.toml:16: model.holonomic.wire: there is no x2; did you mean x?
    y = c*x2^2
          ^^
)"},
    {"look_alike", "bead", "/2 - m*g*y", "/2 − m*g*y",
     R"(kalaba: bead.toml:4: model.lagrangian: expected an operator or the end, found '−'; did you mean -?
    m*(x_dot^2 + y_dot^2)/2 − m*g*y
                            ^
)"},
    {"units", "bead", "y_dot^2)/2", "y_dot)/2",
     R"(kalaba: bead.toml:4: model.lagrangian: these cannot be added: x_dot^2 is m^2/s^2, y_dot is m/s
    m*(x_dot^2 + y_dot)/2 - m*g*y
       ^^^^^^^^^^^^^^^
)"},
    {"rate_in_holonomic", "bead", "wire = \"y = c*x^2\"", "wire = \"y = c*x_dot^2\"",
     R"(kalaba: bead.toml:16: model.holonomic.wire: a holonomic constraint is of t and coordinates, found the rate x_dot
    y = c*x_dot^2
          ^^^^^
    what restrains rates stands under [model.nonholonomic]
)"},
    {"circle", "appell_particle", "speed2 = \"across2 + z_dot^2\"\n",
     "speed2 = \"across2 + z_dot^2 + 0*drag\"\ndrag = \"speed2/4[m^2/s^2]\"\n",
     R"(kalaba: appell_particle.toml:22: model.let.speed2: speed2 is defined by itself: speed2 -> drag -> speed2
    across2 + z_dot^2 + 0*drag
                          ^^^^
)"},
    {"index_outside", "chain", "\"x[0]\" = 0\n\"y[0]\" = 0\n", "\n\n",
     R"(kalaba: chain.toml:23: model.holonomic."rod[i in links]": at i = 1 there is no x[0]; define it under [model.let]: "x[0]" = 0
    ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2)/2 = L^2/2
             ^^^^^^
)"},
    {"arguments", "rough_ring", "clamp(holding, -limit, limit)", "clamp(holding, limit)",
     R"(kalaba: rough_ring.toml:31: model.let.friction: clamp takes 3 (x, low, high), found 2
    -clamp(holding, limit)
     ^^^^^^^^^^^^^^^^^^^^^
)"},
    {"not_mechanics", "spherical_pendulum", "(p_x^2 + p_y^2 + p_z^2)/(2*m) - m*g*z", "p_x^4/(2*m) - m*g*z",
     R"(kalaba: spherical_pendulum.toml:5: model.hamiltonian: a Hamiltonian is of second degree in the momenta, found degree 4 in p_x
    p_x^4/(2*m) - m*g*z
    ^^^^^
)"},
    {"ideal_too_early", "rough_ring", "y = \"-m*g\"", "x = \"ideal.x*mu\"",
     R"(kalaba: rough_ring.toml:20: model.force.x: the ideal constraint force is available in [model.non_ideal] only
    ideal.x*mu
    ^^^^^^^
)"},
    {"off_at_start",
     "appell_particle",
     "z_dot = \"a*sqrt(across2)\"\n\n[model.time]",
     "z_dot = 2.25\n\n[model.time]",
     R"(kalaba: appell_particle.toml:34: model.start: cone is off by -2 m/s there (x_dot = 3, y_dot = 4, z_dot = 2.25);
    initial.project = true moves the start onto the constraints
)",
     {"initial.project=false"}},
    {"not_finite_at_start", "appell_particle", "z_dot = \"a*sqrt(across2)\"\n\n[model.time]",
     "z_dot = 0.0\n\n[model.time]",
     R"(kalaba: appell_particle.toml:28: model.nonholonomic.cone: not finite at the start: z_dot = 0
    z_dot/2 = a^2*across2/(2*z_dot)
                         ^^^^^^^^^^
)"},
    {"kinks", "rough_ring", "R*6[1/s]*sin(0.3)", "R*6[1/s]*sin(0.3)",
     "kalaba: rough_ring.toml:31: model.let.friction: clamp has kinks; rk4 loses its order where one is crossed, and "
     "may miss two within a step; steps of taylor end there\n"},
};

class SampleErrors : public testing::TestWithParam<Sample> {};

TEST_P(SampleErrors, ReadWordByWord) {
  const Sample& sample = GetParam();
  std::string text = read_all(model_folder() / (std::string(sample.model) + ".toml"));
  const auto at = text.find(sample.written);
  ASSERT_NE(at, std::string::npos) << sample.written;
  text.replace(at, std::string(sample.written).size(), sample.wrongly);
  EXPECT_EQ(message_of(text, std::string(sample.model) + ".toml", sample.overrides), sample.message);
}

INSTANTIATE_TEST_SUITE_P(Models, SampleErrors, testing::ValuesIn(samples),
                         [](const auto& each) { return std::string(each.param.what); });

}  // namespace
}  // namespace kalaba
