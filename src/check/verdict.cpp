#include "check/verdict.hpp"

#include <cmath>
#include <limits>

namespace kalaba::check {

std::string_view kind_name(Kind kind) {
  constexpr std::string_view names[] = {"status",    "figure",   "closed_form", "invariant", "energy",
                                        "violation", "residual", "reference",   "single",    "sensitivity"};
  return names[static_cast<int>(kind)];
}

std::string_view outcome_name(Outcome outcome) {
  constexpr std::string_view names[] = {"passed", "failed", "not run"};
  return names[static_cast<int>(outcome)];
}

double severity(double error, double tolerance) {
  const double ratio = error / tolerance;
  return std::isfinite(ratio) ? ratio : std::numeric_limits<double>::infinity();
}

double severity(const Verdict& verdict) {
  return verdict.outcome == Outcome::not_run ? -1 : severity(verdict.error, verdict.tolerance);
}

}  // namespace kalaba::check
