#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "kalaba/error.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Folder of the project's models; a program on another machine receives it from the environment.
inline std::filesystem::path model_folder() {
  const char* const here = std::getenv("KALABA_SOURCE_DIR");
  return std::filesystem::path(here != nullptr ? here : KALABA_SOURCE_DIR) / "examples/models";
}
inline std::filesystem::path bad_folder() { return std::filesystem::path(KALABA_SOURCE_DIR) / "tests/models/bad"; }

/// Message of the command line for a text read as NAME.toml: its error, or the notes on the accepted model.
inline std::string message_of(const std::string& text, const std::string& name,
                              const std::vector<std::string>& overrides = {}) {
  static const std::vector<System> none;
  try {
    std::string notes;
    for (const std::string& note : load_scenario_text(text, name, overrides, none).notes) notes += note + "\n";
    return notes;
  } catch (const Error& error) {
    return std::string("kalaba: ") + error.what() + "\n";
  }
}

}  // namespace kalaba
