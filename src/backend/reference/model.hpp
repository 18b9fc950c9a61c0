#pragma once

#include <Eigen/Core>
#include <vector>

#include "kalaba/core/model/model.hpp"

namespace kalaba::reference {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/// One member at one instant.
struct Instant {
  Vector p;      ///< parameters
  double t = 0;  ///< s
  Vector q;      ///< coordinates
  Vector w;      ///< rates
};

/// A number that a model computes, with the sizes relative to which it is judged.
struct Sized {
  double value = 0;
  double terms = 0;     ///< sum of the magnitudes of its terms
  double rounding = 0;  ///< its rounding error is at most some epsilon times this
};

/// Model interface of the reference: the terms of w' = a + ..., A w' = b, in the notation of the papers. Rows of the
/// constraints: the holonomic ones (phi) first, then the nonholonomic ones (psi).
class MechanicalModel {
 public:
  virtual ~MechanicalModel() = default;

  Formulation formulation = Formulation::lagrange;
  int holonomic = 0;
  int nonholonomic = 0;
  int invariant_count = 0;
  int reaction_count = 0;  ///< components of joint reactions
  bool has_energy = false;
  bool servo = false;            ///< the constraint force acts along actuation() only
  bool singular_metric = false;  ///< metric() may be singular

  virtual Vector velocity(const Instant& x) const = 0;           ///< q' = K [nq]
  virtual Matrix velocity_jacobian(const Instant& x) const = 0;  ///< dK/dw [nq x nw]
  virtual Matrix metric(const Instant& x) const = 0;             ///< G [nw x nw], both triangles
  virtual Vector force(const Instant& x) const = 0;              ///< the given force, see Formulation [nw]
  virtual Vector phi(const Instant& x) const = 0;                ///< [holonomic]
  virtual Vector phi_dot(const Instant& x) const = 0;            ///< [holonomic]
  virtual Vector psi(const Instant& x) const = 0;                ///< [nonholonomic]
  virtual Matrix constraint_matrix(const Instant& x) const = 0;  ///< A = d(phi', psi)/dw [m x nw]
  virtual Vector constraint_rate(const Instant& x) const = 0;    ///< b = -(phi'', psi') at w' = 0 [m]
  /// dphi/dq of the rows of phi whose row of A vanishes identically, zero in the others [holonomic x nq]; a matrix
  /// without rows if there are none.
  virtual Matrix unreached_gradient(const Instant& x) const { return Matrix(0, x.q.size()); }
  virtual double gain(const Instant& x) const = 0;           ///< the system's own feedback, 1/s; 0 if none
  virtual double position_gain(const Instant& x) const = 0;  ///< likewise on phi, 1/s^2
  virtual bool has_non_ideal() const = 0;
  /// C for the given ideal constraint force and its multipliers; zero if the model has none [nw].
  virtual Vector non_ideal(const Instant& x, const Vector& ideal_force, const Vector& multipliers) const = 0;
  virtual Matrix actuation(const Instant& x) const = 0;   ///< S [nw x actuators], of a servo
  virtual Vector invariants(const Instant& x) const = 0;  ///< as many as the model defines
  /// Forces and torques of the joints for the given w' and multipliers [reaction_count].
  virtual Vector reactions(const Instant& /*x*/, const Vector& /*w_dot*/, const Vector& /*multipliers*/) const {
    return Vector();
  }
  /// Gaps of the contacts, followed by their rates.
  virtual Vector contact_gaps(const Instant& /*x*/) const { return Vector(); }
  /// Sums of the magnitudes of the terms of these.
  virtual Vector contact_terms(const Instant& /*x*/) const { return Vector(); }
  virtual double energy(const Instant& x) const = 0;  ///< NaN if the model has none
  virtual bool valid(const Instant& x) const = 0;     ///< true if the model has no such condition

  // These numbers with their sizes. Models with known formulas compute the sizes term by term; other models from the
  // change of the numbers with a relative change of each parameter, coordinate and rate.
  virtual std::vector<Sized> sized_constraints(const Instant& x) const;  ///< phi, phi', psi
  virtual std::vector<Sized> sized_invariants(const Instant& x) const;
  virtual Sized sized_energy(const Instant& x) const;  ///< NaN if the model has none
};

}  // namespace kalaba::reference
