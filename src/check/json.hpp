#pragma once

#include <string>

#include "check/verdict.hpp"

namespace kalaba::check {

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
