#include "scenario/shard.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "kalaba/core/base/moments.hpp"
#include "kalaba/error.hpp"
#include "text/parse.hpp"

namespace kalaba {
namespace {

/// Reads "2-of-4.nc" or "2-of-4.partial.nc", the suffix of an output's name, as shard 2/4; no value for another text.
std::optional<Shard> shard_of_suffix(const std::string& suffix) {
  const std::string infix = suffix.substr(0, suffix.find('.'));
  const auto middle = infix.find("-of-");
  if (middle == std::string::npos) return std::nullopt;
  const auto number = parse_number<long>(std::string_view(infix).substr(0, middle));
  const auto count = parse_number<long>(std::string_view(infix).substr(middle + 4));
  return number && count ? std::optional<Shard>({*number, *count}) : std::nullopt;
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  if (slash != std::string::npos) {
    const std::optional<long> number = parse_number<long>(std::string_view(text).substr(0, slash));
    const std::optional<long> count = parse_number<long>(std::string_view(text).substr(slash + 1));
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

std::string other_division(const std::string& path, const Shard& shard) {
  const std::filesystem::path of_shard(shard_path(path, shard));
  const std::string stem = of_shard.stem().string();
  const std::string base = stem.substr(0, stem.rfind('.') + 1);  // "sweep."
  const std::filesystem::path folder = of_shard.parent_path().empty() ? "." : of_shard.parent_path();
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(base) || entry.path().extension() != of_shard.extension()) continue;
    const auto found = shard_of_suffix(name.substr(base.size()));
    if (found && found->count != shard.count) return (of_shard.parent_path() / name).string();
  }
  return "";
}

}  // namespace kalaba
