#include "text/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace kalaba {
namespace {

constexpr std::size_t longest_word = 256;     // longer ones resemble nothing, and the table below grows as the square
constexpr std::size_t shortest_fragment = 4;  // of a word that counts as contained in another

std::string lower(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Insertions, deletions, substitutions and swaps of neighbours that lead from a to b.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

bool contains(const std::string& whole, const std::string& part) {
  return part.size() >= shortest_fragment && whole.find(part) != std::string::npos;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > longest_word) return "";
  std::string requested = lower(word);
  if (requested == "gpu" && std::ranges::count(candidates, "cuda") > 0) requested = "cuda";  // a synonym
  std::string nearest;
  std::size_t least = longest_word;
  for (const std::string& candidate : candidates) {
    if (candidate.empty() || candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(requested, lower(candidate));
    const std::size_t allowed = (std::max(word.size(), candidate.size()) + 1) / 3;
    if (distance > allowed || distance >= least) continue;
    least = distance;
    nearest = candidate;
  }
  if (!nearest.empty()) return nearest;
  const auto kin = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& candidate) {
    return contains(lower(candidate), requested) || contains(requested, lower(candidate));
  });
  return kin == candidates.end() ? "" : *kin;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string nearest = nearest_word(word, candidates);
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

}  // namespace kalaba
