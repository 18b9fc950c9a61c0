// Mechanisms in other units, with directions that rounding tilts, and descriptions that cannot be built.

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>

#include "kalaba/ensemble.hpp"
#include "kalaba/error.hpp"
#include "kalaba/run.hpp"
#include "mechanism/tree.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"
#include "support/error_of.hpp"

namespace kalaba::edges {
namespace {

const std::vector<System> none;

std::string error_of(const std::string& text) {
  return test::message_of([&] { load_scenario_text(text, "model.toml", {}, none); });
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

/// Planar four-bar of lengths in units of `size` m. The axes of two joints are tilted out of the plane; `closing` is
/// added to the joint that closes the loop, `rocker` to that which carries the rocker.
std::string four_bar(double size, double tilt, const std::string& closing = "", const std::string& rocker = "") {
  const auto at = [&](double x) { return '[' + number(x * size) + ", 0, 0]"; };
  const std::string body = " = { mass = 1, com = " + at(0.1) + ", inertia = [" + number(size * size) + ", " +
                           number(size * size) + ", " + number(size * size) + "] }\n";
  return "[model]\nname = \"four\"\n[model.bodies]\ncrank" + body + "coupler" + body + "rocker" + body +
         "[model.joints]\na = { child = \"crank\", type = \"hinge\", axis = [0, " + number(tilt) +
         ", 1] }\nb = { parent = \"crank\", child = \"coupler\", at = " + at(0.2) +
         ", type = \"hinge\", axis = [0, 0, 1] }\nc = { child = \"rocker\", at = " + at(0.4) +
         ", type = \"hinge\", axis = [" + number(tilt) + ", 0, 1]" + rocker +
         " }\nd = { parent = \"coupler\", child = \"rocker\", at = " + at(0.4) + ", child_at = " + at(0.3) +
         ", type = \"hinge\", axis = [0, 0, 1]" + closing +
         " }\n[model.start]\na = 1.2\nb = -0.5\nc = 1.8\na_dot = 1\n[model.time]\nend = 0.1\ndt = 1e-3\n";
}

/// A swing with a body whose mass, size or inertia is negative in some members; the sums over bodies are positive.
const std::string loaded_swing = R"toml(
[ensemble]
members = 5
[time]
end = 0.1
dt = 0.01
[model]
name = "swing"
gravity = [0, 0, -9.81]
[model.parameters]
load = "0.5 kg"
away = "0 kg"
size = "0.1 m"
spin = "1 kg m^2"
[model.bodies]
arm = { mass = 1, rod = [1, 0, 0] }
tip = { mass = "load - away", capsule = ["size", 0.2], com = [0.5, 0, 0] }
wheel = { mass = 1, inertia = [1, "spin", 1], axes = [1, 0.5, 0, 0] }
[model.joints]
pin = { child = "arm", type = "hinge", axis = [0, 1, 0] }
weld = { parent = "arm", child = "tip", type = "weld" }
hub = { parent = "arm", child = "wheel", type = "weld" }
)toml";

TEST(MechanismEdges, MembersWithNegativeMassesAndSizesFail) {
  const auto statuses = [](std::vector<std::string> overrides, const char* backend) {
    overrides.insert(overrides.end(), {std::string("solver.backend=") + backend, "solver.compile=never"});
    const Scenario scenario = load_scenario_text(loaded_swing, "model.toml", overrides, none);
    const Result result = run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
    EXPECT_NE(result.summary.first_failure().find("a mass, an inertia or a size of a body, or a length"),
              std::string::npos)
        << result.summary.first_failure();
    return std::vector<Status>(result.status().begin(), result.status().end());
  };
  const auto values = [](const std::string& name, const std::string& list) {
    return "parameters." + name + "={values=" + list + "}";
  };
  constexpr Status fails = Status::singular_constraints;
  constexpr Status ok = Status::ok;
  for (const char* backend : {"cpu", "reference"}) {
    EXPECT_EQ(statuses({values("load", "[-0.2, -1e-9, 0, 1e-9, 1]")}, backend),
              (std::vector{fails, fails, ok, ok, ok}));
    // 0.3 - (0.1 + 0.2) is negative by rounding.
    EXPECT_EQ(
        statuses({"parameters.load=0.3", values("away", "[0.30000000000000004, 0.3, 0.3000001, 0.2, 1]")}, backend),
        (std::vector{ok, ok, fails, ok, fails}));
    EXPECT_EQ(statuses({values("size", "[-0.1, 0, 1e-6, 0.1, 1]")}, backend), (std::vector{fails, ok, ok, ok, ok}));
    EXPECT_EQ(statuses({values("spin", "[-0.3, -1e-9, 0, 1, 1.5]")}, backend), (std::vector{fails, fails, ok, ok, ok}));
  }
}

/// A swing whose tip is held by a rod, with members in which the length of the rod or an armature is negative.
const std::string held_swing = R"toml(
[ensemble]
members = 4
[time]
end = 0.1
dt = 0.01
[model]
name = "held"
gravity = [0, 0, -9.81]
[model.parameters]
far = "2 m"
rotor = "0.1 kg m^2"
[model.bodies]
arm = { mass = "1 kg", rod = ["1 m", 0, 0] }
link = { mass = "1 kg", rod = ["1 m", 0, 0] }
[model.joints]
pin = { child = "arm", type = "hinge", axis = [0, 1, 0], armature = "rotor" }
elbow = { parent = "arm", child = "link", at = ["1 m", 0, 0], type = "hinge", axis = [0, 1, 0] }
stay = { child = "link", child_at = ["1 m", 0, 0], type = "distance", length = "far - 0.5[m]" }
[model.start]
pin = 0.2
elbow = 1
)toml";

TEST(MechanismEdges, MembersWithNegativeLengthsAndArmaturesFail) {
  const auto statuses = [](const std::string& varied, const char* backend) {
    const std::vector<std::string> overrides = {varied, std::string("solver.backend=") + backend,
                                                "solver.compile=never"};
    const Scenario scenario = load_scenario_text(held_swing, "model.toml", overrides, none);
    const Result result = run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
    EXPECT_NE(result.summary.first_failure().find("a length or an armature of a joint is negative"), std::string::npos)
        << result.summary.first_failure();
    return std::vector<Status>(result.status().begin(), result.status().end());
  };
  const std::vector<Status> expected = {Status::singular_constraints, Status::ok, Status::ok, Status::ok};
  for (const char* backend : {"cpu", "reference"}) {
    EXPECT_EQ(statuses("parameters.far={values=[-1, 1.8, 1.9, 2]}", backend), expected);
    EXPECT_EQ(statuses("parameters.rotor={values=[-1e-3, 0, 1e-3, 0.1]}", backend), expected);
  }
}

TEST(MechanismEdges, NegativeLengthsAndArmaturesAreRefused) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = held_swing;
    return error_of(text.replace(text.find(from), from.size(), to));
  };
  EXPECT_EQ(with("\"far - 0.5[m]\"", "\"-1.5 m\""),
            "model.toml:19: model.joints.stay.length: expected a number of at least 0, found -1.5");
  EXPECT_EQ(with("\"far - 0.5[m]\"", "\"far - 2.25[m]\""),
            "model.toml:19: model.joints.stay.length: expected a number of at least 0, found -0.25");
  EXPECT_EQ(with("\"rotor\"", "\"-0.1 kg m^2\""),
            "model.toml:17: model.joints.pin.armature: expected a number of at least 0, found -0.1");
  EXPECT_EQ(with("\"rotor\"", "\"0.3*rotor - 0.1*rotor - 0.2*rotor\""), "");  // negative by rounding
}

TEST(MechanismEdges, MobilityIsTheSameInAllUnits) {
  for (const double size : {1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    for (const double tilt : {0.0, 1e-16, 1e-12, 1e-9}) {
      const Scenario scenario = load_scenario_text(four_bar(size, tilt), "model.toml", {}, none);
      ASSERT_NE(scenario.model, nullptr);
      EXPECT_NE(scenario.model->model.mechanism.find("mobility 1"), std::string::npos)
          << size << ' ' << tilt << scenario.model->model.mechanism;
    }
  }
}

TEST(MechanismEdges, ATiltByRoundingLeavesTheMotion) {
  for (const double size : {1e-6, 1.0, 1e6}) {
    double expected = 0;
    for (const double tilt : {0.0, 1e-16, 1e-12, 1e-9}) {
      const Scenario scenario = load_scenario_text(four_bar(size, tilt), "model.toml", {}, none);
      Options options = scenario.options;
      options.backend = Backend::reference;
      options.fields = {Field::q};
      const Result result = run(Ensemble(*scenario.system, 1), options);
      EXPECT_EQ(result.summary.failed(), 0) << size << ' ' << tilt;
      const double a = result.values("a", result.times().size() - 1)[0];
      if (tilt == 0) expected = a;
      EXPECT_NEAR(a, expected, 1e-8) << size << ' ' << tilt;
    }
  }
}

TEST(MechanismEdges, ALoopThatClosesUpsideDownIsRefused) {
  EXPECT_NE(error_of(four_bar(1, 0, "", ", quat = [0, 1, 0, 0]")).find("off by half a turn"), std::string::npos);
  EXPECT_NE(error_of(four_bar(1, 0, ", quat = [0, 1, 0, 0]")).find("off by half a turn"), std::string::npos);
  EXPECT_EQ(error_of(four_bar(1, 0)), "");
}

TEST(MechanismEdges, ParallelAxesOfAUniversalJointAreRefused) {
  const auto joint = [](const std::string& second) {
    return error_of(
        "[model]\nname = \"u\"\n[model.bodies]\na = { mass = 1, inertia = [1, 1, 1] }\n[model.joints]\n"
        "u = { child = \"a\", type = \"universal\", axis = [0, 0, 2], axis2 = " +
        second + " }\n");
  };
  for (const char* second : {"[0, 0, 1]", "[0, 0, -3]", "[0, 1e-12, 1]"}) {
    EXPECT_NE(joint(second).find("axis2 is parallel to axis"), std::string::npos) << second << joint(second);
  }
  EXPECT_EQ(joint("[0, 1e-3, 1]"), "");
}

TEST(MechanismEdges, AForceOnTheWorldIsRefused) {
  const std::string text =
      "[model]\nname = \"f\"\n[model.bodies]\na = { mass = 1 }\n[model.joints]\nx = { child = \"a\", type = \"slide\" "
      ", axis = [1, 0, 0] }\n[model.forces]\npush = { body = \"world\", force = [1, 0, 0] }\n";
  EXPECT_NE(error_of(text).find("world is at rest"), std::string::npos) << error_of(text);
}

TEST(MechanismEdges, AChainOfAnyLengthHasATree) {
  constexpr int bodies = 300000;
  mechanism::Mechanism chain;
  chain.bodies.resize(bodies);
  chain.joints.resize(bodies);
  for (int i = 0; i < bodies; ++i) {  // outermost first: each body comes before its carrier
    mechanism::Joint& joint = chain.joints[static_cast<std::size_t>(i)];
    joint.type = mechanism::JointType::slide;
    joint.child = bodies - 1 - i;
    joint.parent = joint.child == 0 ? mechanism::world : joint.child - 1;
  }
  const mechanism::Tree tree = mechanism::make_tree(chain);
  ASSERT_EQ(tree.links.size(), static_cast<std::size_t>(bodies));
  EXPECT_EQ(tree.links.front().body, 0);
  EXPECT_EQ(tree.links.back().body, bodies - 1);
}

/// Linkage of two cranks and a coupler, closed where all coordinates are zero, with random points to a tenth of a
/// millimetre in units of `unit` m. `joint`: type of the joints of the coupler.
std::string closed_linkage(unsigned seed, double unit, const std::string& joint, bool is_planar) {
  std::minstd_rand random(seed);
  const auto point = [&] {
    std::array<double, 3> x{};
    for (double& each : x) each = static_cast<double>(random() % 6001) / 10 - 300;
    if (is_planar) x[2] = 0;
    return x;
  };
  const auto text = [&](const std::array<double, 3>& x) {
    const double mm = 1e-3 / unit;
    return '[' + number(x[0] * mm) + ", " + number(x[1] * mm) + ", " + number(x[2] * mm) + ']';
  };
  const auto minus = [](const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return std::array<double, 3>{a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  };
  const auto b = point();
  const auto c = point();
  const auto d = point();
  const double inertia = 1e-3 / (unit * unit);
  const std::string body = " = { mass = 1, com = " + text({10, 20, is_planar ? 0.0 : 30.0}) + ", inertia = [" +
                           number(inertia) + ", " + number(inertia) + ", " + number(inertia) + "] }\n";
  const std::string of_coupler = ", type = \"" + joint + (joint == "ball" ? "\" }\n" : "\", axis = [0, 0, 1] }\n");
  const std::string axis = is_planar ? "[0, 0, 1]" : "[0.3, -0.7, 0.2]";
  return "[model]\nname = \"closed\"\ngravity = [0, " + number(-9.81 / unit) + ", 0]\n[model.bodies]\ncrank" + body +
         "coupler" + body + "rocker" + body +
         "[model.joints]\na = { child = \"crank\", type = \"hinge\", axis = [0, 0, 1] }\n"
         "b = { parent = \"crank\", child = \"coupler\", at = " +
         text(b) + of_coupler + "d = { child = \"rocker\", at = " + text(d) + ", type = \"hinge\", axis = " + axis +
         " }\nc = { parent = \"coupler\", child = \"rocker\", at = " + text(minus(c, b)) +
         ", child_at = " + text(minus(c, d)) + of_coupler + "[model.time]\nend = 2e-3\ndt = 1e-3\n";
}

/// Coordinates of zero have no size with which the rounding errors of points in millimetres or micrometres compare.
TEST(MechanismEdges, LinkagesThatAreClosedAtZeroAreAssembledInAnyUnit) {
  for (const double unit : {1.0, 1e-3, 1e-6}) {
    for (const bool is_planar : {true, false}) {
      for (unsigned seed = 1; seed <= 12; ++seed) {
        const std::string text = closed_linkage(seed, unit, is_planar ? "hinge" : "ball", is_planar);
        for (const char* backend : {"cpu", "reference"}) {
          const Scenario scenario = load_scenario_text(
              text, "model.toml", {std::string("solver.backend=") + backend, "solver.compile=never"}, none);
          const Result result =
              run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
          EXPECT_EQ(result.status()[0], Status::ok)
              << unit << (is_planar ? " planar " : " spatial ") << seed << ' ' << backend << '\n'
              << result.summary.first_failure();
        }
      }
    }
  }
}

/// Loops with joints of several kinds that are closed at zero up to the last digit of their points, in m and in mm.
TEST(MechanismEdges, LoopsThatAreClosedToTheLastDigitAreAssembled) {
  const char* const loops[] = {
      R"([model.bodies]
b1={mass=1,inertia=[1,1,1]}
b2={mass=1,inertia=[1,1,1]}
[model.joints]
j0={type="planar",child="b1",at=[-0.2,1.6,-0.3],child_at=[-0.3,0.8,-2.3],quat=[0.5,0.5,-0.5,0.5],axis=[0.0,0.0,-1.0]}
j2={type="cylinder",child="b2",at=[-0.3,-0.1,-0.7],child_at=[-0.3,-0.1,0.19999999999999996],quat=[0.0,1.0,0.0,0.0],axis=[0.0,0.0,-1.0]}
j1={type="cylinder",parent="b1",child="b2",at=[0.4,1.0,0.10000000000000009],child_at=[-0.4,0.6000000000000001,-0.9],quat=[0.5,0.5,-0.5,-0.5],axis=[1.0,0.0,0.0],cut=true}
)",
      R"([model.bodies]
b1={mass=1,inertia=[1,1,1]}
b2={mass=1,inertia=[1,1,1]}
[model.joints]
j0={type="hinge",child="b1",at=[-108.58855145824624,-33.625680501977044,-111.03720108303804],child_at=[1287.1615338444378,755.8912379050112,718.9039233138478],quat=[-372.24828201725944,696.1933586055866,-533.7394154802322,-303.09777355086595],axis=[0.7965001907622723,0.801149232543252,0.3617525915560464]}
j2={type="planar",child="b2",at=[-173.43972547656313,-51.320340486951004,-561.9643665543742],child_at=[1453.649441454156,527.8074917244011,-411.30881434446],quat=[375.0675620122078,95.77528972383682,429.54721656155283,-815.8680080434311],axis=[0.16198800876120395,-0.6420912287768774,1.7593735374929078]}
j1={type="ball",parent="b1",child="b2",at=[1441.3547615358777,1057.4565478677027,873.6943901330623],child_at=[1489.9420586251103,271.2813027454301,-348.64288105762614],quat=[-54.91863851456511,-862.4274514575923,-498.68248371846425,67.22064079174318],cut=true}
)",
  };
  for (const char* loop : loops) {
    for (const char* backend : {"cpu", "reference"}) {
      const Scenario scenario =
          load_scenario_text("[model]\nname = \"loop\"\n" + std::string(loop) + "[model.time]\nend = 2e-3\ndt = 1e-3\n",
                             "model.toml", {std::string("solver.backend=") + backend, "solver.compile=never"}, none);
      const Result result = run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
      EXPECT_EQ(result.status()[0], Status::ok) << backend << '\n' << result.summary.first_failure();
    }
  }
}

/// X = 0 by two rows, X cos(y + z) and X sin(y + z), where X = x - 1.1 + 0.9 + 0.2 is zero up to rounding: y and z are
/// free, as for the control X = x.
TEST(MechanismEdges, RowsThatVanishOnTheConstraintsDoNotCount) {
  const auto text = [](const std::string& X) {
    return "[model]\nname = \"vanishing\"\nlagrangian = \"(x_dot^2 + 2*y_dot^2 + 3*z_dot^2)/2 - 9*y - 4*z\"\n"
           "[model.coordinates]\nx = \"\"\ny = \"\"\nz = \"\"\n[model.holonomic]\na = \"(" +
           X + ")*cos(y + z) = 0\"\nb = \"(" + X +
           ")*sin(y + z) = 0\"\n[model.start]\nx = 0\n"
           "[time]\nend = 1\ndt = 0.01\nsave_every = \"final\"\n";
  };
  for (const char* X : {"x", "x - 1.1 + 0.9 + 0.2"}) {
    for (const char* integrator : {"rk4", "dop853", "rodas5p"}) {
      for (const char* backend : {"cpu", "reference"}) {
        if (std::string(backend) == "cpu" && std::string(integrator) == "rodas5p") continue;  // is compiled
        for (const char* start : {"0", "1e-12", "0.01"}) {
          const Scenario scenario =
              load_scenario_text(text(X), "model.toml",
                                 {std::string("solver.backend=") + backend, "solver.compile=never",
                                  std::string("solver.integrator=") + integrator, std::string("initial.x=") + start,
                                  "initial.project=true"},
                                 none);
          const Result result =
              run(evenly_chosen(*scenario.system, *scenario.source, scenario.members), scenario.options);
          const std::size_t last = result.times().size() - 1;
          ASSERT_EQ(result.status()[0], Status::ok) << X << ' ' << integrator << ' ' << backend;
          EXPECT_NEAR(result.values("y", last)[0], -2.25, 1e-9) << X << ' ' << integrator << ' ' << backend << start;
          EXPECT_NEAR(result.values("z", last)[0], -2.0 / 3, 1e-9) << X << ' ' << integrator << ' ' << backend << start;
        }
      }
    }
  }
}

}  // namespace
}  // namespace kalaba::edges
