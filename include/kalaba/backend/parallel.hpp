#pragma once

#include <functional>

namespace kalaba {

/// Returns the number of worker threads for a request of `threads`: the request itself, or, if it is 0, the number of
/// CPUs that this process may use.
int thread_count(int threads);

/// Calls work(begin, end) on disjoint ranges that cover 0 … count - 1, on up to `threads` threads, and returns when all
/// are done. Rethrows the first exception of work. The assignment of ranges to threads is not fixed.
void parallel_for(long count, long grain, int threads, const std::function<void(long, long)>& work);

}  // namespace kalaba
