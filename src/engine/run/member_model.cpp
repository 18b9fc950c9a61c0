#include "engine/run/member_model.hpp"

#include "backend/reference/observation.hpp"
#include "backend/reference/reference.hpp"

namespace kalaba {

const reference::MechanicalModel& MemberModel::operator()() const {
  std::call_once(made_, [this] {
    Options options;
    options.method.stabilization = method_.stabilization;
    runner_ = system_.reference(options);
    model_ = &dynamic_cast<const reference::ReferenceRunner&>(*runner_).model();
  });
  return *model_;
}

reference::Instant member_instant(const Block& block, const std::vector<double>& q, const std::vector<double>& w,
                                  long member, double time) {
  return {reference::gather(block.parameters, block.parameter_count, block.stride, member), time,
          reference::gather(q, block.coordinate_count, block.stride, member),
          reference::gather(w, block.rate_count, block.stride, member)};
}

}  // namespace kalaba
