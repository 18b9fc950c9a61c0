#include "scenario/document/text_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

#include "kalaba/option_table.hpp"

namespace kalaba {
namespace {

using Keys = std::vector<std::pair<std::string, std::string>>;  // in the order of the text

/// Returns true for a key whose value does not change the bits of a run.
bool is_free(std::string_view key) {
  const auto found = std::ranges::find(option_table(), key, &RunOption::key);
  return key == "output.file" || (found != option_table().end() && found->keeps_bits);
}

/// Keys of a scenario that effective_text wrote, which has one key per line.
Keys keys_of(const std::string& scenario) {
  Keys keys;
  std::istringstream lines(scenario);
  std::string table;
  std::map<std::string, int> tables;  // number of tables read so far in each array of tables
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[[")) {
      const std::string name = line.substr(2, line.find(']') - 2);
      table = fmt::format("{}[{}].", name, tables[name]++);
    } else if (line.starts_with('[')) {
      table = line.substr(1, line.find(']') - 1) + ".";
    }
    const auto equals = line.find(" = ");
    if (line.starts_with('[') || equals == std::string::npos) continue;
    std::string key = table + line.substr(0, equals);
    if (!is_free(key)) keys.emplace_back(std::move(key), line.substr(equals + 3));
  }
  return keys;
}

const std::string* value_of(const Keys& keys, const std::string& key) {
  const auto found = std::ranges::find(keys, key, &Keys::value_type::first);
  return found == keys.end() ? nullptr : &found->second;
}

std::string shown(const std::string* value) {
  constexpr std::size_t longest = 80;
  if (value == nullptr) return "not given";
  return value->size() <= longest ? *value : value->substr(0, longest) + "...";
}

}  // namespace

std::string text_difference(const std::string& before, const std::string& now) {
  const Keys old_keys = keys_of(before);
  const Keys new_keys = keys_of(now);
  for (const auto& [key, value] : old_keys) {
    const std::string* other = value_of(new_keys, key);
    if (other == nullptr || *other != value)
      return fmt::format("{} was {}, is now {}", key, shown(&value), shown(other));
  }
  for (const auto& [key, value] : new_keys) {
    if (value_of(old_keys, key) == nullptr) return fmt::format("{} was not given, is now {}", key, shown(&value));
  }
  return "";
}

}  // namespace kalaba
