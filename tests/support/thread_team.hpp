#pragma once

#include <array>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace kalaba::test {

/// Team of L host threads with a barrier: runs the algorithms of a CUDA tile without a GPU.
template <int L>
class ThreadTeam {
 public:
  static constexpr int size = L;

  struct Shared {
    std::barrier<> barrier{L};
    std::array<bool, L> votes{};
  };

  ThreadTeam(Shared& shared, int worker) : shared_(&shared), worker_(worker) {}

  template <int N, class F>
  void for_each(const F& f) const {
    shared_->barrier.arrive_and_wait();
    for (int i = worker_; i < N; i += L) f(i);
    shared_->barrier.arrive_and_wait();
  }
  template <class F>
  void single(const F& f) const {
    shared_->barrier.arrive_and_wait();
    if (worker_ == 0) f();
    shared_->barrier.arrive_and_wait();
  }
  bool any(bool mask) const {
    shared_->barrier.arrive_and_wait();
    shared_->votes[static_cast<std::size_t>(worker_)] = mask;
    shared_->barrier.arrive_and_wait();
    bool result = false;
    for (const bool vote : shared_->votes) result = result || vote;
    return result;
  }

 private:
  Shared* shared_;
  int worker_;
};

/// Runs work(team) on every worker of a team of L threads.
template <int L, class Work>
void run_team(const Work& work) {
  typename ThreadTeam<L>::Shared shared;
  std::vector<std::jthread> threads;
  for (int worker = 0; worker < L; ++worker) {
    threads.emplace_back([&, worker] { work(ThreadTeam<L>(shared, worker)); });
  }
}

}  // namespace kalaba::test
