#include "engine/run/member_model.hpp"

#include "backend/reference/reference.hpp"

namespace kalaba {
namespace {

reference::Vector row_values(const double* rows, int count, long stride, long member) {
  reference::Vector values(count);
  for (int i = 0; i < count; ++i) values[i] = rows[i * stride + member];
  return values;
}

}  // namespace

const reference::MechanicalModel& MemberModel::operator()() const {
  std::call_once(made_, [this] {
    Options options;
    options.method.stabilization = method_.stabilization;
    runner_ = system_.reference(options);
    model_ = &dynamic_cast<const reference::ReferenceRunner&>(*runner_).model();
  });
  return *model_;
}

reference::Instant member_instant(const Block& block, const double* q, const double* w, long member, double time) {
  return {row_values(block.parameters.data(), block.parameter_count, block.stride, member), time,
          row_values(q, block.coordinate_count, block.stride, member),
          row_values(w, block.rate_count, block.stride, member)};
}

}  // namespace kalaba
