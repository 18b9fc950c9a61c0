#pragma once

#include <memory>
#include <string>

#include "kalaba/system.hpp"

namespace kalaba {

/// A runner that interprets the model's formulas on packs of members, by the core's own loops: for where no compiler
/// serves. Null where `problem` says why not.
std::unique_ptr<Runner> interpreted_runner(const System& system, const Options& options, std::string& problem);

}  // namespace kalaba
