#pragma once

#include <memory>

#include "backend/reference/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba::reference {

/// Runner of the reference backend, which gives access to its model, so that a test can evaluate the terms of a system.
class ReferenceRunner : public Runner {
 public:
  virtual const MechanicalModel& model() const = 0;
};

/// The reference backend: one member at a time, in double precision, the equations to the letter of the papers
/// (symmetric root of the metric by eigen-decomposition, pseudo-inverse by Eigen). It shares nothing with the other
/// backends but the model. Throws Error (bad_input) for options that it does not offer, single precision among them.
std::unique_ptr<ReferenceRunner> make_runner(std::unique_ptr<const MechanicalModel> model, const Options& options);

}  // namespace kalaba::reference
