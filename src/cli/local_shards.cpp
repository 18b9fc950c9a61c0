#include "cli/local_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "cli/processes.hpp"
#include "kalaba/backend/parallel.hpp"
#include "output/durable/pending_file.hpp"
#include "output/netcdf/netcdf_file.hpp"
#include "scenario/document/toml_text.hpp"
#include "scenario/shard.hpp"

namespace kalaba {
namespace {

namespace fs = std::filesystem;

/// The files of all shards.
std::vector<std::string> shard_files(const std::string& output, long shards) {
  std::vector<std::string> files;
  for (long i = 1; i <= shards; ++i) files.push_back(shard_path(output, {i, shards}));
  return files;
}

/// Returns the most severe of several codes: errors, then an interruption, then failed members.
ExitCode worst(const std::vector<ExitCode>& codes) {
  const auto weight = [](ExitCode code) {
    if (code == ExitCode::ok) return 0;
    if (code == ExitCode::members_failed) return 1;
    return code == ExitCode::interrupted ? 2 : 3;
  };
  return *std::ranges::max_element(codes, {}, weight);
}

}  // namespace

std::string merged_output(RunWords words, long shards) {
  words.shard = fmt::format("1/{}", shards);
  words.dry_run = true;
  const std::string shard = prepare_run(words).scenario.output_file;
  if (fs::path(shard).extension() != ".nc") {
    throw Error(ExitCode::bad_input, "expected an output that ends in .nc, which kalaba merge joins, found " + shard);
  }
  check_netcdf_name(shard);
  const std::string infix = fmt::format(".1-of-{}.nc", shards);
  return shard.substr(0, shard.size() - infix.size()) + ".nc";
}

int threads_of_each(long processes) {
  return static_cast<int>(std::max(1L, thread_count(0) / std::max(1L, processes)));
}

LocalShards run_local_shards(const RunWords& words, long shards,
                             const std::function<ExitCode(const RunWords&)>& run_shard) {
  RunWords checked = words;
  checked.resumed.clear();
  if (!words.resumed.empty()) checked.overrides.push_back("output.file=" + toml_string(final_path(words.resumed)));
  const std::string output = merged_output(checked, shards);
  const std::vector<ExitCode> codes = run_in_processes(shards, [&](long i) {
    RunWords part = words;
    part.shard = fmt::format("{}/{}", i, shards);
    return run_shard(part);
  });
  LocalShards result = {worst(codes), {}};
  const std::vector<std::string> files = shard_files(output, shards);
  if (result.code != ExitCode::ok && result.code != ExitCode::members_failed) {
    std::fputs(
        fmt::format("kalaba: not every shard has ended; the same command with --resume {} continues the run\n", output)
            .c_str(),
        stderr);
    return result;
  }
  result.merged = merge_run(files, output, words.restarts);
  std::error_code ignored;
  for (const std::string& each : files) fs::remove(each, ignored);
  return result;
}

}  // namespace kalaba
