#pragma once

#include <vector>

#include "backend/reference/sensitivity.hpp"
#include "kalaba/block.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/fields.hpp"

namespace kalaba::reference {

/// Extracts the numbers of one member from rows with one column per member.
Vector gather(const std::vector<double>& rows, int count, long stride, long member);
void scatter(const Vector& values, long stride, long member, std::vector<double>& rows);

/// Allocates the fields of a block in `out`, filled with NaN.
void prepare(const MechanicalModel& model, int columns, const Block& block, FieldSet fields, Observation& out);

/// Returns the variables of watched expressions other than the state (WatchedRows), of which the energy and the
/// invariants are computed and all others are NaN.
Vector state_rows(const MechanicalModel& model, int contacts, const Instant& x);

/// Computes the fields of a member at x; `known_rank` is its rank from earlier steps.
void observe_member(const MechanicalModel& model, const Method& method, int known_rank, long stride, long member,
                    const Instant& x, Observation& out);

/// Computes a member's columns of sensitivities at x, and the fields derived from them.
void observe_columns(const MechanicalModel& model, const Method& method, int known_rank, const SensitivityPlan& plan,
                     const Instant& x, const SensitivityColumns& columns, long stride, long member, Observation& out);

}  // namespace kalaba::reference
