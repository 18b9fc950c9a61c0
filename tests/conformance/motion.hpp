#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "backend/reference/linear.hpp"
#include "cases.hpp"

namespace kalaba::conformance {

/// One member at one instant: terms from the reference, and results of the backend under test. Efforts are covectors of
/// the rates: forces, or in Hamiltonian form G times rates of momentum.
struct Motion {
  bool momenta = false;
  Matrix A;
  Vector b;
  Matrix G;        ///< the metric
  Matrix weight;   ///< the metric; if it may be singular, made definite on its null space
  Vector given;    ///< effort of the given force
  Vector C;        ///< effort of the non-ideal force, as stated by the model
  Vector w_dot;    ///< from the backend, as the following
  Vector driving;  ///< constraint_rate
  Vector balance;  ///< balance_rate
  Vector force;    ///< constraint_force
  Vector ideal;    ///< ideal_force
  Vector non_ideal;
  Vector multipliers;
  Vector constraints;
  double residual = 0;

  Vector effort(const Vector& f) const { return momenta ? Vector(G * f) : f; }
  /// Effort of the constraints: deviation from the motion under the given force.
  Vector pull() const { return G * w_dot - given; }
  /// Rate without constraints.
  Vector free_rate() const { return inverse_root * (inverse_root.transpose() * given); }
  /// Gauss's function of a rate, up to a constant.
  double gauss(const Vector& rate) const { return 0.5 * rate.dot(G * rate) - rate.dot(given + C); }

  double size(const Vector& rate) const { return std::sqrt(rate.dot(weight * rate)); }
  double size_of_effort(const Vector& f) const { return (inverse_root.transpose() * f).norm(); }

  Matrix inverse_root;  ///< of `weight`
};

/// All members of a simulation at its current time.
inline std::vector<Motion> motions(Simulation& simulation, const Oracle& oracle) {
  const auto& model = oracle.model();
  const auto rows = [&](Field field) { return simulation.observe(field); };
  const auto driving = rows(Field::constraint_rate), balance = rows(Field::balance_rate);
  const auto force = rows(Field::constraint_force), ideal = rows(Field::ideal_force);
  const auto non_ideal = rows(Field::non_ideal_force), multipliers = rows(Field::multipliers);
  const auto constraints = rows(Field::constraints), residual = rows(Field::residual);
  std::vector<Motion> all;
  for (long i = 0; i < simulation.block.members; ++i) {
    const Instant x = simulation.instant(i);
    const auto member = [&](const std::vector<double>& values) { return simulation.member(values, i); };
    Motion m;
    m.momenta = model.formulation == Formulation::hamilton;
    m.A = model.constraint_matrix(x);
    m.b = oracle.rate(x).b;
    m.G = model.metric(x);
    m.weight = model.singular_metric ? reference::Completion(m.G, m.A).metric(m.G, m.A) : m.G;
    m.inverse_root = reference::metric_root(m.weight).inverse_root;
    m.driving = member(driving);
    m.balance = member(balance);
    m.w_dot = m.driving + m.balance;
    m.force = member(force);
    m.ideal = member(ideal);
    m.non_ideal = member(non_ideal);
    m.multipliers = member(multipliers);
    m.constraints = member(constraints);
    m.residual = residual[static_cast<std::size_t>(i)];
    m.given = m.effort(model.force(x));
    m.C = m.effort(model.non_ideal(x, m.ideal, m.multipliers));
    all.push_back(std::move(m));
  }
  return all;
}

/// Random change of w' that A permits, of unit size; zero if all of w' is constrained.
inline Vector virtual_displacement(const Motion& m, std::mt19937& generator) {
  std::normal_distribution<double> normal;
  Vector z(m.G.rows());
  for (double& value : z) value = normal(generator);
  const Matrix B = m.A * m.inverse_root;
  const Vector allowed =
      z - reference::pseudo_inverse(B, PseudoInverse::svd, reference::RankChoice::fresh(Method{})).matrix * (B * z);
  // Only rounding errors remain.
  return allowed.norm() < 1e-8 * z.norm() ? Vector::Zero(z.size()) : Vector(m.inverse_root * allowed.normalized());
}

}  // namespace kalaba::conformance
