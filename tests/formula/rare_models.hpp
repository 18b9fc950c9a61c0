#pragma once

#include "words.hpp"

namespace kalaba::formula {

// Models with rare features: friction, a servo-constraint, a singular metric.

/// Coulomb friction that depends on the ideal constraint force.
inline Draft rough_ring() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "rough_ring";
  const Word m = d.parameter("m", 1), R = d.parameter("R", 1), mu = d.parameter("mu", 0.2);
  const Word g = d.parameter("g", 9.81), stick_rate = d.parameter("stick_rate", 1000);
  const Word x = d.coordinate("x"), y = d.coordinate("y");
  const Word x_dot = d.rate("x_dot"), y_dot = d.rate("y_dot");
  s.metric = {m, m};
  s.diagonal = true;
  s.force = {d.number(0), -m * g};
  s.energy = m * (square(x_dot) + square(y_dot)) / 2 + m * g * y;
  s.holonomic = {{"ring", "m^2", "", (square(x) + square(y)) / 2 - square(R) / 2}};
  const Word r = sqrt(square(x) + square(y));
  const Word along_x = -y / r, along_y = x / r;
  const Word holding = -m * g * along_y + m * stick_rate * (x_dot * along_x + y_dot * along_y);
  const Word limit = mu * sqrt(square(d.ideal(0)) + square(d.ideal(1)));
  const Word friction = -max(-limit, min(holding, limit));
  s.non_ideal = {friction * along_x, friction * along_y};
  s.invariants = {{"angle", "", "", atan2(x, -y)},
                  {"angle_dot", "1/s", "", (x * y_dot - y * x_dot) / (square(x) + square(y))}};
  s.info.invariance = {Invariance::free, Invariance::free};
  s.start_q = {R * std::sin(0.3), -R * std::cos(0.3)};
  s.start_w = {R * (6 * std::cos(0.3)), R * (6 * std::sin(0.3))};
  span(d, 0.5, 1e-4);
  d.figures(0.5, {{"angle", 1.78360007}, {"angle_dot", 0.26863022}});
  return d;
}

/// Servo-constraint: a rod balanced by a horizontal force on its foot.
inline Draft balanced_rod() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "balanced_rod";
  const Word m = d.parameter("m", 1), l = d.parameter("l", 0.5), g = d.parameter("g", 9.81);
  const Word k = d.parameter("k", 3), zeta = d.parameter("zeta", 1);
  d.coordinate("x");
  const Word theta = d.coordinate("theta");
  const Word x_dot = d.rate("x_dot"), theta_dot = d.rate("theta_dot");
  s.lagrangian = m * square(x_dot) / 2 + m * l * cos(theta) * x_dot * theta_dot +
                 m * l * l * (4.0 / 3.0) * square(theta_dot) / 2 - m * g * l * cos(theta);
  s.holonomic = {{"upright", "rad", "", theta}};
  s.gain = 2 * zeta * k;
  s.position_gain = square(k);
  s.actuation = {{d.number(1), d.number(0)}};
  s.valid = d.number(1e-3) < cos(theta);
  s.start_q = {d.number(0), d.number(0.4)};
  s.info.stabilization = Stabilization::none();
  span(d, 3, 1e-3);
  d.figures(1, {{"theta", 0.079659309388457704}});
  d.figures(3, {{"theta", 0.00049363921634669796}});
  return d;
}

/// One mass described by two coordinates: its metric is singular without the constraint between them.
inline Draft split_oscillator() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "split_oscillator";
  const Word m = d.parameter("m", 2), k = d.parameter("k", 3);
  const Word x1 = d.coordinate("x1"), x2 = d.coordinate("x2");
  const Word x1_dot = d.rate("x1_dot");
  d.rate("x2_dot");
  s.lagrangian = m * square(x1_dot) / 2 - k * square(x2) / 2;
  s.singular_metric = true;
  s.holonomic = {{"tie", "m", "", x1 - x2}};
  s.start_q = {d.number(1), d.number(1)};
  span(d, 2, 1e-3);
  d.figures(2, {{"x1", std::cos(std::sqrt(1.5) * 2)}, {"x2_dot", -std::sqrt(1.5) * std::sin(std::sqrt(1.5) * 2)}});
  return d;
}

/// Two masses on the arms of a balanced lever, which has no mass: a zero on the diagonal of the metric.
inline Draft lever() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "lever";
  const Word m1 = d.parameter("m1", 1.3), m2 = d.parameter("m2", 0.7), g = d.parameter("g", 9.81);
  const Word y1 = d.coordinate("y1"), y2 = d.coordinate("y2"), angle = d.coordinate("angle");
  const Word v1 = d.rate("y1_dot"), v2 = d.rate("y2_dot");
  d.rate("angle_dot");
  s.metric = {m1, m2, d.number(0)};
  s.diagonal = true;
  s.singular_metric = true;
  s.force = {-m1 * g, -m2 * g, d.number(0)};
  s.energy = m1 * (square(v1) / 2 + g * y1) + m2 * (square(v2) / 2 + g * y2);
  s.holonomic = {{"arm1", "m", "", y1 - 0.7 * sin(angle)}, {"arm2", "m", "", y2 + 1.3 * sin(angle)}};
  s.start_q = {0.7 * sin(d.number(0.3)), -1.3 * sin(d.number(0.3)), d.number(0.3)};
  span(d, 1, 1e-2);
  d.figures(1, {{"angle", 0.3}, {"angle_dot", 0}});
  return d;
}

}  // namespace kalaba::formula
