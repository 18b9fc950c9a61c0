#pragma once

#include <cuda.h>

#include <functional>
#include <memory>

#include "backend/cuda/memory.hpp"

namespace kalaba::cuda {

/// Work of a stream that was recorded once, to be done again and again at the price of one launch.
class Graph {
 public:
  /// Records what `work` puts on the stream, instead of doing it. Empty where some of it cannot be recorded (a library
  /// that waits or takes memory in between) or the driver has no graphs; the stream is then as it was, and `work` has
  /// to be done anew each time.
  static Graph record(const Stream& stream, const std::function<void()>& work);

  explicit operator bool() const { return executable_ != nullptr; }
  void launch(const Stream& stream) const;

 private:
  struct Release {
    void operator()(CUgraphExec executable) const noexcept;
  };
  std::unique_ptr<CUgraphExec_st, Release> executable_;
};

}  // namespace kalaba::cuda
