#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fiber.hpp"
#include "guarded_memory.hpp"
#include "kernel_interface.hpp"
#include "sanitizers.hpp"

namespace kalaba::emulated {

using kalaba_emulated::Index;
using kalaba_emulated::Kernel;
using kalaba_emulated::Place;
using kalaba_emulated::Services;

/// Kernel with all arguments of its launch.
struct Launch {
  const Kernel* kernel;
  void* const* values;  ///< of the parameters
  Index grid;
  Index block;
  std::size_t shared_memory;  ///< bytes
};

/// Runs blocks, one after another, on the calling thread of the host. The threads of a block take turns: one runs until
/// it waits for others in a barrier, a vote or a shuffle; then the next thread in order that can run continues. The
/// result is therefore deterministic, and a deadlocked block is detected. A thread that never waits leaves its stack to
/// the next one.
class BlockRunner {
 public:
  BlockRunner();
  ~BlockRunner();

  /// Returns a description of the error, or an empty text.
  std::string run(const Launch& launch);

  /// Services for the calling thread.
  static const Services& services();
  /// Description of the block and thread that run on the calling thread; empty if none does.
  static std::string where();

 private:
  enum class Turn { unstarted, running, ready, waiting, finished };
  enum class Meeting { barrier, warp_barrier, vote, shuffle };
  struct Stack;
  struct Thread {
    Place place;
    std::size_t index;  ///< in the block
    std::size_t warp;   ///< index of the first thread of its warp
    Turn turn;
    Stack* stack;
    RaceView view;
    // Its input and output of a collective operation.
    Meeting meeting;
    unsigned mask;
    bool vote;
    unsigned long long value;
    int source_lane;
    unsigned ballot;
    unsigned long long received;
    // Number of collective operations in which it is the lowest lane.
    unsigned meetings = 0;
    char tags[2] = {};
  };
  struct Stack {
    explicit Stack(BlockRunner* of) : runner(of), fiber(&BlockRunner::stack_body, this) {}
    BlockRunner* runner;
    Fiber fiber;
  };

  // The launch
  void run_block(Index block);
  void place_threads(Index block);
  void place_shared_memory();

  // The turns
  static void stack_body(void* stack);
  void run_threads(Stack& stack);
  void switch_to(Fiber& from, Thread& next);
  void start(Thread& thread, Stack& stack);
  Thread* next_runnable();
  Stack& free_stack();
  [[noreturn]] void fail(std::string what);
  std::string who_waits() const;

  // The meetings
  static const Place* place();
  static void* shared_memory();
  static void synchronize_block();
  static void synchronize_warp(unsigned mask);
  static unsigned ballot(unsigned mask, bool vote);
  static unsigned long long shuffle(unsigned mask, unsigned long long value, int source_lane);
  void meet(Meeting meeting, unsigned mask);
  void settle_if_all_are_here(Thread& one);
  void settle(Thread& one);
  void settle_without_finished();
  template <class Visit>
  bool for_members(const Thread& one, const Visit& visit);
  static bool is_here(const Thread& thread, const Thread& one);
  Thread& lowest_member(const Thread& one);
  unsigned& meetings_of(const Thread& one);
  char* order_tag(const Thread& one);
  static const char* name_of(Meeting meeting);
  static std::string hexadecimal(unsigned mask);

  static thread_local BlockRunner* active_;  ///< the one that runs a launch on the calling thread

  std::vector<Thread> threads_;
  std::vector<std::unique_ptr<Stack>> stacks_;
  std::vector<Stack*> free_stacks_;
  Fiber worker_;
  RaceView worker_view_;
  std::unique_ptr<GuardedMemory> shared_;
  const Launch* launch_ = nullptr;
  Thread* now_ = nullptr;
  int unfinished_ = 0;
  int waiting_ = 0;
  unsigned barriers_ = 0;  ///< of the whole block, so far
  char barrier_tags_[2] = {};
  char start_tag_ = 0;
  char end_tag_ = 0;
  std::string failure_;
};

}  // namespace kalaba::emulated
