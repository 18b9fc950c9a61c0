#pragma once

#include "formula/graph/table.hpp"
#include "rare_models.hpp"

// Models as an author states them, built on the graph. Texts of these models must read to the same graph.

namespace kalaba::formula {

/// Bead on a parabolic wire, from its Lagrangian.
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

/// Spherical pendulum, from its Hamiltonian.
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
/// Moves the draft out; its words refer to the graph, which moves with it.
inline Draft adopted(Sleigh& r) { return std::move(r.d); }

/// Sleigh with its terms stated.
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

/// The Chaplygin sleigh, from its kinetic energy.
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

/// Nonlinear nonholonomic constraint, singular if the particle is at rest.
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

/// Family of coordinates: x1, y1, x2, y2 …
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

/// Prescribed motion: a constraint that depends on time.
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

/// Oscillator without parameters and constraints.
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

/// Mass on a road whose height is a table, with tables in its force, metric and velocity too.
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
