#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// One line: share done, bar, rate in member-steps/s, time left.
std::string progress_line(const Progress& progress);

/// A progress bar on one line of a terminal; draws nothing where the stream is not a terminal. Its line is cleared at
/// finish, and at the latest when it is destroyed.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* stream);
  ~ProgressBar() { finish(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws, at most ten times a second.
  void update(const Progress& progress);
  /// The same with a line of one's own.
  void update(const std::string& line);
  void finish();

 private:
  bool is_due() const;
  void draw(const std::string& line);

  std::FILE* stream_;
  bool is_terminal_;
  std::size_t drawn_ = 0;  // characters on the line
  std::chrono::steady_clock::time_point last_draw_;
};

}  // namespace kalaba
