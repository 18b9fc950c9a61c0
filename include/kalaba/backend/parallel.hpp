#pragma once

#include <functional>

namespace kalaba {

/// Returns the worker threads for a request of `threads`: itself, or one for each CPU that this process may use where
/// it is 0.
int thread_count(int threads);

/// Calls work(begin, end) over disjoint ranges that make up 0 … count - 1, on up to `threads` threads, and returns when
/// all is done. The first exception thrown by work is thrown here. Which thread runs what is not fixed.
void parallel_for(long count, long grain, int threads, const std::function<void(long, long)>& work);

}  // namespace kalaba
