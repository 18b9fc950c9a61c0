#include "swarm/swarm_runner.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "kalaba/backend/parallel.hpp"
#include "kalaba/error.hpp"
#include "swarm/swarm_checks.hpp"
#include "swarm/swarm_motion.hpp"
#include "swarm/swarm_observation.hpp"

namespace kalaba::swarm {
namespace {

template <int D>
class SwarmRunner final : public Runner {
 public:
  SwarmRunner(std::shared_ptr<const PairKernel<D>> kernel, const SystemInfo& info,
              std::vector<AgentConstraint> constraints, const Options& options)
      : kernel_(std::move(kernel)),
        agents_(info.agents),
        rules_{kernel_.get(),          ParameterPlaces(static_cast<int>(info.parameters.size()) - 6),
               options.method,         options.pair_sum,
               options.pair_tolerance, std::move(constraints)},
        observer_(agents_, rules_.places),
        threads_(thread_count(options.threads)) {
    check_memory(agents_, D);
    std::vector<double> law;
    for (const Variable& parameter : info.parameters) law.push_back(parameter.value);
    check_pair_sum(*kernel_, law.data() + rules_.places.law, options.pair_sum, options.pair_tolerance);
  }

  void start(Block& block, double time, bool project) override {
    block.backend_state.assign(static_cast<std::size_t>(block.stride), undefined);  // time at which a member settled
    for (long member = 0; member < block.members; ++member) check(block, member);
    each_member(block, [&](SwarmMotion<D>& motion, long member) {
      if (!(project ? motion.project(time) : motion.evaluate(time))) fail(block, member, time, motion);
      store(motion, block, member);
    });
  }

  bool advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    each_member(block, [&](SwarmMotion<D>& motion, long member) {
      if (block.status[member] != Status::ok) return;
      for (long step = first_step; step < first_step + steps; ++step) {
        const bool evaluated = motion.evaluate(time.at(step));
        if (evaluated) note_settled(block, member, motion.beta_norm(), time.at(step));
        if (!evaluated || !motion.step(time.at(step), time.dt, true)) {
          fail(block, member, time.at(step), motion);
          break;
        }
      }
      store(motion, block, member);
    });
    return true;
  }

  void observe(const Block& block, double time, FieldSet fields, Observation& out) override {
    observe_moved(block, time, fields, out, [](SwarmMotion<D>&) { return true; });
  }

  /// Observes after one shorter step, with the accuracy of the other steps.
  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override {
    const double from = time.at(step);
    observe_moved(block, t, fields, out,
                  [from, t](SwarmMotion<D>& motion) { return motion.step(from, t - from, false); });
  }

  std::string first_failure() const override { return failed_member_ < 0 ? "" : failure_; }

 private:
  /// Observes members after `move`; members that it cannot move have no values, and are not ok at this time.
  template <class Move>
  void observe_moved(const Block& block, double time, FieldSet fields, Observation& out, const Move& move) {
    observer_.begin(block, time, fields, out);
    const int threads = block.members >= threads_ ? 1 : threads_;
    each_member(block, [&](SwarmMotion<D>& motion, long member) {
      if (block.status[member] == Status::ok && !move(motion)) {
        out.status[member] = motion.status();
        return;
      }
      SwarmInstant<D> seen{.agents = motion.cloud()};
      seen.evaluated = motion.evaluate(time);
      if (seen.evaluated) {
        for (int d = 0; d < D; ++d) {
          seen.beta[d] = motion.beta()[d];
          seen.acceleration[d] = motion.acceleration()[d];
        }
        seen.beta_norm = motion.beta_norm();
        seen.held_violation = motion.held_violation();
        seen.held_residual = motion.held_residual();
        seen.settled = block.backend_state[member];
      }
      observer_.put(seen, member, threads);
    });
  }

  double parameter(const Block& block, long member, int place) const {
    return block.parameters[place * block.stride + member];
  }
  long active(const Block& block, long member) const {
    return static_cast<long>(parameter(block, member, rules_.places.active));
  }

  void check(const Block& block, long member) const {
    check_active(parameter(block, member, rules_.places.active), agents_, block.first + member);
    std::vector<double> law;
    for (int i = rules_.places.law; i < rules_.places.kappa; ++i) law.push_back(parameter(block, member, i));
    check_cutoff(kernel_->cutoff(law.data()), block.first + member);
  }

  /// Calls work(motion, member) with every member's swarm loaded; uses all threads, over members or within one.
  template <class Work>
  void each_member(const Block& block, const Work& work) {
    const bool side_by_side = block.members >= threads_;
    parallel_for(block.members, 1, side_by_side ? threads_ : 1, [&](long begin, long end) {
      std::unique_ptr<SwarmMotion<D>> motion = take_motion();
      for (long member = begin; member < end; ++member) {
        load(block, member, *motion, side_by_side ? 1 : threads_);
        work(*motion, member);
      }
      give_motion(std::move(motion));
    });
  }
  std::unique_ptr<SwarmMotion<D>> take_motion() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<SwarmMotion<D>>(rules_);
    auto motion = std::move(idle_.back());
    idle_.pop_back();
    return motion;
  }
  void give_motion(std::unique_ptr<SwarmMotion<D>> motion) {
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(motion));
  }

  void load(const Block& block, long member, SwarmMotion<D>& motion, int threads) const {
    std::vector<double> parameters;
    for (int i = 0; i < block.parameter_count; ++i) parameters.push_back(parameter(block, member, i));
    const long count = active(block, member);
    motion.begin(std::move(parameters), count, threads);
    for (int d = 0; d < D; ++d) {
      const long row = d * agents_ * block.stride + member;
      for (long i = 0; i < count; ++i) {
        motion.x()[d][i] = block.q[row + i * block.stride];
        motion.w()[d][i] = block.w[row + i * block.stride];
      }
    }
  }

  /// Agents beyond the active ones have no state.
  void store(SwarmMotion<D>& motion, Block& block, long member) const {
    const long count = active(block, member);
    for (int d = 0; d < D; ++d) {
      const long row = d * agents_ * block.stride + member;
      for (long i = 0; i < agents_; ++i) {
        block.q[row + i * block.stride] = i < count ? motion.x()[d][i] : undefined;
        block.w[row + i * block.stride] = i < count ? motion.w()[d][i] : undefined;
      }
    }
  }

  void fail(Block& block, long member, double time, const SwarmMotion<D>& motion) {
    block.status[member] = motion.status();
    block.failure_time[member] = time;
    const std::lock_guard lock(mutex_);
    if (failed_member_ >= 0 && failed_member_ <= block.first + member) return;
    failed_member_ = block.first + member;
    failure_ = "member " + std::to_string(failed_member_) + ": " + motion.reason() +
               ", in the step from t = " + number_text(time) + " s";
  }

  void note_settled(Block& block, long member, double beta_norm, double time) const {
    if (std::isnan(block.backend_state[member]) && beta_norm < parameter(block, member, rules_.places.settled)) {
      block.backend_state[member] = time;
    }
  }

  std::shared_ptr<const PairKernel<D>> kernel_;
  long agents_;
  SwarmRules<D> rules_;
  SwarmObserver<D> observer_;
  int threads_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<SwarmMotion<D>>> idle_;
  long failed_member_ = -1;
  std::string failure_;
};

}  // namespace

template <int D>
std::unique_ptr<Runner> make_runner(std::shared_ptr<const PairKernel<D>> kernel, const SystemInfo& info,
                                    std::vector<AgentConstraint> constraints, const Options& options) {
  if (options.precision == Precision::single_precision) {
    throw Error(ExitCode::bad_input, "solver.precision: expected double for a swarm, found single");
  }
  return std::make_unique<SwarmRunner<D>>(std::move(kernel), info, std::move(constraints), options);
}

template std::unique_ptr<Runner> make_runner<2>(std::shared_ptr<const PairKernel<2>>, const SystemInfo&,
                                                std::vector<AgentConstraint>, const Options&);
template std::unique_ptr<Runner> make_runner<3>(std::shared_ptr<const PairKernel<3>>, const SystemInfo&,
                                                std::vector<AgentConstraint>, const Options&);

}  // namespace kalaba::swarm
