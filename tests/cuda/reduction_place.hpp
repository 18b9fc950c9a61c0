#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace kalaba::test {

// Place of execution of the reduce_batch linked to a test: reduction_on_host.cpp or reduction_on_device.cpp.

/// Reason why it cannot run here; empty if it can.
std::string reduction_problem();

/// Memory accessible to it, initialized with these bytes; uninitialized if `from` is null.
std::shared_ptr<void> reduction_memory(const void* from, std::size_t bytes);

}  // namespace kalaba::test
