#include "check/json.hpp"

#include <fmt/format.h>

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
