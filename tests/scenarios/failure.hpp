#pragma once

#include <string>
#include <vector>

#include "scenario/scenario.hpp"
#include "scenarios/fake_systems.hpp"
#include "scenarios/scratch_folder.hpp"

namespace kalaba {

/// Result of reading a scenario of the fake systems.
struct Failure {
  ExitCode code = ExitCode::ok;
  std::string message = "(no error)";
};

inline Failure failure_of(const ScratchFolder& folder, const std::string& source,
                          const std::vector<std::string>& overrides = {}) {
  static const std::vector<System> systems = fake_systems();
  try {
    load_scenario(source, overrides, systems);
  } catch (const Error& error) {
    return {error.code(), folder.shorten(error.what())};
  }
  return {};
}

inline std::string first_message(const ScratchFolder& folder, const std::string& source,
                                 const std::vector<std::string>& overrides = {}) {
  return failure_of(folder, source, overrides).message;
}

}  // namespace kalaba
