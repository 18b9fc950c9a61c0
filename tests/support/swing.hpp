#pragma once

#include <string>

namespace kalaba {

/// Text of a planar pendulum model, whose start depends on its length.
struct Swing {
  std::string events = {};  ///< tables in front of the model
  std::string rods = "rod = \"x^2 + y^2 = L^2\"\n";
  std::string start = "x = \"0.6*L\"\ny = \"-0.8*L\"\n";
  std::string rates = {};  ///< lines of its start too
  std::string time = "end = 0.5\ndt = 0.01\n";
};

inline std::string text_of(const Swing& swing) {
  return swing.events + R"([model]
name = "swing"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1.3 kg"
g = "9.81 m/s^2"
L = "0.9 m"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
)" + swing.rods +
         "[model.start]\n" + swing.start + swing.rates + "[model.time]\n" + swing.time;
}

inline const std::string turning_rates = "x_dot = \"0.3[1/s]*y\"\ny_dot = \"-0.3[1/s]*x\"\n";

}  // namespace kalaba
