// Sensitivities of a motion whose accelerations jump: refused by integrators that do not find the time of the jump.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "hybrid/hybrid.hpp"

namespace kalaba {
namespace {

/// `unit`: of lengths; in metres the motion has the size of 1.
std::string jumping(const std::string& force, double unit = 1) {
  return fmt::format(R"toml(
[model]
name = "pulled"
lagrangian = "x_dot^2/2"
[model.parameters]
f = 1.0
L = {:.17e}
[model.coordinates]
x = ""
[model.force]
x = "{}"
[model.tables]
"steps.csv" = {{ places = [-9, -1, 0.4, 9], values = [0, 1, 3, 2], units = ["", ""] }}
[model.start]
x = "0.5*L"
[time]
end = 0.5
dt = 0.1
[sensitivities]
of = ["parameters.f"]
)toml",
                     unit, force);
}

struct JumpingForce {
  const char* force;
  const char* jump;  ///< as the message names it
};

TEST(SensitivitiesThroughJumps, AreRefusedByName) {
  const JumpingForce cases[] = {{"-f*sign(x)", "sign(x)"},
                                {"where(x > 0, -f, f)", "0 < x"},
                                {"-f*where(t < 0.25 and x > 0.1, 1, 2)", "0.1 < x"},
                                {"where(x < 0.3*L, 2*L, L)", "x < 0.3*L"}};
  for (const JumpingForce& each : cases) {
    for (const double unit : {1.0, 1e-6, 1e6}) {
      for (const char* integrator : {"rk4", "dop853", "rodas5p"}) {
        const std::string message =
            hybrid::refusal_of(jumping(each.force, unit), {std::string("solver.integrator=") + integrator});
        EXPECT_NE(message.find("sensitivities of a motion whose accelerations jump"), std::string::npos)
            << each.force << ' ' << unit << ' ' << message;
        if (unit == 1) {
          EXPECT_NE(message.find(each.jump), std::string::npos) << message;
        }
        EXPECT_NE(message.find("need integrator = \"taylor\""), std::string::npos) << message;
      }
    }
  }
  for (const char* backend : {"reference", "cpu"}) {
    EXPECT_NE(hybrid::refusal_of(jumping("-f*sign(x)"), {std::string("solver.backend=") + backend}), "") << backend;
  }
}

/// Kinks are not jumps, also where the branches are equal to rounding only.
TEST(SensitivitiesThroughJumps, AreNotTakenForKinks) {
  for (const char* force :
       {"-f*abs(x)", "where(x < 0, -3*x, 0)", "where(x < 0.1, 2*(0.3 - x), 0.6 - 2*x)", "-x*sign(x)",
        "max(x, 0.2) + clamp(x, -0.1, 0.1)", "table(x, 'steps.csv', linear)", "where(f > 0, -f, f)"}) {
    EXPECT_EQ(hybrid::refusal_of(jumping(force), {"solver.backend=reference"}), "") << force;
  }
}

TEST(SensitivitiesThroughJumps, OfALinearTableInAPotentialAreRefused) {
  std::string text = jumping("0");
  text.replace(text.find("x_dot^2/2"), 9, "x_dot^2/2 - table(x, 'steps.csv', linear)");
  EXPECT_NE(hybrid::refusal_of(text).find("accelerations jump"), std::string::npos);
}

}  // namespace
}  // namespace kalaba
