// Collective operations of the threads of a block: barriers, votes, shuffles.

#include <array>
#include <bit>
#include <cstdio>

#include "block.hpp"

namespace kalaba::emulated {

namespace {

constexpr unsigned long long nothing = ~0ULL;  // result of a shuffle from a lane that does not exist

}  // namespace

std::string BlockRunner::hexadecimal(unsigned mask) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "0x%x", mask);
  return text.data();
}

const Services& BlockRunner::services() {
  static constexpr Services all = {&place, &shared_memory, &synchronize_block, &synchronize_warp, &ballot, &shuffle};
  return all;
}

const Place* BlockRunner::place() { return &active_->now_->place; }

void* BlockRunner::shared_memory() {
  if (!active_->shared_) active_->fail("the kernel uses dynamic shared memory, the launch gives it none");
  return active_->shared_->data();
}

void BlockRunner::synchronize_block() { active_->meet(Meeting::barrier, 0); }

void BlockRunner::synchronize_warp(unsigned mask) { active_->meet(Meeting::warp_barrier, mask); }

unsigned BlockRunner::ballot(unsigned mask, bool vote) {
  Thread& self = *active_->now_;
  self.vote = vote;
  active_->meet(Meeting::vote, mask);
  return self.ballot;
}

unsigned long long BlockRunner::shuffle(unsigned mask, unsigned long long value, int source_lane) {
  Thread& self = *active_->now_;
  self.value = value;
  self.source_lane = source_lane;
  active_->meet(Meeting::shuffle, mask);
  return self.received;
}

const char* BlockRunner::name_of(Meeting meeting) {
  switch (meeting) {
    case Meeting::barrier:
      return "__syncthreads";
    case Meeting::warp_barrier:
      return "__syncwarp";
    case Meeting::vote:
      return "a vote";
    case Meeting::shuffle:
      return "a shuffle";
  }
  return "";
}

/// Returns when all members have come.
void BlockRunner::meet(Meeting meeting, unsigned mask) {
  Thread& self = *now_;
  RaceView::release(&end_tag_);  // it may never come back from here
  worker_view_.enter();
  self.meeting = meeting;
  self.mask = mask;
  const std::size_t lane = self.index - self.warp;
  if (meeting != Meeting::barrier && (mask >> lane & 1U) == 0) {
    fail(std::string("lane ") + std::to_string(lane) + " calls " + name_of(meeting) + " with mask " +
         hexadecimal(mask) + ", which leaves it out");
  }
  // Only barriers order memory: a vote or a shuffle does not make another lane's writes visible.
  char* tag = meeting == Meeting::barrier || meeting == Meeting::warp_barrier ? order_tag(self) : nullptr;
  if (tag != nullptr) {
    self.view.enter();
    RaceView::release(tag);
    worker_view_.enter();
  }
  self.turn = Turn::waiting;
  ++waiting_;
  settle_if_all_are_here(self);
  if (self.turn == Turn::ready) {  // the last to come goes on at once
    self.turn = Turn::running;
    self.view.enter();
  } else if (Thread* next = next_runnable()) {
    switch_to(self.stack->fiber, *next);
  } else {
    fail("no thread can go on: " + who_waits());
  }
  if (tag != nullptr) RaceView::acquire(tag);
}

/// Calls visit for every thread that is to come to the meeting of `one`; stops and returns false when visit does.
template <class Visit>
bool BlockRunner::for_members(const Thread& one, const Visit& visit) {
  if (one.meeting == Meeting::barrier) {
    for (Thread& thread : threads_) {
      if (thread.turn != Turn::finished && !visit(thread)) return false;
    }
    return true;
  }
  for (unsigned rest = one.mask; rest != 0; rest &= rest - 1) {
    const std::size_t i = one.warp + static_cast<unsigned>(std::countr_zero(rest));
    if (i >= threads_.size()) break;
    if (threads_[i].turn != Turn::finished && !visit(threads_[i])) return false;
  }
  return true;
}

bool BlockRunner::is_here(const Thread& thread, const Thread& one) {
  return thread.turn == Turn::waiting && thread.meeting == one.meeting && thread.mask == one.mask;
}

void BlockRunner::settle_if_all_are_here(Thread& one) {
  if (one.meeting == Meeting::barrier && waiting_ < unfinished_) return;
  if (for_members(one, [&](const Thread& thread) { return is_here(thread, one); })) settle(one);
}

void BlockRunner::settle(Thread& one) {
  unsigned ballot = 0;
  if (one.meeting == Meeting::vote) {
    for_members(one, [&](const Thread& thread) {
      if (thread.vote) ballot |= 1U << (thread.index - thread.warp);
      return true;
    });
  }
  if (one.meeting == Meeting::shuffle) {
    for_members(one, [&](Thread& thread) {
      const unsigned lane = static_cast<unsigned>(thread.source_lane) % kalaba_emulated::warp_size;
      const std::size_t i = one.warp + lane;
      const bool named = (one.mask >> lane & 1U) != 0 && i < threads_.size();
      thread.received = named && threads_[i].turn == Turn::waiting ? threads_[i].value : nothing;
      return true;
    });
  }
  ++meetings_of(one);
  for_members(one, [&](Thread& thread) {
    thread.ballot = ballot;
    thread.turn = Turn::ready;
    --waiting_;
    return true;
  });
}

/// A finished thread is not waited for any longer.
void BlockRunner::settle_without_finished() {
  if (waiting_ == 0) return;
  const std::size_t warp = now_->warp;
  for (std::size_t i = warp; i < threads_.size() && i < warp + kalaba_emulated::warp_size; ++i) {
    if (threads_[i].turn == Turn::waiting) settle_if_all_are_here(threads_[i]);
  }
  for (Thread& thread : threads_) {
    if (thread.turn == Turn::waiting && thread.meeting == Meeting::barrier) return settle_if_all_are_here(thread);
  }
}

BlockRunner::Thread& BlockRunner::lowest_member(const Thread& one) {
  return threads_[one.warp + static_cast<unsigned>(std::countr_zero(one.mask))];
}

/// How often the members of the meeting that a thread comes to have met.
unsigned& BlockRunner::meetings_of(const Thread& one) {
  return one.meeting == Meeting::barrier ? barriers_ : lowest_member(one).meetings;
}

/// Two by turns: who is already in the next meeting must not seem ordered before who has yet to leave this one.
char* BlockRunner::order_tag(const Thread& one) {
  char* tags = one.meeting == Meeting::barrier ? barrier_tags_ : lowest_member(one).tags;
  return &tags[meetings_of(one) % 2];
}

}  // namespace kalaba::emulated
