#include "output/run_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "kalaba/error.hpp"
#include "output/durable/pending_file.hpp"
#include "output/outputs.hpp"

namespace kalaba {
namespace {

constexpr int share_of_time = 100;                         // upper bound of their time: one part in so many
constexpr std::chrono::seconds least_block_checkpoint(5);  // minimum interval within a block

void remove_checkpoint(const std::string& path) {
  std::error_code ignored;
  for (const char* ending : {"", ".new"}) std::filesystem::remove(checkpoint_path(path) + ending, ignored);
}

}  // namespace

RunFiles::RunFiles(std::unique_ptr<RunLock> lock, const std::string& path, const Provenance& provenance,
                   const Options& options, std::optional<Checkpoint> resumed)
    : lock_(std::move(lock)),
      path_(path),
      sinks_(open_outputs(path, resumed ? resumed->provenance : provenance, options)),
      resumes_(resumed.has_value()) {
  checkpoint_.provenance = provenance;
  if (resumed) checkpoint_ = std::move(*resumed);
  if (!has_progress()) return;
  for (const auto& sink : sinks_) sink->keep();
}

RunFiles::~RunFiles() {
  if (!finished_ && !has_progress()) remove_checkpoint(path_);
}

void RunFiles::leave_existing() {
  for (const auto& sink : sinks_) sink->leave_existing();
}

bool RunFiles::is_intact() const {
  try {
    if (!read_checkpoint(path_)) return false;
    return std::ranges::all_of(sinks_, [](const auto& sink) { return sink->is_intact(); });
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> RunFiles::published_paths() const {
  std::vector<std::string> paths;
  for (const auto& sink : sinks_) paths.push_back(sink->published_path());
  return paths;
}

void RunFiles::begin(const RunInfo& run) {
  if (resumes_) {
    if (run.options.backend != checkpoint_.backend || run.interpreted != checkpoint_.interpreted) {
      throw Error(ExitCode::no_backend,
                  fmt::format("{}: the run was begun on the backend {}, expected to go on there, found {}", path_,
                              backend_text(checkpoint_.backend, checkpoint_.interpreted), run.backend()));
    }
    for (std::size_t i = 0; i < sinks_.size(); ++i) sinks_[i]->resume(run, checkpoint_.states[i]);
    saved_ = Clock::now();
    begun_ = true;
    return;
  }
  for (const auto& sink : sinks_) sink->begin(run);
  begun_ = true;
  checkpoint_.backend = run.options.backend;
  checkpoint_.interpreted = run.interpreted;
  Summary none;
  none.members = run.members;
  save(none);
}

void RunFiles::begin_block(const Block& block) {
  for (const auto& sink : sinks_) sink->begin_block(block);
}

void RunFiles::begin_motion(const Block& block) {
  for (const auto& sink : sinks_) sink->begin_motion(block);
}

void RunFiles::write(const Frame& frame) {
  for (const auto& sink : sinks_) sink->write(frame);
}

const StatisticsPlan* RunFiles::reduced_plan() const {
  const StatisticsPlan* plan = nullptr;
  for (const auto& sink : sinks_) {
    const auto* const reduced = dynamic_cast<const ReducedSink*>(sink.get());
    plan = reduced == nullptr ? nullptr : reduced->reduced_plan();
    if (plan == nullptr) return nullptr;
  }
  return plan;
}

void RunFiles::write_reduced(ReducedFrame frame) {
  for (const auto& sink : sinks_) dynamic_cast<ReducedSink&>(*sink).write_reduced(frame);
}

void RunFiles::end_block(const Block& block) {
  for (const auto& sink : sinks_) sink->end_block(block);
}

void RunFiles::block_finished(const Summary& so_far) {
  const bool is_last = so_far.finished_members == so_far.members;  // made durable by finish
  if (!is_last && Clock::now() - saved_ >= share_of_time * cost_) save(so_far);
}

bool RunFiles::keeps_block_checkpoints() const {
  for (const auto& sink : sinks_) {
    if (!sink->saves_block_checkpoints()) return false;
  }
  return true;
}

bool RunFiles::is_block_checkpoint_due() const {
  return Clock::now() - saved_ >= std::max<Clock::duration>(least_block_checkpoint, share_of_time * cost_);
}

void RunFiles::save(const Summary& so_far, std::optional<BlockCheckpoint> block_checkpoint) {
  const auto begin = Clock::now();
  Checkpoint next = {checkpoint_.provenance,     checkpoint_.backend, checkpoint_.interpreted, so_far, {},
                     std::move(block_checkpoint)};
  for (const auto& sink : sinks_) next.states.push_back(sink->save());
  write_checkpoint(path_, next);
  checkpoint_ = std::move(next);
  if (has_progress()) {
    for (const auto& sink : sinks_) sink->keep();
    cost_ = Clock::now() - begin;
  }
  saved_ = Clock::now();
}

void RunFiles::finish(const Summary& summary) {
  // The file that names the run is published last: if it exists, all files are complete.
  for (auto sink = sinks_.rbegin(); sink != sinks_.rend(); ++sink) (*sink)->finish(summary);
  finished_ = true;
  if (!summary.interrupted || !has_progress()) remove_checkpoint(path_);
}

void remove_without_progress(const std::string& path, const Options& options) {
  try {
    const std::optional<Checkpoint> checkpoint = read_checkpoint(path);
    if (checkpoint && checkpoint->has_progress()) return;
  } catch (const Error&) {
    return;
  }
  remove_checkpoint(path);
  std::error_code ignored;
  for (const std::string& each : output_paths(path, options)) {
    for (const char* ending : {"", ".frames", ".lock"}) std::filesystem::remove(partial_path(each) + ending, ignored);
  }
}

}  // namespace kalaba
