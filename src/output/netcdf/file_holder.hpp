#pragma once

#include <string>

namespace kalaba {

/// Returns the holder of a lock, as HDF5 sets on its open files, that prevents reading (`for_writing`: writing) this
/// file: "another program (python3, process 1234)"; "" if there is none.
std::string file_holder(const std::string& path, bool for_writing);

}  // namespace kalaba
