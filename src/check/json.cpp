#include "check/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kalaba::check {
namespace {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (byte < 0x20) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

std::string json_number(double value) { return std::isfinite(value) ? fmt::format("{:.17g}", value) : "null"; }

std::string json_object(const Verdict& verdict) {
  const bool ran = verdict.outcome != Outcome::not_run;
  return fmt::format(
      "{{\"system\": {}, \"backend\": {}, \"pseudo_inverse\": {}, \"kind\": {}, \"verdict\": {}, \"error\": {}, "
      "\"tolerance\": {}, \"detail\": {}}}",
      json_string(verdict.system), json_string(backend_name(verdict.backend)),
      json_string(pseudo_inverse_name(verdict.pseudo_inverse)), json_string(kind_name(verdict.kind)),
      json_string(outcome_name(verdict.outcome)), ran ? json_number(verdict.error) : "null",
      ran ? json_number(verdict.tolerance) : "null", json_string(verdict.detail));
}

}  // namespace

std::string json_text(const Verdicts& verdicts, const Origin& origin) {
  std::string text = fmt::format("{{\n  \"version\": {},\n  \"commit\": {},\n  \"date\": {},\n  \"verdicts\": [",
                                 json_string(origin.version), json_string(origin.commit), json_string(origin.date));
  const char* separator = "\n    ";
  for (const Verdict& verdict : verdicts) {
    text += separator + json_object(verdict);
    separator = ",\n    ";
  }
  return text + "\n  ]\n}\n";
}

}  // namespace kalaba::check
