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

/// The models that come with the project; a program that was carried to another machine is told where they are.
inline std::filesystem::path model_folder() {
  const char* const here = std::getenv("KALABA_SOURCE_DIR");
  return std::filesystem::path(here != nullptr ? here : KALABA_SOURCE_DIR) / "examples/models";
}
inline std::filesystem::path bad_folder() { return std::filesystem::path(KALABA_SOURCE_DIR) / "tests/models/bad"; }

/// What the command line would print of reading a text as NAME.toml: its error, or the notes of what it accepted.
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
