#include "rewrite.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <vector>

namespace kalaba::emulated {

namespace {

struct KernelName {
  std::string name;
  std::string bound;  ///< of its __launch_bounds__, an expression
};

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// Position of `word` as a separate word at or after `from`.
std::size_t find_word(const std::string& text, const std::string& word, std::size_t from) {
  for (auto at = text.find(word, from); at != std::string::npos; at = text.find(word, at + 1)) {
    const bool starts = at == 0 || !in_word(text[at - 1]);
    const bool ends = at + word.size() >= text.size() || !in_word(text[at + word.size()]);
    if (starts && ends) return at;
  }
  return std::string::npos;
}

/// Blanks out a range but keeps its lines, so that the compiler's messages name the right ones.
void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (auto i = begin; i < end && i < text.size(); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

std::size_t closing_parenthesis(const std::string& text, std::size_t open) {
  int depth = 0;
  for (auto i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth == 0) return i;
  }
  return text.size();
}

/// The first of the arguments between two parentheses.
std::string first_argument(const std::string& text, std::size_t open, std::size_t close) {
  int depth = 0;
  for (auto i = open + 1; i < close; ++i) {
    if (text[i] == '(' || text[i] == '{') ++depth;
    if (text[i] == ')' || text[i] == '}') --depth;
    if (text[i] == ',' && depth == 0) return text.substr(open + 1, i - open - 1);
  }
  return text.substr(open + 1, close - open - 1);
}

/// Blanks __launch_bounds__(...) between two places; returns the bound.
std::string take_launch_bounds(std::string& text, std::size_t begin, std::size_t end) {
  const auto at = find_word(text, "__launch_bounds__", begin);
  if (at >= end) return {};
  const auto open = text.find('(', at);
  const auto close = closing_parenthesis(text, open);
  std::string bound = first_argument(text, open, close);
  blank(text, at, close + 1);
  return bound;
}

bool follows_extern_c(const std::string& text, std::size_t at) {
  static const std::regex ending(R"re(extern\s*"C"\s*$)re");
  const auto begin = at < 64 ? 0 : at - 64;
  const std::string before = text.substr(begin, at - begin);
  return std::regex_search(before, ending);
}

/// Takes every __global__ out; returns the kernels that have C linkage, the only ones found by name.
std::vector<KernelName> take_kernels(std::string& text) {
  const std::string word = "__global__";
  std::vector<KernelName> kernels;
  for (auto at = find_word(text, word, 0); at != std::string::npos; at = find_word(text, word, at)) {
    blank(text, at, at + word.size());
    const auto body = text.find_first_of("{;", at);
    const std::string bound = take_launch_bounds(text, at, body);
    auto end = text.find('(', at);
    if (end == std::string::npos || !follows_extern_c(text, at)) continue;
    while (end > at && !in_word(text[end - 1])) --end;
    auto begin = end;
    while (begin > at && in_word(text[begin - 1])) --begin;
    const std::string name = text.substr(begin, end - begin);
    const bool known = std::any_of(kernels.begin(), kernels.end(), [&](const auto& k) { return k.name == name; });
    if (!known) kernels.push_back({name, bound});
  }
  return kernels;
}

/// `extern __shared__ T name[];` becomes a pointer.
void place_shared_memory(std::string& text) {
  static const std::regex dynamic(
      R"(extern\s+__shared__\s+((?:__attribute__\s*\(\([^;]*\)\)\s*|alignas\s*\([^)]*\)\s*)*)([\w:]+(?:\s+[\w:]+)*?)\s+(\w+)\s*\[\s*\]\s*;)");
  const std::string pointer = "$2* const $3 = static_cast<$2*>(kalaba_emulated_services->shared_memory());";
  if (find_word(text, "__shared__", 0) == std::string::npos) return;
  text = std::regex_replace(text, dynamic, pointer);
  const std::string word = "__shared__";
  for (auto at = find_word(text, word, 0); at != std::string::npos; at = find_word(text, word, at)) {
    text.replace(at, word.size(), "thread_local");
  }
}

}  // namespace

std::string rewrite(std::string text) {
  const auto kernels = take_kernels(text);
  place_shared_memory(text);
  text += "\n# 1 \"emulated_launchers\"\n";
  for (const auto& kernel : kernels) {
    text += "extern \"C\" const kalaba_emulated::Kernel kalaba_emulated_kernel_" + kernel.name +
            " = kalaba_emulated::Launcher<&" + kernel.name + ">::kernel(" +
            (kernel.bound.empty() ? "0" : kernel.bound) + ");\n";
  }
  return text;
}

}  // namespace kalaba::emulated
