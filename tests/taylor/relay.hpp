#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace kalaba::taylor {

inline std::string number(double value) { return fmt::format("{:.17e}", value); }

/// Overrides of a scenario for compiled Taylor steps with this tolerance, relative and, stated last, absolute.
inline std::vector<std::string> with_taylor(double tolerance, std::vector<std::string> more = {}) {
  more.insert(more.end(),
              {"solver.backend=cpu", "solver.compile=always", "solver.integrator=taylor",
               "solver.relative_tolerance=" + number(tolerance), "solver.absolute_tolerance=" + number(tolerance)});
  return more;
}

/// A mass under a force of constant size that reverses where x changes its sign, from rest at x = 0.5: "-f*sign(x)", or
/// the same stated otherwise. `more`: further sections.
inline std::string relay(const std::string& force, const std::string& more = "") {
  return R"toml(
[model]
name = "relay"
lagrangian = "x_dot^2/2"
[model.parameters]
f = 1.0
[model.coordinates]
x = ""
[model.force]
x = ")toml" +
         force + R"toml("
[model.start]
x = 0.5
[time]
end = 10
dt = 0.1
)toml" + more;
}

}  // namespace kalaba::taylor
