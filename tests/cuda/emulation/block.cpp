#include "block.hpp"

#include <cstring>

namespace kalaba::emulated {

thread_local BlockRunner* BlockRunner::active_ = nullptr;

namespace {

std::string words(Index at) {
  return "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ", " + std::to_string(at.z) + ")";
}

}  // namespace

BlockRunner::BlockRunner() : worker_view_(nullptr) {}
BlockRunner::~BlockRunner() = default;

std::string BlockRunner::where() {
  if (active_ == nullptr || active_->now_ == nullptr) return {};
  const Place& place = active_->now_->place;
  return "block " + words(place.block) + ", thread " + words(place.thread);
}

// ---- the launch -----------------------------------------------------------------------------------------------------

std::string BlockRunner::run(const Launch& launch) {
  active_ = this;
  launch_ = &launch;
  failure_.clear();
  place_shared_memory();
  launch.kernel->place_thread_locals();
  for (unsigned z = 0; z < launch.grid.z; ++z) {
    for (unsigned y = 0; y < launch.grid.y; ++y) {
      for (unsigned x = 0; x < launch.grid.x && failure_.empty(); ++x) run_block({x, y, z});
    }
  }
  active_ = nullptr;
  return failure_;
}

void BlockRunner::run_block(Index block) {
  place_threads(block);
  if (shared_) std::memset(shared_->data(), 0xff, shared_->size());
  RaceView::release(&start_tag_);
  switch_to(worker_, threads_.front());
  now_ = nullptr;
  RaceView::acquire(&end_tag_);
  if (failure_.empty() && shared_ && !shared_->damage().empty()) {
    failure_ = "block " + words(block) + ", shared memory: " + shared_->damage();
  }
  if (!failure_.empty()) {  // the stacks are in the middle of something
    threads_.clear();
    free_stacks_.clear();
    stacks_.clear();
  }
}

void BlockRunner::place_threads(Index block) {
  const Index size = launch_->block;
  threads_.resize(std::size_t{size.x} * size.y * size.z);
  std::size_t i = 0;
  for (unsigned z = 0; z < size.z; ++z) {
    for (unsigned y = 0; y < size.y; ++y) {
      for (unsigned x = 0; x < size.x; ++x, ++i) {
        threads_[i].place = {{x, y, z}, block, size, launch_->grid};
        threads_[i].index = i;
        threads_[i].warp = i - i % kalaba_emulated::warp_size;
        threads_[i].turn = Turn::unstarted;
      }
    }
  }
  unfinished_ = static_cast<int>(threads_.size());
  waiting_ = 0;
  free_stacks_.clear();
  for (const auto& stack : stacks_) free_stacks_.push_back(stack.get());
}

void BlockRunner::place_shared_memory() {
  const std::size_t size = launch_->shared_memory;
  if (size == 0) {
    shared_.reset();
  } else if (!shared_ || shared_->size() != size) {
    shared_ = std::make_unique<GuardedMemory>(size, 16);
  }
}

// ---- the turns ------------------------------------------------------------------------------------------------------

// The scheduler works in the worker's view, so that what it allocates never passes between the views of the threads.

void BlockRunner::stack_body(void* stack) {
  auto& self = *static_cast<Stack*>(stack);
  self.runner->run_threads(self);
}

/// Runs the stack's thread, then those that have not begun, then hands over; for ever.
void BlockRunner::run_threads(Stack& stack) {
  for (;;) {
    RaceView::acquire(&start_tag_);
    launch_->kernel->call(launch_->values);
    RaceView::release(&end_tag_);
    worker_view_.enter();
    now_->turn = Turn::finished;
    --unfinished_;
    settle_without_finished();
    Thread* next = next_runnable();
    if (next == nullptr && unfinished_ > 0) fail("no thread can go on: " + who_waits());
    if (!RaceView::watches) {  // who watches would see two threads that share what is on the stack
      if (next != nullptr && next->turn == Turn::unstarted) {
        start(*next, stack);
        continue;
      }
      free_stacks_.push_back(&stack);
    }
    if (next != nullptr) {
      switch_to(stack.fiber, *next);
    } else {
      Fiber::go(stack.fiber, worker_);
    }
  }
}

/// Goes on with `next`; returns when `from` is gone to.
void BlockRunner::switch_to(Fiber& from, Thread& next) {
  if (next.turn == Turn::unstarted) {
    start(next, free_stack());
  } else {
    now_ = &next;
    next.turn = Turn::running;
    next.view.enter();
  }
  Fiber::go(from, next.stack->fiber);
}

void BlockRunner::start(Thread& thread, Stack& stack) {
  thread.stack = &stack;
  thread.turn = Turn::running;
  now_ = &thread;
  thread.view.enter();
}

/// The first after the present one, around the block.
BlockRunner::Thread* BlockRunner::next_runnable() {
  const std::size_t count = threads_.size();
  std::size_t i = now_->index;
  for (std::size_t tried = 0; tried < count; ++tried) {
    i = i + 1 == count ? 0 : i + 1;
    if (threads_[i].turn == Turn::unstarted || threads_[i].turn == Turn::ready) return &threads_[i];
  }
  return nullptr;
}

BlockRunner::Stack& BlockRunner::free_stack() {
  if (free_stacks_.empty()) {
    stacks_.push_back(std::make_unique<Stack>(this));
    return *stacks_.back();
  }
  Stack* stack = free_stacks_.back();
  free_stacks_.pop_back();
  return *stack;
}

/// Ends the block from one of its threads, which remains suspended.
void BlockRunner::fail(std::string what) {
  RaceView::release(&end_tag_);
  worker_view_.enter();
  failure_ = where() + ": " + what;
  std::string().swap(what);  // released here: no destructor runs after the switch
  Fiber::go(now_->stack->fiber, worker_);
  __builtin_unreachable();
}

std::string BlockRunner::who_waits() const {
  std::string text;
  int listed = 0;
  for (const Thread& thread : threads_) {
    if (thread.turn != Turn::waiting || ++listed > 8) continue;
    text += (listed > 1 ? "; " : "") + words(thread.place.thread) + " waits in " + name_of(thread.meeting);
    if (thread.meeting != Meeting::barrier) text += ", mask " + hexadecimal(thread.mask);
  }
  return text + (listed > 8 ? "; ..." : "");
}

}  // namespace kalaba::emulated
