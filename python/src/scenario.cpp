// Scenarios and their systems: what they say of themselves, what every member gets, and the terms of the equation.

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>

#include "backend/reference/rate.hpp"
#include "backend/reference/reference.hpp"
#include "bindings.hpp"
#include "check/check.hpp"
#include "check/verdict.hpp"
#include "cli/build_info.hpp"
#include "cli/check_table.hpp"
#include "cli/model_drawing.hpp"
#include "kalaba/member_block.hpp"
#include "kalaba/starts.hpp"
#include "kalaba/swarm_limits.hpp"
#include "kalaba/system.hpp"
#include "scenario/model/text_system.hpp"
#include "scenario/option_text.hpp"
#include "scenario/scenario.hpp"

namespace kalaba::python {
namespace {

/// Numbers [row][column].
using Rows = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

Scenario load(const std::string& text, const std::string& name, const Columns& columns) {
  const GivenArrays arrays = spans_of(columns);
  const nb::gil_scoped_release no_gil;
  const std::lock_guard lock(netcdf_mutex());  // it may read columns of files
  return load_given_scenario(text, name, arrays);
}

nb::list variables_of(const std::vector<Variable>& variables) {
  nb::list list;
  for (const Variable& each : variables) {
    if (is_internal(each)) continue;
    nb::dict entry;
    entry["name"] = each.name;
    entry["unit"] = each.unit;
    entry["value"] = each.value;
    entry["meaning"] = each.meaning;
    list.append(entry);
  }
  return list;
}

const char* formulation_name(Formulation formulation) {
  if (formulation == Formulation::hamilton) return "hamilton";
  return formulation == Formulation::kane ? "kane" : "lagrange";
}

nb::dict info_of(const Scenario& scenario) {
  const SystemInfo& info = scenario.system->info;
  nb::dict result;
  result["name"] = info.name;
  result["summary"] = info.summary;
  result["source"] = info.source;
  result["equations"] = info.equations;
  result["note"] = info.note;
  result["formulation"] = formulation_name(info.formulation);
  result["structure"] = info.structure;
  result["agents"] = info.agents;
  const auto first_discrete = info.parameters.begin() + info.first_discrete();
  result["parameters"] = variables_of({info.parameters.begin(), first_discrete});
  result["discrete"] = variables_of({first_discrete, info.parameters.end()});
  result["coordinates"] = variables_of(info.coordinates);
  result["rates"] = variables_of(info.rates);
  result["constraints"] = variables_of(info.constraints);
  result["holonomic"] = info.holonomic;
  result["invariants"] = variables_of(info.invariants);
  result["has_energy"] = info.has_energy;
  result["stabilization"] = toml_stabilization(info.stabilization);
  nb::dict time;
  time["start"] = info.time.start;
  time["end"] = info.time.end;
  time["dt"] = info.time.dt;
  time["save_every"] = info.time.save_every;
  result["time"] = time;
  return result;
}

/// Inputs of all members before any projection: NAME -> a column over the members.
nb::dict inputs_of(const Scenario& scenario) {
  const SystemInfo& info = scenario.system->info;
  if (const char* why = swarm_lacks(info, NotOfSwarms::inputs)) throw Error(ExitCode::bad_input, why);
  const auto members = static_cast<std::size_t>(scenario.members);
  Block block = member_block(info, Options(), scenario.members);
  {
    const nb::gil_scoped_release no_gil;
    block.assign(0, scenario.members);
    fill_members(*scenario.system, *scenario.source, block);
  }
  nb::dict result;
  const auto add = [&](const std::vector<Variable>& variables, const std::vector<double>& values, const char* table) {
    nb::dict columns;
    for (std::size_t i = 0; i < variables.size(); ++i) {
      const auto row = values.begin() + static_cast<std::ptrdiff_t>(i * static_cast<std::size_t>(block.stride));
      columns[variables[i].name.c_str()] = numpy_of({row, row + static_cast<std::ptrdiff_t>(members)}, {members});
    }
    result[table] = columns;
  };
  add({info.parameters.begin(), info.parameters.begin() + info.first_discrete()}, block.parameters, "parameters");
  add(info.coordinates, block.q, "coordinates");
  add(info.rates, block.w, "rates");
  return result;
}

nb::object numpy_of_vector(const reference::Vector& vector) {
  return numpy_of({vector.data(), vector.data() + vector.size()}, {static_cast<std::size_t>(vector.size())});
}

nb::object numpy_of_matrix(const reference::Matrix& matrix) {
  std::vector<double> rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) rows.push_back(matrix(i, j));
  }
  return numpy_of(std::move(rows), {static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols())});
}

/// The terms of the equation at one instant, by the reference.
nb::dict terms_of(const Scenario& scenario, const std::vector<double>& p, const std::vector<double>& q,
                  const std::vector<double>& w, double t) {
  if (const char* why = swarm_lacks(scenario.system->info, NotOfSwarms::terms)) throw Error(ExitCode::bad_input, why);
  Options options = scenario.options;
  options.precision = Precision::double_precision;
  options.threads = 1;
  const std::unique_ptr<Runner> runner = scenario.system->reference(options);
  const reference::MechanicalModel& model = dynamic_cast<reference::ReferenceRunner&>(*runner).model();
  const auto vector = [](const std::vector<double>& x) -> reference::Vector {
    return Eigen::Map<const reference::Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  const reference::Instant instant = {vector(p), t, vector(q), vector(w)};
  Method method = options.method;
  method.stabilization = {.kind = Stabilization::Kind::none};  // b as the constraints have it, without feedback
  const reference::Rate rate = reference::evaluate_rate(model, method, instant);
  nb::dict result;
  result["G"] = numpy_of_matrix(model.metric(instant));
  result["force"] = numpy_of_vector(model.force(instant));
  result["A"] = numpy_of_matrix(rate.A);
  result["b"] = numpy_of_vector(rate.b);
  result["K"] = numpy_of_vector(rate.q_dot);
  result["phi"] = numpy_of_vector(model.phi(instant));
  result["psi"] = numpy_of_vector(model.psi(instant));
  result["rate"] = numpy_of_vector(rate.w_dot);
  result["multipliers"] = numpy_of_vector(rate.multipliers);
  result["constraint_force"] = numpy_of_vector(rate.constraint_force());
  result["rank"] = rate.rank;
  result["energy"] = model.energy(instant);
  result["status"] = std::string(status_name(rate.status));
  return result;
}

/// The start of a member with these parameters, where `given` marks the coordinates and rates that are given: (q, w).
nb::tuple start_of(const Scenario& scenario, const std::vector<double>& p, const std::vector<double>& given,
                   std::vector<double> q, std::vector<double> w) {
  const SystemInfo& info = scenario.system->info;
  if (const char* why = swarm_lacks(info, NotOfSwarms::terms)) throw Error(ExitCode::bad_input, why);
  start_completion (*scenario.system)(p.data(), given.data(), q.data(), w.data());
  return nb::make_tuple(numpy_of(q, {q.size()}), numpy_of(w, {w.size()}));
}

std::string latex_of(const Scenario& scenario) { return scenario.model ? equations_latex(*scenario.model) : ""; }
std::string sizes_of(const Scenario& scenario) { return scenario.model ? structure_text(*scenario.model) : ""; }
std::string model_of(const Scenario& scenario) { return scenario.model ? scenario.model->model.toml : ""; }

/// Lines that draw the mechanism of a scenario, given as text: (lines, dots), lists of points; None for other systems.
class PictureOfMechanism {
 public:
  explicit PictureOfMechanism(const std::string& scenario) : picture_(picture_of_model(scenario)) {}

  bool exists() const { return picture_ != nullptr; }
  std::string axes() const { return picture_->axes; }
  std::vector<std::vector<int>> lines() const { return picture_->lines; }
  /// (name, point, true if it moves) of each joint and named point.
  std::vector<std::tuple<std::string, int, bool>> dots() const {
    std::vector<std::tuple<std::string, int, bool>> all;
    for (const auto& each : picture_->dots) all.emplace_back(each.name, each.point, each.moves);
    return all;
  }
  /// Positions (point, axis, column) for columns of parameters and coordinates.
  nb::object positions(const Rows& parameters, const Rows& coordinates) const {
    const std::size_t count = coordinates.shape(1);
    if (parameters.shape(1) != count) throw Error(ExitCode::bad_input, "parameters and coordinates differ in length");
    formula::Inputs inputs;
    inputs.parameters = parameters.data();
    inputs.coordinates = coordinates.data();
    inputs.stride = static_cast<long>(count);
    const auto outputs = static_cast<std::size_t>(picture_->positions.outputs());
    std::vector<double> places(outputs * count);
    picture_->positions.run(inputs, static_cast<long>(count), places.data(), static_cast<long>(count));
    const std::size_t axes = picture_->axes.size();
    return numpy_of(std::move(places), {outputs / axes, axes, count});
  }

 private:
  std::shared_ptr<const text_model::MechanismPicture> picture_;
};

/// Constraints that the model's own start violates.
std::vector<std::string> start_notes(const Scenario& scenario) {
  if (!scenario.model) return {};
  std::vector<std::string> notes;
  for (const std::string& note :
       {scenario.model->model.start.error, scenario.model->model.start.off, scenario.model->model.start.loose}) {
    if (!note.empty()) notes.push_back(note);
  }
  return notes;
}

/// (number of checks that failed, a table for people, all of them as JSON)
nb::tuple check(const Scenario& scenario, bool with_long) {
  check::Verdicts verdicts;
  {
    const nb::gil_scoped_release no_gil;
    constexpr Backend backends[] = {Backend::reference, Backend::cpu};
    verdicts =
        check::check_system(*scenario.system, backends, with_long, {scenario.options.events, scenario.options.clocks});
  }
  return nb::make_tuple(count(verdicts, check::Outcome::failed),
                        check_overview(verdicts) + check_summary(verdicts) + "\n",
                        json_text(verdicts, {build_info.version, build_info.commit, ""}));
}

/// Options of a run, in the order of the table: (key, type of the value).
std::vector<std::pair<std::string, std::string>> options_of_runs() {
  std::vector<std::pair<std::string, std::string>> types;
  for (const RunOption& option : option_table()) types.emplace_back(option.key, python_type(option));
  return types;
}

}  // namespace

void bind_scenario(nb::module_& module) {
  nb::class_<Scenario>(module, "Scenario")
      .def("__init__", [](Scenario* self, const std::string& text, const std::string& name,
                          const Columns& columns) { new (self) Scenario(load(text, name, columns)); })
      .def_ro("text", &Scenario::text)
      .def_ro("members", &Scenario::members)
      .def_ro("seed", &Scenario::seed)
      .def_ro("notes", &Scenario::notes)
      .def_ro("output_file", &Scenario::output_file)
      .def_prop_ro("info", info_of)
      .def_prop_ro("model", model_of)
      .def_prop_ro("latex", latex_of)
      .def_prop_ro("sizes", sizes_of)
      .def_prop_ro("start_notes", start_notes)
      .def("inputs", inputs_of)
      .def("terms", terms_of)
      .def("start", start_of)
      .def("check", check);
  nb::class_<PictureOfMechanism>(module, "PictureOfMechanism")
      .def(nb::init<const std::string&>())
      .def_prop_ro("exists", &PictureOfMechanism::exists)
      .def_prop_ro("axes", &PictureOfMechanism::axes)
      .def_prop_ro("lines", &PictureOfMechanism::lines)
      .def_prop_ro("dots", &PictureOfMechanism::dots)
      .def("positions", &PictureOfMechanism::positions);
  module.def("catalogue", system_names);
  module.def("options", options_of_runs);
}

}  // namespace kalaba::python
