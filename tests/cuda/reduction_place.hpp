#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace kalaba::test {

// Place of execution of the reduce_batch linked to a test: reduction_on_host.cpp or reduction_on_device.cpp.

/// Why it cannot work here; empty where it can.
std::string reduction_problem();

/// Memory for it, with these bytes in it; not initialised where `from` is null.
std::shared_ptr<void> reduction_memory(const void* from, std::size_t bytes);

}  // namespace kalaba::test
