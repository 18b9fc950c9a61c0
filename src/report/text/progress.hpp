#pragma once

#include <chrono>
#include <cstdio>
#include <string>

#include "kalaba/run.hpp"

namespace kalaba {

/// One line: share completed, bar, rate in member-steps/s, remaining time.
std::string progress_line(const Progress& progress);

/// Progress bar on one line of a terminal; draws nothing if the stream is not a terminal. The line is cleared by
/// finish, or by the destructor.
class ProgressBar {
 public:
  explicit ProgressBar(std::FILE* stream);
  ~ProgressBar() { finish(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws the bar, at most ten times per second.
  void update(const Progress& progress);
  /// Draws this line instead.
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
