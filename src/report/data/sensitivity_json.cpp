#include "report/data/sensitivity_json.hpp"

#include "output/netcdf/archive.hpp"
#include "output/netcdf/netcdf_statistics.hpp"
#include "report/data/member_sample.hpp"
#include "text/json.hpp"

namespace kalaba {
namespace {

/// Object with one value per input, `value(i)` as JSON.
template <class Column, class Value>
JsonObject by_input(const std::vector<Column>& inputs, const Value& value) {
  JsonObject object;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if constexpr (requires { inputs[i].name; }) {
      object.add_raw(inputs[i].name, value(i));
    } else {
      object.add_raw(inputs[i], value(i));
    }
  }
  return object;
}

JsonObject sobol_json(const Sensitivity& data, const SobolIndices& of) {
  JsonObject object;
  object.add("points", of.points);
  object.add("left_out", of.left_out);
  const auto add = [&](const std::string& order, const std::vector<SobolIndex>& indices) {
    object.add(order, by_input(data.drawn, [&](std::size_t i) { return json_value(indices[i].share); }));
    object.add(order + "_error", by_input(data.drawn, [&](std::size_t i) { return json_value(indices[i].error); }));
  };
  add("first", of.first);
  add("total", of.total);
  return object;
}

/// Object with one object per output.
JsonObject local_json(const LocalIndices& local) {
  JsonObject outputs;
  for (std::size_t output = 0; output < local.outputs.size(); ++output) {
    JsonObject object;
    const auto add = [&](const char* name, double LocalIndex::*number) {
      object.add(name, by_input(local.along, [&](std::size_t i) { return json_value(local.at(output, i).*number); }));
    };
    add("by_spread", &LocalIndex::by_spread);
    add("by_spread_std", &LocalIndex::by_spread_std);
    add("elasticity", &LocalIndex::elasticity);
    add("elasticity_std", &LocalIndex::elasticity_std);
    outputs.add(local.outputs[output].name, object);
  }
  return outputs;
}

std::string output_json(const Sensitivity& data, std::size_t output) {
  const auto numbers = [&](const std::vector<double>& all) {
    return by_input(data.inputs, [&](std::size_t input) { return json_value(all[data.at(output, input)]); });
  };
  JsonObject object;
  object.add("name", data.outputs[output].name);
  object.add("unit", data.outputs[output].unit);
  object.add("members", data.members[output]);
  if (data.spread == Spread::one_at_a_time) {
    object.add("effect", by_input(data.inputs, [&](std::size_t input) {
                 const Effect& effect = data.effects[data.at(output, input)];
                 return json_numbers({effect.low, effect.high});
               }));
  } else {
    object.add("correlation", numbers(data.correlation));
    object.add("rank_correlation", numbers(data.rank_correlation));
    object.add("share", numbers(data.share));
    object.add("share_by_chance", numbers(data.chance));
  }
  if (!data.sobol.empty()) object.add("sobol", sobol_json(data, data.sobol[output]));
  return object.text();
}

}  // namespace

std::string gradients_json(const std::vector<StatisticGradient>& gradients, const std::vector<std::string>& along) {
  JsonObject components;
  for (auto row = gradients.begin(); row != gradients.end();) {
    const std::string& name = row->column.name;
    JsonObject statistics;
    for (; row != gradients.end() && row->column.name == name; ++row) {
      statistics.add(row->statistic, by_input(along, [&](std::size_t i) { return json_value(row->along[i]); }));
    }
    components.add(name, statistics);
  }
  return components.text();
}

namespace {

JsonObject sensitivity_object(const Sensitivity& data) {
  std::vector<std::string> outputs;
  for (std::size_t output = 0; output < data.outputs.size(); ++output) outputs.push_back(output_json(data, output));
  JsonObject object;
  object.add("spread", data.spread == Spread::one_at_a_time ? "one_at_a_time" : "together");
  object.add_raw("outputs", json_array(outputs));
  if (!data.local.outputs.empty()) object.add("local", local_json(data.local));
  return object;
}

}  // namespace

std::string sensitivity_json(const Sensitivity& data) { return sensitivity_object(data).text(); }

std::string report_json(const std::string& data_path, const std::vector<std::string>& sampled,
                        const std::optional<ImportedTables>& tables) {
  const Archive archive(data_path);
  const std::unique_ptr<Reader> reader = open_reader(data_path);
  const MemberSample members(archive, *reader);
  JsonObject object = sensitivity_object(sensitivity_of(members, sampled));
  const EnsembleStatistics statistics = tables ? tables->statistics : statistics_of(archive);
  if (!statistics.along.empty()) {
    object.add_raw("gradients", gradients_json(final_gradients(statistics), statistics.along));
  }
  return object.text();
}

}  // namespace kalaba
