#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kalaba/options.hpp"

namespace kalaba::check {

/// Subject of a verdict.
enum class Kind : int {
  status,       ///< the member is ok to the end
  figure,       ///< an expected value that the system states
  closed_form,  ///< the system's exact solution
  invariant,    ///< a number that stays zero, or keeps its first value
  energy,       ///< max |E - E_0|, if the system conserves energy
  violation,    ///< max |phi|, |phi'|, |psi|, if the run projects on the constraints
  residual,     ///< max |A w' - b|
  reference,    ///< the reference backend's final state
  single,       ///< the final state in single precision, against double
  sensitivity   ///< derivatives of a short motion, against the reference's
};

enum class Outcome : int { passed, failed, not_run };

std::string_view kind_name(Kind kind);
std::string_view outcome_name(Outcome outcome);

/// One comparison and its result.
struct Verdict {
  std::string system;  ///< with its size: "swarm agents=5"
  Backend backend = Backend::reference;
  PseudoInverse pseudo_inverse = PseudoInverse::svd;
  Kind kind = Kind::status;
  Outcome outcome = Outcome::not_run;
  double error = 0;      ///< not finite if there is none
  double tolerance = 0;  ///< in the unit of the error
  std::string detail;    ///< which figure, where the error is largest, or why it was not run
};

using Verdicts = std::vector<Verdict>;

/// Error divided by the tolerance, for ranking: at most 1 is good; infinite if the error is NaN.
double severity(double error, double tolerance);
/// As above for a verdict; those that were not run come last.
double severity(const Verdict& verdict);

/// Origin of the verdicts.
struct Origin {
  std::string version;
  std::string commit;
  std::string date;  ///< UTC, "2026-11-21T07:45:52Z"
};

/// Returns one JSON object: version, commit, date, and the verdicts as an array of objects. A number that JSON cannot
/// represent is null.
std::string json_text(const Verdicts& verdicts, const Origin& origin);

}  // namespace kalaba::check
