#include "kalaba/starts.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <utility>

#include "backend/reference/observation.hpp"
#include "backend/reference/projection.hpp"
#include "backend/reference/reference.hpp"
#include "engine/system/short_text.hpp"
#include "kalaba/backend/parallel.hpp"
#include "kalaba/swarm_limits.hpp"

namespace kalaba {
namespace {

using reference::gather;
using reference::Instant;

constexpr int start_iterations = 50;

class StartsOnConstraints final : public HoldingSource {
 public:
  StartsOnConstraints(const System& system, std::shared_ptr<const MemberSource> source, const Options& options,
                      StartRule rule)
      : info_(system.info),
        source_(std::move(source)),
        given_(source_->given_starts()),
        options_(options),
        rule_(rule) {
    Options of_reference;
    of_reference.method = options.method;
    if (of_reference.method.pseudo_inverse == PseudoInverse::cusolver) {
      of_reference.method.pseudo_inverse = PseudoInverse::svd;
    }
    options_.method = of_reference.method;
    runner_ = system.reference(of_reference);
    model_ = &dynamic_cast<const reference::ReferenceRunner&>(*runner_).model();
    for (const GivenStart& start : given_) {
      if (holds(start)) {
        (start.is_rate ? held_.rates : held_.coordinates).push_back(start.index);
      }
    }
    if (rule != StartRule::refuse) return;
    fixed_ = given_;
    for (const bool is_rate : {false, true}) {
      const auto count = static_cast<int>((is_rate ? info_.rates : info_.coordinates).size());
      for (int i = 0; i < count; ++i) fixed_.push_back({is_rate, i});
    }
  }

  long members() const override { return source_->members(); }
  std::vector<GivenStart> given_starts() const override { return given_; }
  bool starts_follow_parameters() const override { return source_->starts_follow_parameters(); }
  std::vector<int> given_discrete() const override { return source_->given_discrete(); }

  std::string first_failure() const override {
    const std::lock_guard lock(mutex_);
    return failure_;
  }

  void fill(Block& block) const override {
    source_->fill(block);
    if (rule_ == StartRule::keep_given) return;
    parallel_for(block.members, 1, options_.threads, [&](long begin, long end) {
      for (long member = begin; member < end; ++member) put(block, member);
    });
  }

  bool hold(Block& block, const std::vector<long>& members) const override {
    if (rule_ != StartRule::keep_given) return false;
    std::atomic<bool> any = false;
    parallel_for(static_cast<long>(members.size()), 1, options_.threads, [&](long begin, long end) {
      for (long i = begin; i < end; ++i) {
        if (put(block, members[static_cast<std::size_t>(i)])) any = true;
      }
    });
    return any;
  }

 private:
  /// Puts a member on the constraints, or marks it; returns true if its start has changed.
  bool put(Block& block, long member) const {
    const Instant drawn = {gather(block.parameters, block.parameter_count, block.stride, member), options_.time.start,
                           gather(block.q, block.coordinate_count, block.stride, member),
                           gather(block.w, block.rate_count, block.stride, member)};
    if (!(drawn.p.allFinite() && drawn.q.allFinite() && drawn.w.allFinite())) return false;  // reported by the backend
    Instant x = drawn;
    const Status status = reference::project_near(*model_, options_.method, start_iterations, x, held_);
    const auto index = static_cast<std::size_t>(member);
    if (status == Status::singular_constraints) return false;                  // likewise
    if (status != Status::ok && rule_ == StartRule::keep_given) return false;  // likewise
    const GivenStart* const moved = status == Status::ok ? moved_start(drawn, x) : nullptr;
    if (status != Status::ok || moved != nullptr) {
      block.status[index] = Status::not_assembled;
      block.failure_time[index] = options_.time.start;
      note(block.first + member, moved == nullptr ? unmet() : moved_text(*moved, drawn, x));
      return false;
    }
    reference::scatter(x.q, block.stride, member, block.q);
    reference::scatter(x.w, block.stride, member, block.w);
    return true;
  }

  bool holds(const GivenStart& start) const {
    return rule_ == StartRule::keep_given || (rule_ == StartRule::keep_varied && start.varies);
  }

  static double value(const GivenStart& start, const Instant& x) {
    return start.is_rate ? x.w[start.index] : x.q[start.index];
  }

  /// Returns the first start that must not move but has moved.
  const GivenStart* moved_start(const Instant& drawn, const Instant& x) const {
    const auto found = std::ranges::find_if(fixed_, [&](const GivenStart& start) {
      const double before = value(start, drawn);
      const std::vector<Variable>& variables = start.is_rate ? info_.rates : info_.coordinates;
      const auto at = static_cast<std::size_t>(start.index);
      const double size = start_scale(variables, at, (start.is_rate ? drawn.w : drawn.q).data(), 1);
      const double scale = std::max(size, std::abs(value(start, x)));
      return std::abs(value(start, x) - before) > start_tolerance(Precision::double_precision) * scale;
    });
    return found == fixed_.end() ? nullptr : &*found;
  }

  std::string name_of(const GivenStart& start) const {
    return "initial." + (start.is_rate ? info_.rates : info_.coordinates)[static_cast<std::size_t>(start.index)].name;
  }

  std::string moved_text(const GivenStart& start, const Instant& drawn, const Instant& x) const {
    return name_of(start) + " would have to move from " + short_text(value(start, drawn), 6) + " to " +
           short_text(value(start, x), 6) + " to meet the constraints (project = \"refuse\")";
  }

  std::string held_names() const {
    std::string held;
    for (const GivenStart& start : given_) {
      if (holds(start)) held += (held.empty() ? "" : ", ") + name_of(start);
    }
    return held;
  }

  std::string unmet() const {
    const std::string held = held_names();
    return "no start on the constraints was found" + (held.empty() ? "" : " that holds " + held);
  }

  void note(long member, const std::string& why) const {
    const std::lock_guard lock(mutex_);
    if (failed_ >= 0 && failed_ <= member) return;
    failed_ = member;
    failure_ = "member " + std::to_string(member) + ": " + why;
  }

  const SystemInfo& info_;
  mutable std::mutex mutex_;
  mutable long failed_ = -1;  // the first member that has no start
  mutable std::string failure_;
  std::shared_ptr<const MemberSource> source_;
  std::vector<GivenStart> given_;
  std::vector<GivenStart> fixed_;  // none of which may move, the given ones first
  Options options_;
  StartRule rule_;
  std::unique_ptr<Runner> runner_;  // owns the model
  const reference::MechanicalModel* model_ = nullptr;
  reference::Held held_;
};

}  // namespace

double start_tolerance(Precision precision) { return precision == Precision::single_precision ? 1e-5 : 1e-9; }

bool is_pure_number(const Variable& variable) {
  return variable.unit.empty() || variable.unit == "1" || variable.unit == "rad";
}

double start_scale(const std::vector<Variable>& variables, std::size_t i, const double* values, long stride) {
  const std::string& unit = variables[i].unit;
  double size = is_pure_number(variables[i]) ? 1 : 0;
  for (std::size_t other = 0; other < variables.size(); ++other) {
    if (variables[other].unit == unit) size = std::max(size, std::abs(values[static_cast<long>(other) * stride]));
  }
  return size;
}

System::CompleteStart start_completion(const System& system) {
  if (system.complete_start) return system.complete_start;
  const std::size_t coordinates = system.info.coordinates.size();
  const std::size_t rates = system.info.rates.size();
  return [start = system.default_start, coordinates, rates](const double* parameters, const double* given, double* q,
                                                            double* w) {
    std::vector<double> of_model(coordinates + rates);
    start(parameters, of_model.data(), of_model.data() + coordinates);
    for (std::size_t i = 0; i < of_model.size(); ++i) {
      if (given[i] == 0) (i < coordinates ? q[i] : w[i - coordinates]) = of_model[i];
    }
  };
}

std::shared_ptr<const MemberSource> put_on_constraints(const System& system, std::shared_ptr<const MemberSource> source,
                                                       const Options& options, StartRule rule) {
  if (rule == StartRule::as_given || rule == StartRule::project) return source;
  const auto refuse = [&](const std::string& why) {
    throw Error(ExitCode::bad_input,
                system.info.name + ": project = \"" + std::string(start_rule_name(rule)) + "\": " + why);
  };
  if (const char* why = swarm_lacks(system.info, NotOfSwarms::start_rules)) refuse(why);
  if (system.info.servo) refuse("a servo-constraint is not projected on: its actuators hold it");
  if (!system.reference) refuse("the system has no reference that projects");
  return std::make_shared<StartsOnConstraints>(system, std::move(source), options, rule);
}

}  // namespace kalaba
