#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "output/outputs.hpp"
#include "output_data/fake_run.hpp"

namespace kalaba {

/// Writes a fake run with the status of its members in the summary: all tables of a CSV output, or a netCDF file.
inline void write_outputs(const FakeRun& run, const std::string& path) {
  Provenance provenance = {"system = \"cart\"\n", 18446744073709551615ULL, "1.2.3", "abcdef"};
  provenance.varied_starts = {"b", "spin"};
  for (const auto& sink : open_outputs(path, provenance, run.info().options)) {
    Summary summary = run.feed(*sink);
    --summary.by_status[static_cast<std::size_t>(Status::ok)];  // FakeRun::feed_block
    ++summary.by_status[static_cast<std::size_t>(Status::non_finite)];
    for (const Event& event : run.events) summary.events.emplace_back().name = event.name;
    sink->finish(summary);
  }
}

/// Removes the checksums in a folder: tables are then read without verification.
inline void remove_checksums(const std::string& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".checksum") std::filesystem::remove(entry.path());
  }
}

}  // namespace kalaba
