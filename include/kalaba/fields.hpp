#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/core/model/field.hpp"

namespace kalaba {

struct SystemInfo;

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

  /// Numbers per member.
  std::size_t size() const { return components.size() * static_cast<std::size_t>(agents > 0 ? agents : 1); }
};

std::string_view field_name(Field field);
/// Returns a layout without components if the system has no such field (no energy, no invariants).
FieldLayout field_layout(const SystemInfo& system, Field field);
bool has_field(const SystemInfo& system, Field field);
/// Unit of a derivative.
std::string ratio_unit(const std::string& unit, const std::string& by);

}  // namespace kalaba
