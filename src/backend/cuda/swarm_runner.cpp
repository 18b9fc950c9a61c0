#include "backend/cuda/swarm_runner.hpp"

#include <cmath>
#include <limits>

#include "backend/cuda/swarms_on_device.hpp"
#include "backend/device_runner.hpp"
#include "kalaba/backend/parallel.hpp"
#include "swarm/swarm_checks.hpp"
#include "swarm/swarm_observation.hpp"

namespace kalaba::cuda {
namespace {

using swarm::number_text;
using swarm::undefined;

Status status_of(const SwarmRecord& record) { return static_cast<Status>(static_cast<int>(record.status)); }

template <int D>
class SwarmCudaRunner final : public DeviceRunner {
 public:
  SwarmCudaRunner(const System& system, const Options& options)
      : info_(system.info),
        places_(static_cast<int>(info_.parameters.size()) - 6),
        observer_(info_.agents, places_),
        threads_(thread_count(options.threads)),
        shares_(info_.name) {
    for (const int ordinal : device_ordinals(options.devices)) {
      shares_.add(std::make_unique<SwarmsOnDevice>(system, options, held_device(ordinal)));
    }
  }

  /// "cuda: NVIDIA H200, a block a swarm"
  std::string text() const {
    return shares_.text() + (shares_.first().a_block_each() ? ", a block a swarm" : ", many blocks a swarm");
  }

  long reserve(long members) override { return shares_.reserve(members); }

  void start(Block& block, double time, bool project) override {
    for (long member = 0; member < block.members; ++member) check_member(block, member);
    shares_.deal(block, [&](SwarmsOnDevice& swarms, long begin, long members) {
      swarms.upload(block, begin, members);
      swarms.start(time, project);
    });
  }

  bool advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    shares_.visit(block, [&](SwarmsOnDevice& swarms) { swarms.advance(time, first_step, steps); });
    return true;
  }

  void observe(const Block& block, double time, FieldSet fields, Observation& out) override {
    observer_.begin(block, time, fields, out);
    shares_.visit(block, [&](SwarmsOnDevice& swarms) {
      const auto observed = swarms.look();
      put(block, swarms, observed, observed.records, out);
    });
  }

  /// Observes after one shorter step, with the accuracy of the other steps.
  void observe_between(const Block& block, const TimeGrid& time, long step, double t, FieldSet fields,
                       Observation& out) override {
    observer_.begin(block, t, fields, out);
    shares_.visit(block, [&](SwarmsOnDevice& swarms) {
      const auto before = swarms.state();
      swarms.advance({.start = time.at(step), .end = t, .dt = t - time.at(step)}, 0, 1);
      put(block, swarms, swarms.look(), before.records, out);
      swarms.restore(before);
    });
  }

  void synchronize(Block& block) override {
    block.backend_state.assign(static_cast<std::size_t>(block.stride), undefined);  // time at which a member settled
    shares_.visit(block, [&](SwarmsOnDevice& swarms) {
      const auto state = swarms.state();
      for (long i = 0; i < swarms.members(); ++i) take_back(block, swarms.begin() + i, state, i);
    });
  }

  double timed_advance(Block& block, const TimeGrid& time, long first_step, long steps) override {
    return shares_.timed_advance(block, time, first_step, steps);
  }
  void finish(Block& block) override {
    shares_.visit(block, [](SwarmsOnDevice& share) { share.finish(); });
  }

  std::string first_failure() const override { return failed_member_ < 0 ? "" : failure_; }

 private:
  long active(const Block& block, long member) const {
    return static_cast<long>(block.parameters[places_.active * block.stride + member]);
  }
  void check_member(const Block& block, long member) const {
    swarm::check_active(block.parameters[places_.active * block.stride + member], info_.agents, block.first + member);
    for (std::size_t i = 0; i < info_.parameters.size(); ++i) {
      if (info_.parameters[i].name != "cutoff") continue;
      swarm::check_cutoff(block.parameters[static_cast<long>(i) * block.stride + member], block.first + member);
    }
  }

  /// Stores observed members of a share. `before`: their states before, if they were moved for the observation. Members
  /// that could not be moved have no values.
  void put(const Block& block, const SwarmsOnDevice& swarms, const SwarmsOnDevice::Copy& observed,
           const std::vector<SwarmRecord>& before, Observation& out) {
    const int threads = swarms.members() >= threads_ ? 1 : threads_;
    parallel_for(swarms.members(), 1, threads == 1 ? threads_ : 1, [&](long begin, long end) {
      for (long i = begin; i < end; ++i) {
        const auto index = static_cast<std::size_t>(i);
        const long member = swarms.begin() + i;
        out.status[static_cast<std::size_t>(member)] = status_of(before[index]);
        if (status_of(observed.records[index]) != status_of(before[index])) continue;
        observer_.put(instant(observed, i, active(block, member), before[index].settled), member, threads);
      }
    });
  }
  static swarm::SwarmInstant<D> instant(const SwarmsOnDevice::Copy& observed, long i, long count, double settled) {
    const SwarmRecord& record = observed.records[static_cast<std::size_t>(i)];
    swarm::SwarmInstant<D> one;
    one.agents.size = count;
    for (int d = 0; d < D; ++d) {
      one.agents.x[d] = observed.row(SwarmRow::x, d, i);
      one.agents.w[d] = observed.row(SwarmRow::w, d, i);
      one.beta[d] = observed.row(SwarmRow::next_x, d, i);
      one.acceleration[d] = observed.row(SwarmRow::next_w, d, i);
    }
    one.evaluated = record.active != 0;
    one.beta_norm = record.beta_norm;
    one.settled = settled;
    return one;
  }

  /// Copies member i of a share to its place in the block. Agents beyond the active ones have no state.
  void take_back(Block& block, long member, const SwarmsOnDevice::Copy& state, long i) {
    const SwarmRecord& record = state.records[static_cast<std::size_t>(i)];
    const long count = active(block, member);
    for (int d = 0; d < D; ++d) {
      const double* x = state.row(SwarmRow::x, d, i);
      const double* w = state.row(SwarmRow::w, d, i);
      for (long agent = 0; agent < info_.agents; ++agent) {
        const auto to = static_cast<std::size_t>((d * info_.agents + agent) * block.stride + member);
        block.q[to] = agent < count ? x[agent] : undefined;
        block.w[to] = agent < count ? w[agent] : undefined;
      }
    }
    const auto place = static_cast<std::size_t>(member);
    block.status[place] = status_of(record);
    block.failure_time[place] = record.failure_time;
    block.backend_state[place] = record.settled;
    if (status_of(record) != Status::ok) note_failure(block.first + member, record);
  }

  void note_failure(long member, const SwarmRecord& record) {
    if (failed_member_ >= 0 && failed_member_ <= member) return;
    failed_member_ = member;
    const auto agent = [](double index) { return std::to_string(static_cast<long>(index)); };
    const std::string reason = status_of(record) == Status::singular_constraints
                                   ? "agents " + agent(record.agent) + " and " + agent(record.other) +
                                         " are at the same place, where the law is singular"
                                   : "agent " + agent(record.agent) + " has no finite place or velocity";
    failure_ = "member " + std::to_string(member) + ": " + reason +
               ", in the step from t = " + number_text(record.failure_time) + " s";
  }

  SystemInfo info_;
  swarm::ParameterPlaces places_;
  swarm::SwarmObserver<D> observer_;
  int threads_;
  DeviceShares<SwarmsOnDevice> shares_;
  long failed_member_ = -1;
  std::string failure_;
};

template <int D>
ChosenBackend chosen(const System& system, const Options& options) {
  auto runner = std::make_unique<SwarmCudaRunner<D>>(system, options);
  const std::string text = runner->text();
  return {std::move(runner), Backend::cuda, text, ""};
}

void check_options(const Options& options) {
  const auto refuse = [](const std::string& why) { throw Error(ExitCode::bad_input, "swarm: " + why); };
  if (options.pair_sum == PairSum::cells || options.pair_sum == PairSum::multipole) {
    refuse("solver.pair_sum: expected auto or all_pairs on the backend \"cuda\", found " +
           std::string(pair_sum_name(options.pair_sum)) + ", which is for \"cpu\"");
  }
  if (options.threads_per_member != 0) {
    refuse("threads_per_member: a swarm takes the threads that its agents need; leave it out");
  }
  if (options.method.pseudo_inverse == PseudoInverse::cusolver) {
    refuse("pseudo_inverse: expected svd or qr, for the matrix of a swarm is the identity; found cusolver");
  }
}

}  // namespace

ChosenBackend make_swarm_backend(const System& system, const Options& options) {
  check_options(options);
  return system.info.coordinates.size() == 2 ? chosen<2>(system, options) : chosen<3>(system, options);
}

}  // namespace kalaba::cuda
