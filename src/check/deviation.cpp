#include "check/deviation.hpp"

#include <fmt/format.h>

#include <limits>

namespace kalaba::check {

void keep_worse(Deviation& worst, const Deviation& other) {
  if (severity(other.error, other.tolerance) >= severity(worst.error, worst.tolerance)) worst = other;
}

std::string place(const Deviation& deviation) { return fmt::format("{} at {:g} s", deviation.name, deviation.time); }

Verdict judged(const DefaultRun& run, Kind kind, const Deviation& deviation, const std::string& detail) {
  const bool within = deviation.error <= deviation.tolerance;
  return {label(run.info()),
          run.how().backend,
          run.how().pseudo_inverse,
          kind,
          within ? Outcome::passed : Outcome::failed,
          deviation.error,
          deviation.tolerance,
          detail};
}

Verdict judged(const DefaultRun& run, Kind kind, const Deviation& deviation) {
  return judged(run, kind, deviation, place(deviation));
}

Verdict not_run(const System& system, const Case& how, Kind kind, const std::string& why) {
  return {label(system.info), how.backend, how.pseudo_inverse, kind, Outcome::not_run, 0, 0, why};
}

Verdict failed(const DefaultRun& run, Kind kind, const std::string& why) {
  constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
  return judged(run, kind, {no_number, 0, "", 0}, why);
}

}  // namespace kalaba::check
