#include "kalaba/backend/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "kalaba/backend/available_cpus.hpp"

namespace kalaba {

int thread_count(int threads) {
  if (threads > 0) return threads;
  return available_cpus();
}

void parallel_for(long count, long grain, int threads, const std::function<void(long, long)>& work) {
  std::atomic<long> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto drain = [&] {
    try {
      for (long begin = next.fetch_add(grain); begin < count; begin = next.fetch_add(grain)) {
        work(begin, std::min(begin + grain, count));
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  const long ranges = (count + grain - 1) / grain;
  const long helpers = std::min<long>(thread_count(threads), ranges) - 1;
  {
    std::vector<std::jthread> pool;
    for (long i = 0; i < helpers; ++i) pool.emplace_back(drain);
    drain();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kalaba
