#pragma once

#include "formula/table.hpp"
#include "words.hpp"

// Models as an author states them, built on the graph. What texts of the same models read to.

namespace kalaba::formula {

inline void span(Draft& draft, double end, double dt) { draft.statement.info.time = {0, end, dt, 100}; }

/// A bead on a parabolic wire, by its Lagrangian.
inline Draft bead() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "bead";
  const Word m = d.parameter("m", 1), c = d.parameter("c", 0.5), g = d.parameter("g", 9.81);
  const Word x = d.coordinate("x"), y = d.coordinate("y");
  const Word x_dot = d.rate("x_dot"), y_dot = d.rate("y_dot");
  s.lagrangian = m * (square(x_dot) + square(y_dot)) / 2 - m * g * y;
  s.holonomic = {{"wire", "m", "", y - c * square(x)}};
  s.start_q = {d.number(1), c * square(d.number(1))};
  span(d, 2, 1e-3);
  d.figures(2, {{"x", 0.49099964}});
  return d;
}

/// By its Hamiltonian.
inline Draft spherical_pendulum() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "spherical_pendulum";
  const Word m = d.parameter("m", 1), L = d.parameter("L", 1), g = d.parameter("g", 9.81);
  const Word x = d.coordinate("x"), y = d.coordinate("y"), z = d.coordinate("z");
  const Word p_x = d.rate("p_x"), p_y = d.rate("p_y"), p_z = d.rate("p_z");
  s.hamiltonian = (square(p_x) + square(p_y) + square(p_z)) / (2 * m) - m * g * z;
  s.holonomic = {{"rod", "kg m^2", "", m * (square(x) + square(y) + square(z)) / 2 - m * square(L) / 2}};
  s.start_q = {L * std::sin(1.0), d.number(0), L * std::cos(1.0)};
  s.start_w = {d.number(0), m * 0.7, d.number(0)};
  span(d, 5, 1e-3);
  d.figures(5, {{"x", -0.31847147},
                {"y", -0.41008286},
                {"z", 0.85463909},
                {"p_x", -0.31879919},
                {"p_y", -2.26005732},
                {"p_z", -1.20324383}});
  return d;
}

/// Names, kinematics, constraint, start and figures of the sleigh on a knife edge.
struct Sleigh {
  Draft d;
  Word m, I, a, heading, forward, lateral, omega;
};
inline Sleigh sleigh() {
  Sleigh r;
  Draft& d = r.d;
  Statement& s = d.statement;
  r.m = d.parameter("m", 2), r.I = d.parameter("I", 0.7), r.a = d.parameter("a", 0.3);
  d.coordinate("x"), d.coordinate("y"), r.heading = d.coordinate("heading");
  r.forward = d.rate("forward"), r.lateral = d.rate("lateral"), r.omega = d.rate("omega");
  s.velocity = {r.forward * cos(r.heading) - r.lateral * sin(r.heading),
                r.forward * sin(r.heading) + r.lateral * cos(r.heading), r.omega};
  s.nonholonomic = {{"edge", "m/s", "", r.lateral}};
  s.start_q = {d.number(0), d.number(0), d.number(0.2)};
  s.start_w = {d.number(1), d.number(0), d.number(0.8)};
  span(d, 4, 1e-3);
  d.figures(4, {{"x", 2.48045395},
                {"y", 3.48413720},
                {"heading", 1.22852369},
                {"forward", 1.13178591},
                {"lateral", 0},
                {"omega", 0.0387489229}});
  return r;
}
/// Its graph moves with it; the words name the one it was made in.
inline Draft adopted(Sleigh& r) { return std::move(r.d); }

/// The terms stated.
inline Draft chaplygin_sleigh() {
  Sleigh r = sleigh();
  Statement& s = r.d.statement;
  s.info.name = "chaplygin_sleigh";
  const Word zero = r.d.number(0);
  const auto& [d, m, I, a, heading, forward, lateral, omega] = r;
  s.metric = {m, zero, m, zero, m * a, I + m * square(a)};
  s.force = {m * omega * (lateral + a * omega), -m * omega * forward, -m * a * omega * forward};
  s.energy = m * (square(forward) + square(lateral + a * omega)) / 2 + I * square(omega) / 2;
  return adopted(r);
}

/// The same from its kinetic energy.
inline Draft chaplygin_sleigh_energy() {
  Sleigh r = sleigh();
  Statement& s = r.d.statement;
  s.info.name = "chaplygin_sleigh_energy";
  const Word x_dot = r.d.velocity(0), y_dot = r.d.velocity(1), heading_dot = r.d.velocity(2);
  const auto& [d, m, I, a, heading, forward, lateral, omega] = r;
  s.quasi_velocities = true;
  s.lagrangian =
      m * (square(x_dot - a * heading_dot * sin(heading)) + square(y_dot + a * heading_dot * cos(heading))) / 2 +
      I * square(heading_dot) / 2;
  return adopted(r);
}

/// A nonlinear nonholonomic constraint, singular where the particle comes to rest.
inline Draft appell_particle() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "appell_particle";
  const Word m = d.parameter("m", 1.3), a = d.parameter("a", 0.75), g = d.parameter("g", 9.81);
  d.coordinate("x"), d.coordinate("y");
  const Word z = d.coordinate("z");
  const Word x_dot = d.rate("x_dot"), y_dot = d.rate("y_dot"), z_dot = d.rate("z_dot");
  const Word zero = d.number(0);
  const Word across2 = square(x_dot) + square(y_dot);
  s.metric = {m, m, m};
  s.diagonal = true;
  s.force = {zero, zero, -m * g};
  s.energy = m * (across2 + square(z_dot)) / 2 + m * g * z;
  s.valid = d.number(0.01) < z_dot;
  s.nonholonomic = {{"cone", "m/s", "", z_dot / 2 - square(a) * across2 / (2 * z_dot)}};
  s.invariants = {{"heading", "", "", atan2(y_dot, x_dot)}, {"cone_error", "m/s", "", z_dot - a * sqrt(across2)}};
  s.info.invariance = {Invariance::constant, Invariance::zero};
  s.start_w = {d.number(3), d.number(4), a * 5};
  span(d, 0.6, 1e-3);
  d.figures(0.6, {{"x", 1.2914496},
                  {"y", 1.7219328},
                  {"z", 1.614312},
                  {"x_dot", 1.304832},
                  {"y_dot", 1.739776},
                  {"z_dot", 1.63104}});
  return d;
}

/// Coulomb friction that sees the ideal constraint force.
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

/// A family: x1, y1, x2, y2 …
inline Draft chain(int links) {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "chain";
  s.info.structure["links"] = links;
  const Word m = d.parameter("m", 1), L = d.parameter("L", 1), g = d.parameter("g", 9.81);
  Word energy = d.number(0);
  Word last_x = d.number(0), last_y = d.number(0);
  for (int i = 1; i <= links; ++i) {
    const std::string number = std::to_string(i);
    const Word x = d.coordinate("x" + number), y = d.coordinate("y" + number);
    const Word x_dot = d.rate("x" + number + "_dot"), y_dot = d.rate("y" + number + "_dot");
    energy = energy + (m * (square(x_dot) + square(y_dot)) / 2 - m * g * y);
    s.holonomic.push_back({"rod" + number, "m^2", "", (square(x - last_x) + square(y - last_y)) / 2 - square(L) / 2});
    s.start_q.push_back(i * L * std::sin(0.5));
    s.start_q.push_back(-i * L * std::cos(0.5));
    last_x = x, last_y = y;
  }
  s.lagrangian = energy;
  span(d, 5, 1e-3);
  return d;
}

/// A servo-constraint: a rod balanced by a horizontal force on its foot.
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

/// One mass split in two coordinates: its metric is singular without the constraint that ties them.
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

/// Two masses on the arms of a lever in balance. The lever has none, on the diagonal of the metric.
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

/// Its motion is prescribed: the time stands in a constraint.
inline Draft driven_particle() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "driven_particle";
  const Word omega = d.parameter("omega", 2);
  const Word x = d.coordinate("x"), y = d.coordinate("y");
  d.rate("x_dot"), d.rate("y_dot");
  s.metric = {d.number(1), d.number(2)};
  s.diagonal = true;
  s.holonomic = {{"drive", "m", "", x - sin(omega * d.time())}, {"line", "m", "", y - 3 * x}};
  s.start_w = {omega, 3 * omega};
  span(d, 1, 1e-3);
  d.figures(1, {{"x", std::sin(2.0)}, {"y", 3 * std::sin(2.0)}, {"x_dot", 2 * std::cos(2.0)}}, 1e-9);
  return d;
}

/// No parameter and no constraint.
inline Draft oscillator() {
  Draft d;
  Statement& s = d.statement;
  s.info.name = "oscillator";
  const Word x = d.coordinate("x"), x_dot = d.rate("x_dot");
  s.lagrangian = square(x_dot) / 2 - square(x) / 2;
  s.start_q = {d.number(1)};
  span(d, 1, 1e-3);
  d.figures(1, {{"x", std::cos(1.0)}, {"x_dot", -std::sin(1.0)}}, 1e-11);
  return d;
}

inline std::vector<Draft> all_models() {
  std::vector<Draft> result;
  result.push_back(bead());
  result.push_back(spherical_pendulum());
  result.push_back(chaplygin_sleigh());
  result.push_back(chaplygin_sleigh_energy());
  result.push_back(appell_particle());
  result.push_back(rough_ring());
  result.push_back(chain(4));
  result.push_back(balanced_rod());
  result.push_back(split_oscillator());
  result.push_back(lever());
  result.push_back(driven_particle());
  result.push_back(oscillator());
  return result;
}

/// A road under a mass that is pushed, and turns at a speed that a table has.
inline Draft on_a_road() {
  Draft d;
  const Word m = d.parameter("m", 1.3);
  const Word x = d.coordinate("x");
  const Word y = d.coordinate("y");
  const Word u = d.rate("u");
  const Word v = d.rate("v");
  const auto of = [&](const std::shared_ptr<const Table>& table, const Word& at) {
    return Word{&d.graph, d.graph.table(table, 0, at.id)};
  };
  const auto road = std::make_shared<const Table>("road", Interpolation::cubic, std::vector<double>{-9, -2, 0, 1, 7},
                                                  std::vector<double>{3, 1, 0.5, 2, 1});
  const auto push = std::make_shared<const Table>("push", Interpolation::linear, std::vector<double>{-9, 0.1, 8},
                                                  std::vector<double>{1, -1, 2});
  Statement& s = d.statement;
  s.metric = {m.id, (m + of(road, x) * of(road, x)).id};
  s.diagonal = true;
  s.velocity = {(u + of(push, x) * v).id, (v * of(road, y)).id};
  s.force = {of(push, d.time()).id, (of(push, m) * u).id};
  s.holonomic = {{"ground", "", "", (y - of(road, x)).id}};
  return d;
}

}  // namespace kalaba::formula
