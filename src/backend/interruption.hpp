#pragma once

#include <functional>

namespace kalaba {

/// While an object of this class lives, the programs that this thread runs, and its waits for other processes, end as
/// soon as `is_requested` returns true; `is_requested` is called about a hundred times a second. Objects of a thread
/// nest: the wish of one is enough. Compilation throws Error(ExitCode::interrupted) then.
class Interruptible {
 public:
  explicit Interruptible(std::function<bool()> is_requested);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  friend bool interruption_is_requested();
  std::function<bool()> is_requested_;
  const Interruptible* outer_;
};

/// Returns true if an object of class Interruptible of this thread requests the end of its work.
bool interruption_is_requested();

/// Throws Error(ExitCode::interrupted).
[[noreturn]] void throw_interrupted();

}  // namespace kalaba
