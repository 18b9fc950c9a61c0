#include "scenario/shard.hpp"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "kalaba/core/moments.hpp"
#include "kalaba/error.hpp"

namespace kalaba {
namespace {

constexpr long most_shards = 1'000'000;

std::optional<long> whole_number(std::string_view text) {
  long number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  if (slash != std::string::npos) {
    const std::optional<long> number = whole_number(std::string_view(text).substr(0, slash));
    const std::optional<long> count = whole_number(std::string_view(text).substr(slash + 1));
    if (number && count && *number >= 1 && *number <= *count && *count <= most_shards) return {*number, *count};
  }
  throw Error(ExitCode::bad_input,
              fmt::format("--shard: expected i/N with i from 1 to N and N at most {}, such as 2/4, found '{}'",
                          most_shards, text));
}

RunPart part_of(const Shard& shard, const Scenario& scenario) {
  const long unit = scenario.options.statistics.any() ? leaf_members : 1;
  const long units = (scenario.members + unit - 1) / unit;
  if (units < shard.count) {
    throw Error(
        ExitCode::bad_input,
        fmt::format("--shard: expected at most {} shard{} of {} members{}, found {}", units, units == 1 ? "" : "s",
                    scenario.members, unit > 1 ? fmt::format(" (statistics are merged in whole {} members)", unit) : "",
                    shard.count));
  }
  const auto begin_of = [&](long number) {
    return std::min((number - 1) * (units / shard.count) + (number - 1) * (units % shard.count) / shard.count, units) *
           unit;
  };
  const long first = begin_of(shard.number);
  const long end = std::min(begin_of(shard.number + 1), scenario.members);
  return {first, end - first, {}};
}

std::string shard_path(const std::string& path, const Shard& shard) {
  const std::filesystem::path whole(path);
  const std::string infix = fmt::format(".{}-of-{}", shard.number, shard.count);
  if (whole.stem().string().ends_with(infix)) return path;
  return (whole.parent_path() / (whole.stem().string() + infix + whole.extension().string())).string();
}

}  // namespace kalaba
