#include "output/base/checkpoint.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "kalaba/error.hpp"
#include "kalaba/state.hpp"
#include "output/base/outcome_figures.hpp"
#include "output/durable/checksum.hpp"
#include "output/durable/pending_file.hpp"
#include "output/durable/plain_file.hpp"

namespace kalaba {
namespace {

constexpr std::string_view magic = "kalaba checkpoint 8\n";

template <class Type, class Value>
concept Is = std::same_as<std::remove_const_t<Type>, Value>;

// Fields of the checkpoint, in one list for writing and reading: the archive is called with the fields in their order.

void fields(auto& archive, Is<StartShift> auto& of) {
  archive(of.members, of.largest, of.variable, of.member, of.drawn, of.projected);
}

void fields(auto& archive, Is<Drift> auto& of) {
  archive(of.energy, of.first, of.member, of.drifted, of.relative, of.relative_member);
}

void fields(auto& archive, Is<InvariantDrift> auto& of) {
  archive(of.drifted, of.name, of.member, of.first, of.change, of.relative);
}

void fields(auto& archive, Is<LyapunovOutcome> auto& of) {
  archive(of.members, of.directions, of.least, of.greatest, of.grown_apart, of.outgrown_steps);
}

void fields(auto& archive, Is<EventOutcome> auto& of) {
  archive(of.name, of.action, of.members, of.crossings, of.earliest, of.latest, of.was_finite, of.gaining);
}

void fields(auto& archive, Is<Summary> auto& of) {
  archive(of.members, of.finished_members, of.compute_seconds, of.by_status);
  for (auto& each : of.first_failures) archive(each.member, each.reason);
  archive(of.notes.off_at_start, of.notes.drifting, of.notes.dependent);
  for (const OutcomeFigure& figure : outcome_figures) {
    std::visit([&](auto place) { archive(of.*place); }, figure.member);
  }
  archive(of.drift, of.passage_drift, of.invariants, of.starts, of.first_start_off, of.lyapunov, of.events);
}

void fields(auto& archive, Is<GridAxis> auto& of) { archive(of.name, of.points); }

void fields(auto& archive, Is<Provenance> auto& of) {
  archive(of.scenario, of.version, of.commit, of.compiler, of.machine, of.shard);
  archive(of.varied_starts, of.grid, of.saltelli, of.seed, of.inputs);
}

void fields(auto& archive, Is<BlockCheckpoint> auto& of) { archive(of.first, of.members, of.step, of.frame, of.state); }

void fields(auto& archive, Is<Checkpoint> auto& of) {
  archive(of.provenance, of.backend, of.interpreted, of.summary, of.states, of.block_checkpoint);
}

class Writing {
 public:
  template <class... Values>
  void operator()(const Values&... values) {
    (put(values), ...);
  }
  std::string bytes() && { return std::move(state_).bytes(); }

 private:
  template <class Value>
  void put(const Value& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      state_.put(value);
    }
  }
  template <class Value>
  void put(const std::vector<Value>& values) {
    state_.put(values.size());
    for (const Value& each : values) put(each);
  }
  template <class Value>
  void put(const std::optional<Value>& value) {
    state_.put(value.has_value());
    if (value) put(*value);
  }

  StateWriter state_;
};

class Reading {
 public:
  explicit Reading(std::string_view bytes) : state_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  void end() const { state_.require(state_.is_at_end(), "an end"); }

 private:
  template <class Value>
  void get(Value& value) {
    if constexpr (requires { fields(*this, value); }) {
      fields(*this, value);
    } else {
      value = state_.get<Value>();
    }
  }
  void get(std::string& text) { text = state_.get_text(); }
  template <class Value>
  void get(std::vector<Value>& values) {
    for (auto left = state_.get<std::size_t>(); left > 0; --left) get(values.emplace_back());
  }
  template <class Value>
  void get(std::optional<Value>& value) {
    if (state_.get<bool>()) get(value.emplace());
  }

  StateReader state_;
};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(ExitCode::file_error,
              fmt::format("{}: the checkpoint {} {}; --restart begins the run anew", path, checkpoint_path(path), why));
}

}  // namespace

std::string checkpoint_path(const std::string& path) { return partial_path(path) + ".checkpoint"; }

void write_checkpoint(const std::string& path, const Checkpoint& checkpoint) {
  Writing archive;
  archive(checkpoint);
  const std::string bytes = std::move(archive).bytes();
  const std::string place = checkpoint_path(path);
  PendingFile file(place, place + ".new");
  file.clear();
  StateWriter sum;
  sum.put(Checksum::of(bytes));
  file.write(magic);
  file.write(std::move(sum).bytes());
  file.write(bytes);
  file.publish();
}

std::optional<Checkpoint> read_checkpoint(const std::string& path) {
  const std::string place = checkpoint_path(path);
  std::error_code ignored;
  if (!std::filesystem::exists(place, ignored)) return std::nullopt;
  const MappedFile file(place);
  const std::string_view bytes = file.bytes();
  constexpr std::size_t head = magic.size() + sizeof(std::uint64_t);
  if (bytes.size() < head || !bytes.starts_with(magic)) refuse(path, "is not one of this version of Kalaba");
  std::uint64_t sum = 0;
  std::memcpy(&sum, bytes.data() + magic.size(), sizeof sum);
  const std::string_view rest = bytes.substr(head);
  if (sum != Checksum::of(rest)) refuse(path, "is damaged: its checksum is not that of its content");
  Checkpoint checkpoint;
  Reading archive(rest);
  archive(checkpoint);
  archive.end();
  return checkpoint;
}

}  // namespace kalaba
