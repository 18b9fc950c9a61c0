#pragma once

#include <cuda.h>

#include <functional>
#include <memory>

#include "backend/cuda/memory.hpp"

namespace kalaba::cuda {

/// Work of a stream, recorded once and replayed at the cost of one launch.
class Graph {
 public:
  /// Records the work that `work` enqueues on the stream, without executing it. Returns an empty graph if part of it
  /// cannot be recorded (for example, a library call that waits or allocates memory) or if the driver has no graphs.
  /// The stream is then unchanged, and `work` must be called each time.
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
