#include <algorithm>

#include "kalaba/ensemble.hpp"

namespace kalaba {

/// Keeps every frame of a run in a Result.
class ResultSink final : public Sink {
 public:
  explicit ResultSink(Result& result) : result_(result) {}

  void begin(const RunInfo& run) override {
    fields_.clear();
    for (const Field field : all_fields) {
      if (!run.options.fields.has(field)) continue;
      fields_.push_back(field);
      const FieldLayout layout = field_layout(*run.system, field);
      const std::size_t copies = layout.agents > 0 ? static_cast<std::size_t>(layout.agents) : 1;
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
  }

  void write(const Frame& frame) override {
    const auto first = static_cast<std::size_t>(frame.block.first);
    const auto count = static_cast<std::size_t>(frame.block.members);
    const auto stride = static_cast<std::size_t>(frame.block.stride);
    std::size_t column = static_cast<std::size_t>(frame.index) * result_.rows_;
    for (const Field field : fields_) {
      const auto values = frame.values(field);
      for (std::size_t row = 0; row + stride <= values.size(); row += stride, ++column) {
        std::copy_n(values.data() + row, count, result_.values_.data() + column * result_.members_ + first);
      }
    }
  }

  void end_block(const Block& block) override {
    std::copy_n(block.status.begin(), block.members, result_.status_.begin() + block.first);
    std::copy_n(block.failure_time.begin(), block.members, result_.failure_time_.begin() + block.first);
  }

  void finish(const Summary& summary) override { result_.summary = summary; }

 private:
  Result& result_;
  std::vector<Field> fields_;
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
                "the result has " + std::to_string(times_.size()) + " saved times, asked for " + std::to_string(frame));
  }
  return {values_.data() + (frame * rows_ + found->begin) * members_, found->copies * members_};
}

Result run(const Ensemble& ensemble, const Options& options) {
  Result result;
  ResultSink sink(result);
  Sink* const sinks[] = {&sink};
  run(ensemble.system(), ensemble, options, sinks);
  return result;
}

}  // namespace kalaba
