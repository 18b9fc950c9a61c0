#pragma once

#include <string>

namespace kalaba {

/// Writes a text into a new file. Throws Error (file_error) where the file exists or cannot be written whole.
void write_new_file(const std::string& path, const std::string& text);

}  // namespace kalaba
