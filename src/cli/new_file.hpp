#pragma once

#include <string>

namespace kalaba {

/// Writes a text to a new file. Throws Error (file_error) if the file exists or cannot be written completely.
void write_new_file(const std::string& path, const std::string& text);

}  // namespace kalaba
