#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

// Compilation and execution of emitted text.

namespace kalaba::formula {

/// Program of emitted structs, compiled during the test. KALABA_SOURCE_DIR is the path of the headers.
class EmittedProgram {
 public:
  explicit EmittedProgram(const std::string& text) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("kalaba_formula_" + std::to_string(::getpid()) + '_' + std::to_string(count++));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "program.cpp") << text;
  }
  ~EmittedProgram() { std::filesystem::remove_all(folder_); }
  EmittedProgram(const EmittedProgram&) = delete;
  EmittedProgram& operator=(const EmittedProgram&) = delete;

  /// Compiles with all warnings as errors. Returns the compiler's output; empty if successful.
  std::string compile(const std::string& compiler, const std::string& options) {
    return output_of(compiler + " -std=c++20 -Wall -Wextra -Wpedantic -Werror -I" KALABA_SOURCE_DIR "/include " +
                     options + ' ' + (folder_ / "program.cpp").string() + " -o " + (folder_ / "program").string() +
                     " 2>&1");
  }
  /// Runs the program and returns the numbers that it prints.
  std::vector<double> run() {
    std::istringstream out(output_of((folder_ / "program").string()));
    std::vector<double> numbers;
    for (std::string word; out >> word;) numbers.push_back(std::strtod(word.c_str(), nullptr));
    return numbers;
  }

 private:
  static std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = ::popen(command.c_str(), "r");
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
    if (::pclose(pipe) != 0 && text.empty()) text = "failed: " + command;
    return text;
  }

  std::filesystem::path folder_;
};

inline bool is_there(const std::string& compiler) {
  return std::system((compiler + " --version > /dev/null 2>&1").c_str()) == 0;
}

}  // namespace kalaba::formula
