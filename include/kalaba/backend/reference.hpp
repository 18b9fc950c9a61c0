#pragma once

#include <memory>

#include "kalaba/backend/reference_reading.hpp"
#include "kalaba/system.hpp"

namespace kalaba {
namespace reference {

/// The reference backend also shows the model it reads, so that a test can ask any system for its terms.
class ReferenceRunner : public Runner {
 public:
  virtual const MechanicalModel& model() const = 0;
};

/// The reference backend on a model already read. Throws Error (bad_input) on options it does not offer.
std::unique_ptr<ReferenceRunner> make_runner(std::unique_ptr<const MechanicalModel> model, const Options& options);

}  // namespace reference

/// The oracle: one member at a time, in double, the equations to the letter of the papers (symmetric root of the metric
/// by eigen-decomposition, pseudo-inverse by Eigen), sharing nothing with the other backends but the model. Slow and
/// plain by intent. Throws Error (bad_input) for single precision.
template <Model M>
std::unique_ptr<Runner> make_reference_runner(const Options& options) {
  return reference::make_runner(std::make_unique<reference::Reading<M>>(), options);
}

}  // namespace kalaba
