#pragma once

#include <string>

namespace kalaba {

/// Returns who holds a lock, as HDF5 sets it on its open files, that keeps this file from being opened for reading
/// (`for_writing`: for writing): "another program (python3, process 1234)"; "" where nobody does.
std::string file_holder(const std::string& path, bool for_writing);

}  // namespace kalaba
