#pragma once

#include <vector>

#include "backend/reference/sensitivity.hpp"
#include "kalaba/block.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/fields.hpp"

namespace kalaba::reference {

/// Rows of numbers, a column a member: those of one member.
Vector gather(const std::vector<double>& rows, int count, long stride, long member);
void scatter(const Vector& values, long stride, long member, std::vector<double>& rows);

/// Room in `out` for the fields of a block, NaN until they are known.
void prepare(const MechanicalModel& model, int columns, const Block& block, FieldSet fields, Observation& out);

/// The fields of a member at x, of which the rank was known so.
void observe_member(const MechanicalModel& model, const Method& method, int known_rank, long stride, long member,
                    const Instant& x, Observation& out);

/// The fields of a member at x that are its columns of sensitivities, and what is differentiated along them.
void observe_columns(const MechanicalModel& model, const Method& method, int known_rank, const SensitivityPlan& plan,
                     const Instant& x, const SensitivityColumns& columns, long stride, long member, Observation& out);

}  // namespace kalaba::reference
