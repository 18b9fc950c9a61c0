#pragma once

#include <memory>

#include "backend/reference/model.hpp"
#include "kalaba/system.hpp"

namespace kalaba::reference {

/// Runner of the reference backend. It gives access to its model, so that a test can evaluate the terms of a system.
class ReferenceRunner : public Runner {
 public:
  virtual const MechanicalModel& model() const = 0;
};

/// Creates the reference backend: one member at a time, in double precision, with the equations exactly as in the
/// papers (symmetric root of the scaled metric by eigen-decomposition, pseudo-inverse by Eigen). It shares only the model with
/// the other backends. Throws Error (bad_input) for options that it does not support, such as single precision.
std::unique_ptr<ReferenceRunner> make_runner(std::unique_ptr<const MechanicalModel> model, const Options& options);

}  // namespace kalaba::reference
