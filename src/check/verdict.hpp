#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kalaba/options.hpp"

namespace kalaba::check {

/// What a verdict is about.
enum class Kind : int {
  status,       ///< the member is ok to the end
  figure,       ///< an expected value that the system states
  closed_form,  ///< the system's exact solution
  invariant,    ///< a number that stays zero, or keeps its first value
  energy,       ///< where the system conserves it: max |E - E_0|
  violation,    ///< max |phi|, |phi'|, |psi|, where the run projects on the constraints
  residual,     ///< max |A w' - b|
  reference,    ///< the reference backend's final state
  single,       ///< the final state in single precision, against double
  sensitivity   ///< derivatives of a short motion, against the reference's
};

enum class Outcome : int { passed, failed, not_run };

std::string_view kind_name(Kind kind);
std::string_view outcome_name(Outcome outcome);

/// One comparison and what it came to.
struct Verdict {
  std::string system;  ///< with its size: "swarm agents=5"
  Backend backend = Backend::reference;
  PseudoInverse pseudo_inverse = PseudoInverse::svd;
  Kind kind = Kind::status;
  Outcome outcome = Outcome::not_run;
  double error = 0;      ///< not finite where there is none to state
  double tolerance = 0;  ///< in the unit of the error
  std::string detail;    ///< which figure, where the error is worst, why it was not run
};

using Verdicts = std::vector<Verdict>;

/// The error in tolerances, to rank by: at most 1 is good, infinite where it is no number.
double severity(double error, double tolerance);
/// The same of a verdict; those that were not run come last.
double severity(const Verdict& verdict);

}  // namespace kalaba::check
