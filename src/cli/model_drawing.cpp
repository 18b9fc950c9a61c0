#include "cli/model_drawing.hpp"

#include "scenario/model/text_system.hpp"
#include "scenario/scenario.hpp"

namespace kalaba {

std::shared_ptr<const text_model::MechanismPicture> picture_of_model(const std::string& scenario) {
  try {
    const Scenario read = load_run_text(scenario, "scenario");
    return read.model ? read.model->model.picture : nullptr;
  } catch (const Error&) {  // the file was written by another version
    return nullptr;
  }
}

std::optional<Drawing> drawing_of_model(const std::string& scenario) {
  const std::shared_ptr<const text_model::MechanismPicture> picture = picture_of_model(scenario);
  if (!picture) return std::nullopt;
  Drawing drawing;
  drawing.dimensions = static_cast<int>(picture->axes.size());
  drawing.axes = picture->axes;
  drawing.points.resize(static_cast<std::size_t>(picture->points()));
  for (const auto& dot : picture->dots) {
    Drawing::Point& point = drawing.points[static_cast<std::size_t>(dot.point)];
    point.name = dot.name;
    point.place.moves = dot.moves;
  }
  for (const std::vector<int>& line : picture->lines) drawing.lines.push_back({{line.begin(), line.end()}});
  drawing.positions = [picture](std::span<const double> parameters, std::span<const double> q) {
    formula::Inputs inputs;
    inputs.parameters = parameters.data();
    inputs.coordinates = q.data();
    return picture->positions(inputs);
  };
  return drawing;
}

}  // namespace kalaba
