#include "output/netcdf/finished.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/base/checkpoint.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/run_lock.hpp"
#include "output/netcdf/growing_netcdf.hpp"

namespace kalaba {
namespace {

/// Attribute that finish writes last.
constexpr const char* last_attribute = "interrupted";

/// Reads the checkpoint of the output, if there is a valid one.
std::optional<Checkpoint> checkpoint_of(const std::string& whole) {
  try {
    return read_checkpoint(whole);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void require_structures(const PlainFile& file) {
  const std::string whole = final_path(file.path());
  const std::optional<Checkpoint> checkpoint = checkpoint_of(whole);
  if (!checkpoint || checkpoint->states.empty()) return;
  const std::string state = StateReader(checkpoint->states.front()).get_text();
  if (GrowingNetcdf::has_metadata(file.descriptor(), file.path(), file.size(), state)) return;
  const std::string writer = RunLock::holder_of(whole);
  throw Error(ExitCode::file_error,
              writer.empty()
                  ? fmt::format("{}: is unfinished: its run was killed while it wrote its end, or the file is damaged; "
                                "kalaba run --resume {} continues it",
                                file.path(), whole)
                  : fmt::format("{}: is unfinished: {} is writing it", file.path(), writer));
}

std::string unfinished_reason(const NetcdfFile& file, const std::string& path) {
  const auto text = [&](const char* name) { return file.attribute(NC_GLOBAL, name); };
  const bool is_ours = !text("system").empty() && file.has_dimension("member") && file.has_dimension("time");
  if (!is_ours || !text(last_attribute).empty()) return "";
  const std::string whole = final_path(path);
  if (const std::string writer = RunLock::holder_of(whole); whole != path && !writer.empty()) {
    return fmt::format("is unfinished: {} is writing it", writer);
  }
  const std::string killed = "is unfinished: its run was killed";
  if (whole == path) return killed + ", and some of its numbers are missing; run it again";
  const std::optional<Checkpoint> checkpoint = checkpoint_of(whole);
  if (!checkpoint || !checkpoint->has_progress()) return killed + " before it had made progress";
  return fmt::format("{} ({} of {} members are done); kalaba run --resume {} continues it", killed,
                     checkpoint->summary.finished_members, checkpoint->summary.members, whole);
}

std::string unfinished_table_reason(const std::string& path) {
  const std::string whole = final_path(path);
  if (whole == path) return "";
  const std::string writer = RunLock::holder_of(whole);
  if (!writer.empty()) return fmt::format("is unfinished: {} is writing it", writer);
  return fmt::format("is unfinished: its run was interrupted or killed; kalaba run --resume {} continues it", whole);
}

void require_finished(const NetcdfFile& file, const std::string& path) {
  const std::string reason = unfinished_reason(file, path);
  if (!reason.empty()) throw Error(ExitCode::file_error, fmt::format("{}: {}", path, reason));
}

}  // namespace kalaba
