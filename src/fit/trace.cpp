#include "fit/trace.hpp"

#include "fit/members.hpp"
#include "fit/normal_sums.hpp"

namespace kalaba::fit {
namespace {

class TraceSink final : public Sink {
 public:
  TraceSink(const Problem& problem, Trace& trace)
      : trace_(trace),
        variables_(problem.free.size()),
        observed_(observed_columns(problem.system.info, problem.data.columns)) {
    trace_.values.resize(observed_.size());
    trace_.derivatives.assign(observed_.size(), std::vector<std::vector<double>>(variables_));
  }

  void begin(const RunInfo& run) override { trace_.times = run.times; }
  void write(const Frame& frame) override {
    const auto stride = static_cast<std::size_t>(frame.block.stride);
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const Observed& at = observed_[i];
      trace_.values[i].push_back(frame.values(at.field)[at.row() * stride]);
      for (std::size_t j = 0; j < variables_; ++j) {
        trace_.derivatives[i][j].push_back(frame.values(at.sensitivity)[at.row(j) * stride]);
      }
    }
  }
  void end_block(const Block& block) override { trace_.status = block.status.front(); }
  void finish(const Summary&) override {}

 private:
  Trace& trace_;
  std::size_t variables_;
  std::vector<Observed> observed_;
};

}  // namespace

Trace trace(const Problem& problem, const std::vector<double>& values, const std::vector<double>& times) {
  FitMembers members(problem.system, *problem.source, problem.free);
  members.set({values});
  Options options = problem.options;
  options.save_at = times;
  Trace result;
  TraceSink sink(problem, result);
  Sink* const sinks[] = {&sink};
  run(problem.system, members, options, sinks);
  return result;
}

}  // namespace kalaba::fit
