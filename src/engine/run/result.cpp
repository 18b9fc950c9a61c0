#include <algorithm>

#include "kalaba/ensemble.hpp"

namespace kalaba {

/// Keeps every frame of a run in a Result.
class ResultSink final : public Sink {
 public:
  explicit ResultSink(Result& result) : result_(result) {}

  void begin(const RunInfo& run) override {
    layouts_ = saved_layouts(*run.system, run.options.fields);
    for (const FieldLayout& layout : layouts_) {
      const std::size_t copies = layout.copies();
      for (const auto& name : layout.components) {
        result_.columns_.push_back({name, copies, result_.rows_});
        result_.rows_ += copies;
      }
    }
    result_.times_ = run.times;
    result_.members_ = static_cast<std::size_t>(run.members);
    result_.values_.resize(run.times.size() * result_.rows_ * result_.members_);
    result_.status_.resize(result_.members_);
    result_.failure_time_.resize(result_.members_);
    for (const Event& event : run.options.events) result_.event_names_.push_back(event.name);
    for (const auto* variables : {&run.system->coordinates, &run.system->rates}) {
      for (const Variable& each : *variables) result_.state_names_.push_back(each.name);
    }
    result_.event_rows_ = {static_cast<int>(run.system->coordinates.size()), static_cast<int>(run.system->rates.size()),
                           static_cast<int>(run.system->sensitivities.size())};
    for (const Variable& each : run.system->sensitivities) result_.column_names_.push_back(each.name);
    result_.events_.resize(static_cast<std::size_t>(result_.event_rows_.rows(run.options.watch.count)) *
                           result_.members_);
  }

  void write(const Frame& frame) override {
    const auto first = static_cast<std::size_t>(frame.block.first);
    std::size_t column = static_cast<std::size_t>(frame.index) * result_.rows_;
    for (const FieldLayout& layout : layouts_) {
      for (std::size_t i = 0; i < layout.size(); ++i, ++column) {
        std::ranges::copy(number_row(frame, layout, i),
                          result_.values_.begin() + static_cast<long>(column * result_.members_ + first));
      }
    }
  }

  void end_block(const Block& block) override {
    std::copy_n(block.status.begin(), block.members, result_.status_.begin() + block.first);
    std::copy_n(block.failure_time.begin(), block.members, result_.failure_time_.begin() + block.first);
    for (std::size_t row = 0; row * result_.members_ < result_.events_.size(); ++row) {
      std::copy_n(block.events.begin() + static_cast<long>(row) * block.stride, block.members,
                  result_.events_.begin() + static_cast<long>(row * result_.members_) + block.first);
    }
  }

  void finish(const Summary& summary) override { result_.summary = summary; }

 private:
  Result& result_;
  std::vector<FieldLayout> layouts_;
};

std::span<const double> Result::values(std::string_view column, std::size_t frame) const {
  const auto found = std::ranges::find(columns_, column, &ResultColumn::name);
  if (found == columns_.end()) {
    std::string message = "the result has no column '" + std::string(column) + "'; it has";
    for (const auto& each : columns_) message += ' ' + each.name;
    throw Error(ExitCode::bad_input, message);
  }
  if (frame >= times_.size()) {
    throw Error(ExitCode::bad_input,
                "the result has " + std::to_string(times_.size()) + " saved times, requested " + std::to_string(frame));
  }
  return {values_.data() + (frame * rows_ + found->begin) * members_, found->copies * members_};
}

int Result::event_index(std::string_view event) const {
  const auto found = std::ranges::find(event_names_, event);
  if (found != event_names_.end()) return static_cast<int>(found - event_names_.begin());
  std::string message = "the result has no event '" + std::string(event) + "'; it has";
  for (const std::string& each : event_names_) message += ' ' + each;
  throw Error(ExitCode::bad_input, message);
}

std::span<const double> Result::event_row(int row) const {
  return {events_.data() + static_cast<std::size_t>(row) * members_, members_};
}

std::span<const double> Result::event_count(std::string_view event) const {
  return event_row(event_rows_.count(event_index(event)));
}

std::span<const double> Result::event_time(std::string_view event) const {
  return event_row(event_rows_.first(event_index(event)));
}

std::span<const double> Result::event_last_time(std::string_view event) const {
  return event_row(event_rows_.last(event_index(event)));
}

int Result::state_index(std::string_view column) const {
  const auto found = std::ranges::find(state_names_, column);
  if (found != state_names_.end()) return static_cast<int>(found - state_names_.begin());
  std::string message = "an event has no state '" + std::string(column) + "'; it has";
  for (const std::string& each : state_names_) message += ' ' + each;
  throw Error(ExitCode::bad_input, message);
}

std::span<const double> Result::event_state(std::string_view event, std::string_view column) const {
  return event_row(event_rows_.q(event_index(event)) + state_index(column));
}

int Result::column_index(std::string_view along) const {
  const auto found = std::ranges::find(column_names_, along);
  if (found != column_names_.end()) return static_cast<int>(found - column_names_.begin());
  std::string message = "the result has no sensitivities along '" + std::string(along) + "'; it has";
  for (const std::string& each : column_names_) message += ' ' + each;
  throw Error(ExitCode::bad_input, message);
}

std::span<const double> Result::event_time_sensitivity(std::string_view event, std::string_view along) const {
  return event_row(event_rows_.time_slopes(event_index(event)) + column_index(along));
}

std::span<const double> Result::event_state_sensitivity(std::string_view event, std::string_view column,
                                                        std::string_view along) const {
  const EventRows& rows = event_rows_;
  const int number = state_index(column);
  const int of = column_index(along);
  const int rate = number - rows.coordinates;
  if (rate >= 0) return event_row(rows.w_slopes(event_index(event)) + of * rows.rates + rate);
  return event_row(rows.q_slopes(event_index(event)) + of * rows.coordinates + number);
}

Result run(const Ensemble& ensemble, const Options& options) {
  Result result;
  ResultSink sink(result);
  Sink* const sinks[] = {&sink};
  run(ensemble.system(), ensemble, options, sinks);
  return result;
}

}  // namespace kalaba
