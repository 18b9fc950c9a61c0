#include "output/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/pending_file.hpp"

namespace kalaba {
namespace {

constexpr std::string_view magic = "kalaba checkpoint 4\n";

/// FNV-1a over words of 8 bytes, the last filled up with zeros.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t sum = 14695981039346656037ULL ^ bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof sum) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    sum = (sum ^ word) * 1099511628211ULL;
    sum ^= sum >> 29;
  }
  return sum;
}

void put(StateWriter& state, const StartShift& shift) {
  state.put(shift.members);
  state.put(shift.largest);
  state.put(shift.variable);
  state.put(shift.member);
  state.put(shift.drawn);
  state.put(shift.projected);
}

StartShift get_shift(StateReader& state) {
  StartShift shift;
  shift.members = state.get<long>();
  shift.largest = state.get<double>();
  shift.variable = state.get_text();
  shift.member = state.get<long>();
  shift.drawn = state.get<double>();
  shift.projected = state.get<double>();
  return shift;
}

void put(StateWriter& state, const Summary& summary) {
  state.put(summary.members);
  state.put(summary.finished_members);
  state.put(summary.member_steps);
  state.put(summary.rejected_steps);
  state.put(summary.seconds);
  state.put(summary.compute_seconds);
  state.put(summary.by_status);
  state.put(summary.rank_changes);
  state.put(summary.singular_passages);
  state.put(summary.members_by_svd);
  state.put(summary.svd_stages);
  for (const Drift& drift : {summary.drift, summary.passage_drift}) {
    state.put(drift.energy);
    state.put(drift.first);
    state.put(drift.member);
  }
  state.put(summary.worst_violation);
  state.put(summary.worst_residual);
  state.put(summary.first_failed);
  state.put(summary.first_failure);
  put(state, summary.starts);
  state.put(summary.events.size());
  for (const EventOutcome& event : summary.events) {
    state.put(event.name);
    state.put(event.action);
    state.put(event.members);
    state.put(event.crossings);
    state.put(event.earliest);
    state.put(event.latest);
    state.put(event.was_finite);
  }
}

Summary get_summary(StateReader& state) {
  Summary summary;
  summary.members = state.get<long>();
  summary.finished_members = state.get<long>();
  summary.member_steps = state.get<double>();
  summary.rejected_steps = state.get<double>();
  summary.seconds = state.get<double>();
  summary.compute_seconds = state.get<double>();
  summary.by_status = state.get<std::array<long, status_count>>();
  summary.rank_changes = state.get<long>();
  summary.singular_passages = state.get<long>();
  summary.members_by_svd = state.get<long>();
  summary.svd_stages = state.get<double>();
  for (Drift* drift : {&summary.drift, &summary.passage_drift}) {
    drift->energy = state.get<double>();
    drift->first = state.get<double>();
    drift->member = state.get<long>();
  }
  summary.worst_violation = state.get<double>();
  summary.worst_residual = state.get<double>();
  summary.first_failed = state.get<long>();
  summary.first_failure = state.get_text();
  summary.starts = get_shift(state);
  for (auto events = state.get<std::size_t>(); events > 0; --events) {
    EventOutcome& event = summary.events.emplace_back();
    event.name = state.get_text();
    event.action = state.get<EventAction>();
    event.members = state.get<long>();
    event.crossings = state.get<double>();
    event.earliest = state.get<double>();
    event.latest = state.get<double>();
    event.was_finite = state.get<bool>();
  }
  return summary;
}

void put(StateWriter& state, const std::optional<BlockCheckpoint>& block_checkpoint) {
  state.put(block_checkpoint.has_value());
  if (!block_checkpoint) return;
  for (const long number :
       {block_checkpoint->first, block_checkpoint->members, block_checkpoint->step, block_checkpoint->frame})
    state.put(number);
  state.put(block_checkpoint->state);
}

std::optional<BlockCheckpoint> get_block_checkpoint(StateReader& state) {
  if (!state.get<bool>()) return std::nullopt;
  BlockCheckpoint block_checkpoint;
  for (long* number :
       {&block_checkpoint.first, &block_checkpoint.members, &block_checkpoint.step, &block_checkpoint.frame})
    *number = state.get<long>();
  block_checkpoint.state = state.get_text();
  return block_checkpoint;
}

std::string bytes_of(const Checkpoint& checkpoint) {
  StateWriter state;
  const Provenance& from = checkpoint.provenance;
  for (const std::string& text : {from.scenario, from.version, from.commit, from.compiler, from.machine, from.shard}) {
    state.put(text);
  }
  state.put(from.varied_starts.size());
  for (const std::string& name : from.varied_starts) state.put(name);
  state.put(from.grid.size());
  for (const GridAxis& axis : from.grid) {
    state.put(axis.name);
    state.put(axis.points);
  }
  state.put(from.seed);
  state.put(from.inputs);
  state.put(checkpoint.backend);
  put(state, checkpoint.summary);
  state.put(checkpoint.states.size());
  for (const std::string& each : checkpoint.states) state.put(each);
  put(state, checkpoint.block_checkpoint);
  return std::move(state).bytes();
}

Checkpoint checkpoint_of(std::string_view bytes) {
  StateReader state(bytes);
  Checkpoint checkpoint;
  Provenance& from = checkpoint.provenance;
  for (std::string* text : {&from.scenario, &from.version, &from.commit, &from.compiler, &from.machine, &from.shard}) {
    *text = state.get_text();
  }
  for (auto names = state.get<std::size_t>(); names > 0; --names) from.varied_starts.push_back(state.get_text());
  for (auto axes = state.get<std::size_t>(); axes > 0; --axes) {
    GridAxis& axis = from.grid.emplace_back();
    axis.name = state.get_text();
    axis.points = state.get<long>();
  }
  from.seed = state.get<std::uint64_t>();
  from.inputs = state.get<std::uint64_t>();
  checkpoint.backend = state.get<Backend>();
  checkpoint.summary = get_summary(state);
  for (auto states = state.get<std::size_t>(); states > 0; --states) checkpoint.states.push_back(state.get_text());
  checkpoint.block_checkpoint = get_block_checkpoint(state);
  state.require(state.is_at_end(), "an end");
  return checkpoint;
}

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file_error,
              fmt::format("{}: the checkpoint {} {}; --restart begins the run anew", path, checkpoint_path(path), why));
}

}  // namespace

std::string checkpoint_path(const std::string& path) { return partial_path(path) + ".checkpoint"; }

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  const std::string bytes = bytes_of(checkpoint);
  const std::string place = checkpoint_path(path);
  PendingFile file(place, place + ".new");
  file.clear();
  StateWriter sum;
  sum.put(checksum(bytes));
  file.write(magic);
  file.write(std::move(sum).bytes());
  file.write(bytes);
  file.publish();
}

std::optional<Checkpoint> read_checkpoint(const std::string& path) {
  const std::string place = checkpoint_path(path);
  std::error_code ignored;
  if (!std::filesystem::exists(place, ignored)) return std::nullopt;
  std::ifstream file(place, std::ios::binary);
  if (!file) refuse(path, fmt::format("cannot be read ({})", std::strerror(errno)));
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  constexpr std::size_t head = magic.size() + sizeof(std::uint64_t);
  if (bytes.size() < head || !bytes.starts_with(magic)) refuse(path, "is not one of this version of Kalaba");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + magic.size(), sizeof sum);
  const std::string_view rest = std::string_view(bytes).substr(head);
  if (sum != checksum(rest)) refuse(path, "is damaged: its checksum is not that of its content");
  return checkpoint_of(rest);
}

}  // namespace kalaba
