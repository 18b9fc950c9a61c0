#include "check/verdict.hpp"

#include <fmt/format.h>
#include <cmath>
#include <limits>
#include "text/json.hpp"

namespace kalaba::check {
namespace {

std::string json_object(const Verdict& verdict) {
  const bool ran = verdict.outcome != Outcome::not_run;
  return fmt::format(
      "{{\"system\": {}, \"backend\": {}, \"pseudo_inverse\": {}, \"kind\": {}, \"verdict\": {}, \"error\": {}, "
      "\"tolerance\": {}, \"detail\": {}}}",
      json_value(verdict.system), json_value(backend_name(verdict.backend)),
      json_value(pseudo_inverse_name(verdict.pseudo_inverse)), json_value(kind_name(verdict.kind)),
      json_value(outcome_name(verdict.outcome)), ran ? json_value(verdict.error) : "null",
      ran ? json_value(verdict.tolerance) : "null", json_value(verdict.detail));
}

}  // namespace

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

std::string json_text(const Verdicts& verdicts, const Origin& origin) {
  std::string text = fmt::format("{{\n  \"version\": {},\n  \"commit\": {},\n  \"date\": {},\n  \"verdicts\": [",
                                 json_value(origin.version), json_value(origin.commit), json_value(origin.date));
  const char* separator = "\n    ";
  for (const Verdict& verdict : verdicts) {
    text += separator + json_object(verdict);
    separator = ",\n    ";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace kalaba::check
