#pragma once

#include <memory>
#include <optional>
#include <string>

#include "report/data/drawing.hpp"
#include "scenario/model/mechanism_picture.hpp"

namespace kalaba {

/// Lines of the mechanism of a scenario, given as TOML; null if its system is no mechanism of bodies and joints.
std::shared_ptr<const text_model::MechanismPicture> picture_of_model(const std::string& scenario);

/// Drawing of the mechanism of a scenario, given as TOML; none if its system is no mechanism of bodies and joints.
std::optional<Drawing> drawing_of_model(const std::string& scenario);

}  // namespace kalaba
