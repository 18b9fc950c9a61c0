#include "output/netcdf/dataset_numbers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "kalaba/state.hpp"
#include "output/base/layout.hpp"
#include "output/netcdf/netcdf_outcome.hpp"

namespace kalaba {
namespace {

std::size_t agents_of(const FieldLayout& layout) { return layout.copies(); }

}  // namespace

DatasetNumbers::DatasetNumbers(const RunInfo& run)
    : trajectories_(run.options.trajectories),
      is_part_(run.ensemble_members > 0),
      first_(run.first_member),
      members_(static_cast<std::size_t>(run.members)),
      times_(run.times.size()) {
  if (run.options.statistics.any()) statistics_.emplace().begin(run);
}

void DatasetNumbers::attach(DatasetWriter& file, const NetcdfVariables& variables) {
  file_ = &file;
  variables_ = &variables;
}

std::string DatasetNumbers::state() const {
  StateWriter state;
  state.put(next_member_);
  state.put(next_frame_);
  state.put(in_block_);
  if (statistics_) state.put(statistics_->state());
  return std::move(state).bytes();
}

void DatasetNumbers::restore(const std::string& state) {
  StateReader reader(state);
  next_member_ = reader.get<std::size_t>();
  next_frame_ = reader.get<std::size_t>();
  in_block_ = reader.get<bool>();
  if (statistics_) statistics_->absorb(reader.get_text());
}

void DatasetNumbers::begin_block(const Block& block) {
  if (statistics_) statistics_->begin_block(block);
  if (!in_block_) put_starts(block, false);  // else written before the interruption
  in_block_ = true;
}

void DatasetNumbers::write(const Frame& frame) {
  if (statistics_) statistics_->write(frame);
  next_frame_ = static_cast<std::size_t>(frame.index) + 1;
  for_rows([&](std::size_t field, std::size_t component) {
    const FieldLayout& layout = variables_->layouts[field];
    const double* row = number_row(frame, layout, component * agents_of(layout)).data();
    put(field, component, next_frame_ - 1, place_of(frame.block), static_cast<std::size_t>(frame.block.members), row);
  });
}

const StatisticsPlan* DatasetNumbers::reduced_plan() const {
  return statistics_ && !trajectories_ ? statistics_->reduced_plan() : nullptr;
}

void DatasetNumbers::end_block(const Block& block) {
  const std::size_t first = place_of(block);
  const auto members = static_cast<std::size_t>(block.members);
  if (trajectories_) put_trajectories(block, first, members);
  put_parameters(block, first, members);
  put_events(block, first);
  if (trajectories_) put_status(block, first, members);
  next_member_ = first + members;
  in_block_ = false;
}

void DatasetNumbers::finish(const Summary& summary) {
  mark_unreached_members();
  if (statistics_) {
    if (is_part_) file_->put_bytes("statistics_state", statistics_->state());
    statistics_->finish(summary);
    write_statistics(*file_, variables_->statistics, statistics_->result());
  }
  write_outcome(*file_, summary);
}

/// Writes a block's results other than frames and events.
void DatasetNumbers::put_trajectories(const Block& block, std::size_t first, std::size_t members) {
  for (; next_frame_ < times_; ++next_frame_) put_nan(next_frame_, first, members);
  next_frame_ = 0;
  const NetcdfVariables& variables = *variables_;
  DatasetWriter& file = *file_;
  file.put(variables.failure_time, {first}, {members}, block.failure_time.data());
  for (const NetcdfVariables::Counter& counter : variables.counters) {
    file.put(counter.id, {first}, {members}, (block.*counter.values).data());
  }
}

void DatasetNumbers::put_parameters(const Block& block, std::size_t first, std::size_t members) {
  const NetcdfVariables& variables = *variables_;
  for (std::size_t i = 0; i < variables.parameters.size(); ++i) {
    file_->put(variables.parameters[i], {first}, {members},
               block.parameters.data() + i * static_cast<std::size_t>(block.stride));
  }
  if (variables.repetition < 0) return;
  std::vector<double> repetitions;
  for (long member = 0; member < block.members; ++member) {
    repetitions.push_back(static_cast<double>((block.first + member) / variables.grid_points));
  }
  file_->put(variables.repetition, {first}, {members}, repetitions.data());
}

/// Written last, after all other numbers of a block.
void DatasetNumbers::put_status(const Block& block, std::size_t first, std::size_t members) {
  file_->flush();
  std::vector<int> status;
  for (std::size_t i = 0; i < members; ++i) status.push_back(static_cast<int>(block.status[i]));
  file_->put(variables_->status, {first}, {members}, status.data());
}

void DatasetNumbers::mark_interrupted(std::size_t first, std::size_t end) {
  const std::vector<int> interrupted(at_once, static_cast<int>(Status::interrupted));
  for (; first < end; first += at_once) {
    file_->put(variables_->status, {first}, {std::min(at_once, end - first)}, interrupted.data());
  }
}

void DatasetNumbers::put_starts(const Block& block, bool projected) {
  for (const NetcdfVariables::Start& start : variables_->starts) {
    if (start.is_projected != projected) continue;
    const std::vector<double>& values = start.is_rate ? block.w : block.q;
    file_->put(start.id, {place_of(block)}, {static_cast<std::size_t>(block.members)},
               values.data() + start.index * static_cast<std::size_t>(block.stride));
  }
}

/// `row`: [member], or [agent][member] for a field of a swarm: the members of its block are not padded.
void DatasetNumbers::put(std::size_t field, std::size_t component, std::size_t time, std::size_t first,
                         std::size_t members, const double* row) {
  const NetcdfVariables& variables = *variables_;
  const FieldLayout& layout = variables.layouts[field];
  std::vector<std::size_t> start = {time};
  std::vector<std::size_t> count = {1};
  for (const std::size_t place : kalaba::place_of(layout, component)) {
    start.push_back(place);
    count.push_back(1);
  }
  if (layout.agents > 0) {
    start.push_back(0);
    count.push_back(agents_of(layout));
  }
  start.push_back(first);
  count.push_back(members);
  file_->put(variables.fields[field], start, count, row);
}

void DatasetNumbers::put_events(const Block& block, std::size_t first) {
  const EventRows rows = block.event_rows();
  const auto members = static_cast<std::size_t>(block.members);
  for (int event = 0; event < block.event_count; ++event) {
    const auto at = static_cast<std::size_t>(event);
    const auto row = [&](int index) { return block.events.data() + index * block.stride; };
    const std::vector<int>& variables = variables_->events;
    DatasetWriter& file = *file_;
    const int numbers[] = {rows.count(event), rows.first(event), rows.last(event)};
    for (std::size_t i = 0; i < 3; ++i) file.put(variables[i], {at, first}, {1, members}, row(numbers[i]));
    const auto put_state = [&](int variable, int from, int count) {
      for (int i = 0; i < count; ++i) {
        file.put(variable, {at, static_cast<std::size_t>(i), first}, {1, 1, members}, row(from + i));
      }
    };
    put_state(variables[3], rows.q(event), rows.coordinates);
    put_state(variables[4], rows.w(event), rows.rates);
    if (rows.columns == 0) continue;
    put_state(variables[5], rows.time_slopes(event), rows.columns);
    const auto put_slopes = [&](int variable, int from, int count) {
      for (int i = 0; i < rows.columns * count; ++i) {
        const auto column = static_cast<std::size_t>(i / count);
        const auto component = static_cast<std::size_t>(i % count);
        file.put(variable, {at, column, component, first}, {1, 1, 1, members}, row(from + i));
      }
    };
    put_slopes(variables[6], rows.q_slopes(event), rows.coordinates);
    put_slopes(variables[7], rows.w_slopes(event), rows.rates);
  }
}

void DatasetNumbers::put_nan(std::size_t time, std::size_t first, std::size_t members) {
  for_rows([&](std::size_t field, std::size_t component) {
    const std::size_t agents = agents_of(variables_->layouts[field]);
    const std::size_t most = std::clamp<std::size_t>(at_once / agents, 1, members);
    const std::vector<double> nans(agents * most, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t done = 0; done < members; done += most) {
      put(field, component, time, first + done, std::min(most, members - done), nans.data());
    }
  });
}

/// Writes a value for these members in every row of a variable whose last dimension is the members.
void DatasetNumbers::put_in_rows(int variable, std::size_t first, std::size_t count,
                                 const std::vector<double>& values) {
  const std::vector<std::size_t> shape = file_->shape(variable);
  std::size_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  std::vector<std::size_t> start(shape.size());
  std::vector<std::size_t> size(shape.size(), 1);
  start.back() = first;
  size.back() = count;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t i = shape.size() - 1, rest = row; i-- > 0; rest /= shape[i]) start[i] = rest % shape[i];
    file_->put(variable, start, size, values.data());
  }
}

/// Sets the numbers of members that the run did not reach to NaN, and their counts to 0.
void DatasetNumbers::mark_unreached_members() {
  for (std::size_t time = 0; time < times_ && next_member_ < members_; ++time) {
    put_nan(time, next_member_, members_ - next_member_);
  }
  const NetcdfVariables& variables = *variables_;
  if (trajectories_) mark_interrupted(next_member_, members_);
  const std::vector<double> nans(at_once, std::numeric_limits<double>::quiet_NaN());
  const std::vector<double> zeros(at_once, 0.0);
  std::vector<int> numbers = variables.parameters;
  if (variables.failure_time >= 0) numbers.push_back(variables.failure_time);
  for (const auto& start : variables.starts) numbers.push_back(start.id);
  if (!variables.events.empty()) numbers.insert(numbers.end(), variables.events.begin() + 1, variables.events.end());
  while (next_member_ < members_) {
    const std::size_t count = std::min(at_once, members_ - next_member_);
    for (const int variable : numbers) put_in_rows(variable, next_member_, count, nans);
    for (const int variable : variables.counts()) put_in_rows(variable, next_member_, count, zeros);
    next_member_ += count;
  }
}

}  // namespace kalaba
