#include "output/netcdf/netcdf_schema_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "output/base/layout.hpp"
#include "output/base/parameter_names.hpp"
#include "output/netcdf/netcdf_labels.hpp"

namespace kalaba {
namespace {

class SchemaWriter {
 public:
  SchemaWriter(DatasetWriter& file, const RunInfo& run, const Provenance& provenance)
      : definitions_(file),
        file_(file),
        run_(run),
        system_(*run.system),
        layouts_(saved_layouts(system_, run.options.fields)),
        varied_starts_(provenance.varied_starts),
        grid_(provenance.grid),
        saltelli_(provenance.saltelli) {
    definitions_.add_dimension("member", static_cast<std::size_t>(run.members));
    definitions_.add_dimension("time", run.times.size());
    if (system_.agents > 0) definitions_.add_dimension("agent", static_cast<std::size_t>(system_.agents));
    for (const LabelledDimension& dimension : labelled_dimensions) {
      const std::size_t size = labels_along(dimension).size();
      if (size > 0) definitions_.add_dimension(dimension.name, size);
    }
    for (const FieldLayout& layout : layouts_) {
      if (!layout.chosen.empty()) definitions_.add_dimension(layout.dimension, layout.chosen.size());
    }
    if (!run.options.events.empty()) definitions_.add_dimension("event", run.options.events.size());
  }

  NetcdfVariables write() {
    write_times();
    for (const LabelledDimension& dimension : labelled_dimensions) {
      write_labels(dimension.name, labels_along(dimension));
    }
    for (const FieldLayout& layout : layouts_) {
      if (!layout.chosen.empty()) write_labels(layout.dimension, chosen_labels(layout));
    }
    write_discrete();
    if (!run_.options.events.empty()) write_event_labels();
    NetcdfVariables variables;
    variables.statistics = define_statistics(definitions_, run_);
    if (run_.options.trajectories) add_trajectories(variables);
    if (!run_.options.events.empty()) add_events(variables.events);
    if (run_.options.trajectories || !run_.options.events.empty()) {
      add_parameters(variables.parameters);
      add_starts(variables.starts);
      if (!grid_.empty()) add_grid(variables);
      if (!saltelli_.empty()) file_.set_texts(NC_GLOBAL, "saltelli", saltelli_);
    }
    return variables;
  }

 private:
  void add_trajectories(NetcdfVariables& variables) {
    variables.layouts = layouts_;
    for (const FieldLayout& layout : variables.layouts) variables.fields.push_back(add_field(layout));
    variables.status = add_status();
    variables.failure_time =
        definitions_.add_number({"member"}, "failure_time", "s", "time at which a member failed or was stopped");
    for (const BlockCounter& counter : saved_counters(run_.options.method.integrator)) {
      const int id = definitions_.add_count({"member"}, counter.name, counter.meaning);
      variables.counters.push_back({id, counter.values});
    }
  }

  /// Writes the names of the invariants that are discrete variables.
  void write_discrete() {
    std::vector<std::string> names;
    const FieldLayout invariants = field_layout(system_, Field::invariants);
    for (std::size_t i = 0; i < invariants.components.size(); ++i) {
      if (invariants.is_held(i)) names.push_back(invariants.components[i]);
    }
    if (!names.empty()) file_.set_texts(NC_GLOBAL, "discrete", names);
  }

  void write_event_labels() {
    std::vector<std::string> names;
    std::vector<std::string> expressions;
    std::vector<std::string> directions;
    std::vector<std::string> actions;
    for (const Event& event : run_.options.events) {
      names.push_back(event.name);
      expressions.push_back(event.when);
      directions.emplace_back(crossing_name(event.direction));
      actions.emplace_back(event_action_name(event.action));
    }
    const auto put = [&](const char* name, const std::vector<std::string>& texts) {
      file_.put_strings(definitions_.add_variable({"event"}, name, NC_STRING), texts);
    };
    put("event", names);
    put("event_when", expressions);
    put("event_direction", directions);
    put("event_action", actions);
  }

  void add_events(std::vector<int>& events) {
    const auto add_time = [&](const char* name, const char* meaning) {
      events.push_back(definitions_.add_number({"event", "member"}, name, "s", meaning));
    };
    events.push_back(definitions_.add_count({"event", "member"}, "event_count", "times the event happened"));
    add_time("event_time", "time at which the event first happened");
    add_time("event_last_time", "time at which the event last happened");
    const auto add_state = [&](Field field, const char* name, const char* meaning) {
      const FieldLayout layout = field_layout(system_, field);
      events.push_back(definitions_.add_field_number({"event", layout.dimension, "member"}, layout, name, meaning));
    };
    add_state(Field::q, "event_q", "coordinates when the event first happened");
    add_state(Field::w, "event_w", "rates when the event first happened");
    if (!system_.sensitivities.empty()) add_event_sensitivities(events);
  }

  void add_event_sensitivities(std::vector<int>& events) {
    events.push_back(definitions_.add_number({"event", "sensitivity", "member"}, "event_time_sensitivity", "",
                                             "derivatives of the time at which the event first happened"));
    const auto add_state = [&](Field field, const char* name, const char* meaning) {
      const FieldLayout layout = field_layout(system_, field);
      const std::vector<std::string> dimensions = {"event", "sensitivity", layout.dimension, "member"};
      events.push_back(definitions_.add_field_number(dimensions, layout, name, meaning));
    };
    add_state(Field::q_sensitivity, "event_q_sensitivity",
              "derivatives of the coordinates when the event first happened");
    add_state(Field::w_sensitivity, "event_w_sensitivity", "derivatives of the rates when the event first happened");
  }

  void write_times() {
    const int variable = definitions_.add_variable({"time"}, "time", NC_DOUBLE);
    file_.set_text(variable, "long_name", "time");
    file_.set_text(variable, "units", "s");
    file_.put(variable, {0}, {run_.times.size()}, run_.times.data());
  }

  /// Labels of a dimension; none if no variable of the file has it.
  std::vector<Variable> labels_along(const LabelledDimension& dimension) const {
    if (dimension.is_reaction && !run_.options.fields.has(Field::joint_reactions)) return {};
    return system_.*dimension.variables;
  }

  std::vector<Variable> chosen_labels(const FieldLayout& layout) const {
    std::vector<Variable> labels;
    for (const std::size_t i : layout.chosen) labels.push_back(labels_of(system_, layout.field)[i]);
    return labels;
  }

  void write_labels(const std::string& name, const std::vector<Variable>& labels) {
    std::vector<std::string> names;
    std::vector<std::string> units;
    for (const Variable& variable : labels) {
      names.push_back(variable.name);
      units.push_back(variable.unit);
    }
    if (names.empty()) return;
    file_.put_strings(definitions_.add_variable({name}, name, NC_STRING), names);
    file_.put_strings(definitions_.add_variable({name}, name + "_unit", NC_STRING), units);
  }

  int add_field(const FieldLayout& layout) {
    std::vector<std::string> dimensions = {"time", "member"};
    if (layout.agents > 0) dimensions.insert(dimensions.begin() + 1, "agent");
    const std::vector<std::string> of_components = dimensions_of(layout);
    dimensions.insert(dimensions.begin() + 1, of_components.begin(), of_components.end());
    return definitions_.add_field_number(dimensions, layout, layout.name, layout.meaning);
  }

  int add_status() {
    const int variable = definitions_.add_variable({"member"}, "status", NC_INT);
    std::vector<long long> values;
    std::vector<std::string> meanings;
    for (int i = 0; i < status_count; ++i) {
      values.push_back(i);
      meanings.emplace_back(status_name(static_cast<Status>(i)));
    }
    // Status of members without numbers, for whatever reason the run ends.
    file_.set_silent_fill(variable, static_cast<int>(Status::interrupted));
    file_.set_text(variable, "long_name", "what became of the member");
    file_.set_integers(variable, "flag_values", values, NC_INT);
    file_.set_text(variable, "flag_meanings", fmt::format("{}", fmt::join(meanings, " ")));
    return variable;
  }

  /// Adds the parameters, and an attribute that lists those over members.
  void add_parameters(std::vector<int>& ids) {
    const std::vector<std::string> names = parameter_names(system_);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Variable& parameter = system_.parameters[i];
      ids.push_back(definitions_.add_number({"member"}, names[i], parameter.unit, parameter.meaning));
    }
    if (!names.empty()) file_.set_texts(NC_GLOBAL, "parameters", names);
  }

  /// Variable of the file for "parameters.L" or "initial.x"; "" if it has none.
  std::string variable_of(const std::string& name) const {
    const std::string own = name.substr(name.find('.') + 1);
    if (name.starts_with("initial.")) return definitions_.is_taken("initial_" + own) ? "initial_" + own : "";
    const auto parameter = std::ranges::find(system_.parameters, own, &Variable::name);
    return parameter_names(system_)[static_cast<std::size_t>(parameter - system_.parameters.begin())];
  }

  /// Adds the axes' names and sizes, and their variables as coordinates of all variables over members, from which
  /// xarray reconstructs the grid. Members at the same point have different values of `repetition`.
  void add_grid(NetcdfVariables& variables) {
    std::vector<std::string> names;
    std::vector<long long> shape;
    const long points = points_of(grid_);
    for (const GridAxis& axis : grid_) {
      names.push_back(variable_of(axis.name));
      if (names.back().empty()) return;
      shape.push_back(axis.points);
    }
    file_.set_texts(NC_GLOBAL, "grid", names);
    file_.set_integers(NC_GLOBAL, "grid_shape", shape, NC_INT64);
    const long members = run_.ensemble_members > 0 ? run_.ensemble_members : run_.members;
    if (members > points) {
      variables.grid_points = points;
      variables.repetition =
          definitions_.add_count({"member"}, "repetition", "of the grid: how many members before share its point");
      names.emplace_back("repetition");
    }
    const std::string coordinates = fmt::format("{}", fmt::join(names, " "));
    std::vector<int> described = variables.fields;
    if (variables.status >= 0) described.push_back(variables.status);
    described.insert(described.end(), variables.events.begin(), variables.events.end());
    for (const int variable : described) file_.set_text(variable, "coordinates", coordinates);
  }

  /// Adds the starts that vary. The agents of a swarm have no numbers per member.
  void add_starts(std::vector<NetcdfVariables::Start>& starts) {
    if (system_.agents > 0) return;
    const bool projects = run_.options.project_start && !system_.constraints.empty();
    const auto add = [&](const std::vector<Variable>& variables, bool is_rate) {
      for (std::size_t i = 0; i < variables.size(); ++i) {
        if (std::ranges::count(varied_starts_, variables[i].name) == 0) continue;
        starts.push_back({definitions_.add_number({"member"}, "initial_" + variables[i].name, variables[i].unit,
                                                  variables[i].name + " at the start, as it was drawn"),
                          is_rate, i, false});
        if (!projects) continue;
        starts.push_back({definitions_.add_number({"member"}, "projected_" + variables[i].name, variables[i].unit,
                                                  variables[i].name + " at the start, on the constraints"),
                          is_rate, i, true});
      }
    };
    add(system_.coordinates, false);
    add(system_.rates, true);
  }

  NetcdfDefinitions definitions_;
  DatasetWriter& file_;
  const RunInfo& run_;
  const SystemInfo& system_;
  const std::vector<FieldLayout> layouts_;  // of the saved fields
  const std::vector<std::string>& varied_starts_;
  const std::vector<GridAxis>& grid_;
  const std::vector<std::string>& saltelli_;
};

void write_text(DatasetWriter& file, const std::string& name, const std::string& text) {
  if (!text.empty()) file.set_text(NC_GLOBAL, name, text);
}

void write_attributes(DatasetWriter& file, const RunInfo& run, const Provenance& provenance) {
  const SystemInfo& system = *run.system;
  write_text(file, "Conventions", "CF-1.8");
  write_text(file, "title",
             fmt::format("{}, an ensemble of {} member{}", system.name, run.members, run.members == 1 ? "" : "s"));
  write_text(file, "system", system.name);
  for (const auto& [name, value] : system.structure) {
    file.set_integers(NC_GLOBAL, "structure_" + name, {value}, NC_INT);
  }
  for (const auto& [name, word] : system.structure_words) write_text(file, "structure_" + name, word);
  write_text(file, "summary", system.summary);
  write_text(file, "source", system.source);
  // A string attribute: a scenario with long lists of values may exceed the 64 KiB of a text attribute.
  file.set_texts(NC_GLOBAL, "scenario", {provenance.scenario});
  write_text(file, "kalaba_version", provenance.version);
  write_text(file, "kalaba_commit", provenance.commit);
  write_text(file, "kalaba_compiler", provenance.compiler);
  write_text(file, "machine", provenance.machine);
  write_text(file, "device", run.device);
  file.set_unsigned(NC_GLOBAL, "seed", provenance.seed);
  write_text(file, "backend", run.backend());
  write_text(file, "integrator", std::string(integrator_name(run.options.method.integrator)));
  write_text(file, "precision", std::string(precision_name(run.options.precision)));
  write_text(file, "input_fingerprint", fmt::format("{:x}", provenance.inputs));
  if (run.ensemble_members > 0) {
    write_text(file, "shard", provenance.shard);
    file.set_integers(NC_GLOBAL, "first_member", {run.first_member}, NC_INT64);
    file.set_integers(NC_GLOBAL, "ensemble_members", {run.ensemble_members}, NC_INT64);
  }
  write_text(file, "created", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))));
}

}  // namespace

std::vector<int> NetcdfVariables::over_members() const {
  std::vector<int> all = fields;
  all.insert(all.end(), parameters.begin(), parameters.end());
  for (const Start& start : starts) all.push_back(start.id);
  all.insert(all.end(), events.begin(), events.end());
  for (const int one : {status, failure_time}) {
    if (one >= 0) all.push_back(one);
  }
  for (const Counter& counter : counters) all.push_back(counter.id);
  if (repetition >= 0) all.push_back(repetition);
  return all;
}

std::vector<int> NetcdfVariables::counts() const {
  std::vector<int> all;
  for (const Counter& counter : counters) all.push_back(counter.id);
  if (repetition >= 0) all.push_back(repetition);
  if (!events.empty()) all.push_back(events.front());
  return all;
}

NetcdfVariables write_schema(DatasetWriter& file, const RunInfo& run, const Provenance& provenance) {
  write_attributes(file, run, provenance);
  return SchemaWriter(file, run, provenance).write();
}

}  // namespace kalaba
