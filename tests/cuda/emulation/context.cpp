#include "context.hpp"

#include <algorithm>
#include <cstdio>

#include "environment.hpp"

namespace kalaba::emulated {

void Context::finish() {
  for (const auto& stream : streams.all()) stream->finish();
}

void Context::clear() {
  finish();
  const std::size_t left = memory.allocations();
  const std::size_t streams_left = streams.all().size();
  const std::size_t events_left = events.all().size();
  const std::size_t modules_left = modules.all().size();
  const std::size_t graphs_left = graphs.all().size() + executable_graphs.all().size();
  if (left + streams_left + events_left + modules_left + graphs_left > 0) {
    std::fprintf(stderr,
                 "emulated CUDA: a context ends with %zu allocations (%zu bytes), %zu streams, %zu events, %zu modules "
                 "and %zu graphs left in it\n",
                 left, memory.used(), streams_left, events_left, modules_left, graphs_left);
  }
  graphs.clear();
  executable_graphs.clear();
  events.clear();
  streams.clear();
  functions.clear();
  modules.clear();
  memory.free_all();
  fault = CUDA_SUCCESS;
}

bool Context::fails(const std::string& kernel) {
  if (kernel != "kalaba_advance" && kernel != "kalaba_swarm_advance") return false;
  const std::lock_guard lock(mutex_);
  if (counted_fault_ != emulated::fault()) launches_ = 0;
  counted_fault_ = emulated::fault();
  return counted_fault_ == "launch:" + std::to_string(++launches_);
}

Driver& driver() {
  static Driver& only = *new Driver;
  return only;
}

int device_count() {
  return static_cast<int>(std::clamp(number_setting("KALABA_EMULATED_DEVICES", 1), 0L, long{Driver::most_devices}));
}

std::size_t device_memory() {
  return static_cast<std::size_t>(number_setting("KALABA_EMULATED_MEMORY", long{1} << 30));
}

Context*& current_context() {
  static thread_local Context* current = nullptr;
  return current;
}

std::string describe_address(const void* address) {
  for (const Context& context : driver().contexts) {
    if (std::string text = context.memory.describe(address); !text.empty()) return text;
  }
  return {};
}

}  // namespace kalaba::emulated
