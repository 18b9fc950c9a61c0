#include "backend/interruption.hpp"

#include <utility>

#include "kalaba/error.hpp"

namespace kalaba {
namespace {

thread_local const Interruptible* innermost = nullptr;

}  // namespace

Interruptible::Interruptible(std::function<bool()> is_requested)
    : is_requested_(std::move(is_requested)), outer_(std::exchange(innermost, this)) {}

Interruptible::~Interruptible() { innermost = outer_; }

bool interruption_is_requested() {
  for (const Interruptible* each = innermost; each != nullptr; each = each->outer_) {
    if (each->is_requested_()) return true;
  }
  return false;
}

void throw_interrupted() {
  throw Error(ExitCode::interrupted, "interrupted while the model was compiled; nothing was integrated");
}

}  // namespace kalaba
