#include "cli/news.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

#include "backend/cache/kept_file.hpp"

namespace kalaba {

bool is_news(const std::string& note) {
  constexpr const char* key = "note";
  const std::string folder = cache_folder();
  if (folder.empty()) return true;
  const std::string place = std::filesystem::path(folder) / "last_note";
  const std::optional<std::vector<char>> last = read_kept_file(place, key);
  if (last && std::string_view(last->data(), last->size()) == note) return false;
  write_kept_file(place, key, {note.begin(), note.end()});  // if this fails, the note is printed again
  return true;
}

}  // namespace kalaba
