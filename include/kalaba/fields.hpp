#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kalaba/core/model/field.hpp"

namespace kalaba {

struct SystemInfo;
struct Variable;

/// A set of fields; to list it, iterate over `all_fields` and test `has`.
class FieldSet {
 public:
  constexpr FieldSet() = default;
  constexpr FieldSet(std::initializer_list<Field> fields) {
    for (Field field : fields) add(field);
  }
  constexpr void add(Field field) { bits_ |= std::uint32_t{1} << static_cast<int>(field); }
  friend constexpr FieldSet operator|(FieldSet a, FieldSet b) {
    a.bits_ |= b.bits_;
    return a;
  }
  constexpr bool has(Field field) const { return (bits_ >> static_cast<int>(field) & 1U) != 0; }
  /// Bit i represents the field with number i.
  constexpr std::uint32_t bits() const { return bits_; }

 private:
  std::uint32_t bits_ = 0;
};

/// Fields that a run saves: each whole, or only some of its components.
class SavedFields : public FieldSet {
 public:
  SavedFields() = default;
  SavedFields(FieldSet whole) : FieldSet(whole) {}
  SavedFields(std::initializer_list<Field> whole) : FieldSet(whole) {}

  /// Restricts a field to this component and those that were added before.
  void add_component(Field field, std::string name) {
    add(field);
    components_[static_cast<std::size_t>(field)].push_back(std::move(name));
  }
  /// Names of the saved components of a field, in any order; empty if the whole field is saved.
  const std::vector<std::string>& components(Field field) const { return components_[static_cast<std::size_t>(field)]; }
  /// One of the fields, with its saved components.
  SavedFields only(Field field) const {
    SavedFields one = {field};
    one.components_[static_cast<std::size_t>(field)] = components(field);
    return one;
  }

 private:
  std::array<std::vector<std::string>, field_count> components_;
};

inline constexpr std::array<Field, field_count> all_fields = [] {
  std::array<Field, field_count> fields{};
  for (int i = 0; i < field_count; ++i) fields[static_cast<std::size_t>(i)] = static_cast<Field>(i);
  return fields;
}();

/// A field, and the field of its derivatives with respect to the variables of [sensitivities].
struct DifferentiatedField {
  Field field;
  Field sensitivity;
};
inline constexpr std::array differentiated_fields = {
    DifferentiatedField{Field::q, Field::q_sensitivity},
    DifferentiatedField{Field::w, Field::w_sensitivity},
    DifferentiatedField{Field::energy, Field::energy_sensitivity},
    DifferentiatedField{Field::invariants, Field::invariants_sensitivity},
    DifferentiatedField{Field::multipliers, Field::multipliers_sensitivity},
};

/// Layout of a field of a system: `components` numbers per member, along the named dimension ("" for a scalar). For a
/// swarm, if the field belongs to agents, as many for each agent: [component][agent].
struct FieldLayout {
  Field field;
  std::string name;                     ///< "q", "w", "constraint_force", ...
  std::string meaning;                  ///< one line, for attributes and help
  std::string dimension;                ///< "coordinate", "rate", "constraint", "invariant" or ""
  std::vector<std::string> components;  ///< column names: "x", "x_dot", "force_x_dot", "lambda_1", "residual", ...
  std::vector<std::string> units;       ///< one per component
  long agents = 0;                      ///< agents of a swarm for a field of agents; else 0
  /// Columns of a sensitivity field, each with all components of the dimension: [column][coordinate]. Else 0.
  std::size_t columns = 0;
  /// Indices of the components in the whole field, if only some are saved; empty: all.
  std::vector<std::size_t> chosen = {};
  /// Names of the components that jump and are constant in between: discrete variables, the rank.
  std::vector<std::string> held = {};

  /// Index of a component in the whole field.
  std::size_t index(std::size_t component) const { return chosen.empty() ? component : chosen[component]; }
  bool is_held(std::size_t component) const;
  /// Numbers per member of each component: of a field of agents one for each agent.
  std::size_t copies() const { return static_cast<std::size_t>(agents > 0 ? agents : 1); }
  /// Index of a number per member, [component][agent], among those of the whole field.
  std::size_t row(std::size_t number) const { return index(number / copies()) * copies() + number % copies(); }
  /// Numbers per member.
  std::size_t size() const { return components.size() * copies(); }
};

std::string_view field_name(Field field);
/// Returns a layout without components if the system has no such field (no energy, no invariants).
FieldLayout field_layout(const SystemInfo& system, Field field);
bool has_field(const SystemInfo& system, Field field);
/// Layout with only these components of a whole field, in ascending order. Its dimension is named after the field too.
FieldLayout chosen_layout(FieldLayout whole, std::vector<std::size_t> chosen);
/// Layouts of the saved fields that the system has, in the order of `all_fields`: without energy no energy field,
/// without constraints no multipliers.
std::vector<FieldLayout> saved_layouts(const SystemInfo& system, const SavedFields& fields);
/// Names and units along the dimension of a whole field: coordinates, rates, constraints, ...; empty for a scalar.
const std::vector<Variable>& labels_of(const SystemInfo& system, Field field);
/// Unit of a derivative.
std::string ratio_unit(const std::string& unit, const std::string& by);

}  // namespace kalaba
