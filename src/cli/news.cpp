#include "cli/news.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "backend/cache/kept_file.hpp"

namespace kalaba {

namespace fs = std::filesystem;

bool is_news(const std::string& note) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return true;
  const fs::path place = folder / "last_note";
  std::ifstream file(place, std::ios::binary);
  if (file && std::string(std::istreambuf_iterator<char>(file), {}) == note) return false;
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  std::ofstream(place, std::ios::binary) << note;  // where it cannot be kept, it is told again
  return true;
}

}  // namespace kalaba
