#pragma once

#include "backend/reference/linear.hpp"
#include "backend/reference/model.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/status.hpp"

namespace kalaba::reference {

/// Solution of the equation of motion of a member at one instant [UK02 eq. 33, U16 eq. 35, BC18 eq. 40].
struct Rate {
  Status status = Status::ok;  ///< singular_constraints: the metric is not positive definite and nothing else is set
  Vector q_dot;                ///< K
  Vector w_dot;
  Matrix A;
  Vector b;                ///< feedback included
  Vector a;                ///< the rate without constraints
  Vector ideal_force;      ///< A^T lambda; in the Hamiltonian reading a rate of momentum, as the next
  Vector non_ideal_force;  ///< C
  Vector constraint_rate;  ///< part of w' that the constraints alone determine [BC18 eq. 40: Theta^(-1/2) A1^+ V1]
  Vector multipliers;      ///< (A G^-1 A^T)^+ (b - A (a + c)), c the rate of C
  int rank = 0;
  double sigma_kept = 0;     ///< smallest singular value of A G^(-1/2) above the tolerance
  double sigma_dropped = 0;  ///< largest one below it
  double least_value = 0;    ///< smallest singular value that counts, also for qr, or ratio of a row to the others

  Vector constraint_force() const { return ideal_force + non_ideal_force; }

  Vector residual() const { return A * w_dot - b; }
};

/// [phi; phi'; psi]: the values that the constraints keep at zero.
Vector violation(const MechanicalModel& model, const Instant& x);

Rate evaluate_rate(const MechanicalModel& model, const Method& method, const Instant& x);
/// As above, with a rank choice from earlier steps.
Rate evaluate_rate(const MechanicalModel& model, const Method& method, const RankChoice& choice, const Instant& x);

/// Returns true if A w' = b has a solution within the method's consistency_tolerance and the rounding error of the
/// terms of b, which are as large as A w per unit of time.
bool consistent(const Rate& rate, const Method& method, const Instant& x);

}  // namespace kalaba::reference
