#include "scenario/document/document.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "scenario/document/toml_text.hpp"
#include "text/nearest.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

constexpr std::uintmax_t largest_file = 16 << 20;  // bytes
constexpr const char* deep_key = "a key of more than 16 words";

[[noreturn]] void cannot_read(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file_error, path + ": cannot read the scenario: " + why);
}

/// Reads a pipe or the standard input up to its end.
std::string read_stream(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path, std::strerror(errno));
  std::string text(largest_file + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) cannot_read(path, std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > largest_file)
    cannot_read(path, fmt::format("it has more than the {} bytes that are read", largest_file));
  return text;
}

std::string read_text(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (error) cannot_read(path, error.message());
  if (std::filesystem::is_directory(status)) cannot_read(path, "it is a directory");
  // A pipe of the shell has a writer. A named pipe may have none, and reading it could block forever.
  const bool is_of_shell = path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/");
  if (std::filesystem::is_fifo(status) && is_of_shell) return read_stream(path);
  if (!std::filesystem::is_regular_file(status)) cannot_read(path, "it is not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) cannot_read(path, error.message());
  if (size > largest_file) cannot_read(path, fmt::format("it has {} bytes; at most {} are read", size, largest_file));
  std::ifstream file(path, std::ios::binary);
  if (!file) cannot_read(path, std::strerror(errno));
  std::string text(size, '\0');
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (file.bad()) cannot_read(path, std::strerror(errno));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

constexpr std::string_view blank = " \t";

/// Returns true if the key is dot-separated words of letters, digits, _ and -.
bool is_plain_key(const std::string& key) {
  const auto plain = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-' || c == '.'; };
  const bool dots_apart = !key.starts_with('.') && !key.ends_with('.') && key.find("..") == std::string::npos;
  return !key.empty() && dots_apart && std::all_of(key.begin(), key.end(), plain) && !line_of_deep_key(key);
}

std::string line_of(const std::string& text, long number) {
  std::istringstream lines(text);
  std::string line;
  while (number-- > 0) {
    if (!std::getline(lines, line)) return "";
  }
  return line;
}

/// Parses "value" as TOML, or as text without quotes. A value that begins like a table, an array or a quoted text must
/// be valid TOML.
toml::table parse_override(const std::string& key, const std::string& value, const std::string& origin) {
  try {
    if (line_of_deep_key(value)) throw Error(ExitCode::bad_input, origin + ": " + deep_key);
    return toml::parse(key + " = " + value, origin);
  } catch (const toml::parse_error& error) {
    if (!value.empty() && std::strchr("{[\"'", value.front())) {
      throw Error(ExitCode::bad_input, fmt::format("{}: {}{}", origin, error.description(), bare_point_hint(value)));
    }
  }
  if (!is_utf8(value)) throw Error(ExitCode::bad_input, origin + ": expected text in UTF-8");
  return toml::parse(key + " = " + toml_string(value), origin);
}

/// Name of an override in messages; a long override is shortened.
std::string origin_of(const std::string& text) {
  constexpr std::size_t longest = 200;
  return "-s " + shortened(text, longest);
}

bool overlaps(const std::string& a, const std::string& b) {
  return a == b || a.starts_with(b + ".") || b.starts_with(a + ".");
}

}  // namespace

const GivenArrays& Document::arrays() const {
  static const GivenArrays none;
  return arrays_ == nullptr ? none : *arrays_;
}

bool is_utf8(const std::string& text) {
  try {
    return toml::parse("text = " + toml_string(text)).contains("text");
  } catch (const toml::parse_error&) {
    return false;
  }
}

Document Document::read_file(const std::string& path) {
  if (path == "-") return of_text(read_stream("/dev/stdin"), "standard input");
  const std::string text = read_text(path);
  if (text.starts_with("\x89HDF") || text.starts_with("CDF")) {
    throw Error(ExitCode::bad_input, path + ": expected a scenario or a model (TOML), found the output of a run: " +
                                         "kalaba info, plot and report read it, run SCENARIO --resume continues it");
  }
  return of_text(text, path);
}

Document Document::of_text(const std::string& text, const std::string& path) {
  if (const auto line = line_of_deep_key(text)) {
    throw Error(ExitCode::bad_input, fmt::format("{}:{}: {}", path, *line, deep_key));
  }
  Document document;
  document.name_ = path;
  try {
    document.root_ = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    const toml::source_position& at = error.source().begin;
    throw Error(ExitCode::bad_input, fmt::format("{}:{}:{}: {}{}", path, at.line, at.column, error.description(),
                                                 bare_point_hint(line_of(text, static_cast<long>(at.line)))));
  }
  return document;
}

Document Document::of_system(const std::string& name) {
  Document document;
  document.name_ = name;
  document.root_.insert("system", name);
  return document;
}

void Document::apply(const std::vector<std::string>& overrides) {
  for (const std::string& text : overrides) apply_one(text);
}

void Document::apply_one(const std::string& text) {
  const std::string origin = origin_of(text);
  const auto equals = text.find('=');
  const std::string key(trimmed(std::string_view(text).substr(0, equals), blank));
  const bool one_line = text.find('\n') == std::string::npos && text.find('\r') == std::string::npos;
  if (equals == std::string::npos || !is_plain_key(key) || !one_line) {
    throw Error(ExitCode::bad_input, origin + ": expected key=value, such as time.end=3");
  }
  for (const std::string& earlier : overridden_) {
    if (overlaps(key, earlier)) throw Error(ExitCode::bad_input, origin + ": another -s already sets " + earlier);
  }
  overridden_.push_back(key);
  origins_.push_back(origin);
  lay_over(key, parse_override(key, std::string(trimmed(std::string_view(text).substr(equals + 1), blank)), origin));
}

void Document::lay_over(const std::string& key, toml::table&& written) {
  toml::table* from = &written;
  toml::table* to = &root_;
  std::string path;
  std::istringstream words(key);
  for (std::string word; std::getline(words, word, '.');) {
    path += (path.empty() ? "" : ".") + word;
    toml::node* source = from->get(word);
    toml::node* target = to->get(word);
    if (path == key) {
      const bool other_system = key == "system" && target && target->is_string() && source->is_string() &&
                                target->as_string()->get() != source->as_string()->get();
      if (other_system) Node(*source, key).fail("the scenario is of system " + Node(*target, key).found());
      to->insert_or_assign(word, std::move(*source));
      return;
    }
    if (!target) target = &to->insert(word, toml::table()).first->second;
    if (!target->is_table()) Node(*source, key).fail(path + " is " + Node(*target, path).found() + ", not a table");
    from = source->as_table();
    to = target->as_table();
  }
}

std::optional<Node> Document::find(const std::string& key) {
  known_.insert(key);
  return written(key);
}

std::optional<Node> Document::written(const std::string& key) const {
  const toml::node* node = &root_;
  std::string path;
  std::istringstream words(key);
  for (std::string word; std::getline(words, word, '.');) {
    if (!node->is_table()) Node(*node, path).expected("a table");
    path += (path.empty() ? "" : ".") + word;
    node = node->as_table()->get(word);
    if (!node) return std::nullopt;
  }
  return Node(*node, key);
}

std::tuple<std::size_t, long, long> Document::order_of(const Node& node) const {
  const auto [line, column] = node.line_and_column();
  if (!node.is_override()) return {0, line, column};
  const auto found = std::ranges::find(origins_, node.place());
  return {1 + static_cast<std::size_t>(found - origins_.begin()), line, column};
}

void Document::refuse_unknown_keys() const {
  for (const Node& entry : Node(root_, "").entries()) {
    if (known_.contains(entry.key())) continue;
    const auto below = known_.lower_bound(entry.key() + ".");
    if (below == known_.end() || !below->starts_with(entry.key() + ".")) refuse(entry);
    for (const Node& child : entry.entries()) {
      if (!known_.contains(child.key())) refuse(child);
    }
  }
}

void Document::refuse(const Node& unknown) const {
  const std::string table = unknown.key().substr(0, unknown.key().size() - toml_key(unknown.name()).size());
  std::set<std::string> words;
  for (const std::string& key : known_) {
    if (key.starts_with(table)) words.insert(key.substr(table.size(), key.find('.', table.size()) - table.size()));
  }
  std::string meant = nearest_word(unknown.name(), {words.begin(), words.end()});
  if (!meant.empty()) meant = table + meant;
  for (const std::string& key : known_) {
    if (meant.empty() && key.ends_with("." + unknown.name())) meant = key;
  }
  unknown.fail(
      (unknown.is_table() ? "unknown table" : "unknown key") +
      (meant.empty() ? fmt::format(" (there are {})", fmt::join(words, ", ")) : "; did you mean " + meant + "?"));
}

void Document::fail_missing(const std::string& key, const std::string& message) const {
  for (const Node& entry : Node(root_, "").entries()) {
    if (!nearest_word(entry.key(), {key}).empty()) entry.fail("unknown key" + suggestion(entry.key(), {key}));
  }
  throw Error(ExitCode::bad_input, name_ + ": " + key + " is missing; " + message);
}

}  // namespace kalaba
