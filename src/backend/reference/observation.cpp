#include "backend/reference/observation.hpp"

#include <functional>
#include <limits>

#include "backend/reference/linear.hpp"
#include "backend/reference/rate.hpp"
#include "kalaba/core/events/event.hpp"

namespace kalaba::reference {
namespace {

int components(const MechanicalModel& model, int columns, const Block& block, Field field) {
  switch (field) {
    case Field::q:
      return block.coordinate_count;
    case Field::w:
    case Field::constraint_force:
    case Field::ideal_force:
    case Field::non_ideal_force:
    case Field::constraint_rate:
    case Field::balance_rate:
      return block.rate_count;
    case Field::multipliers:
    case Field::constraints:
      return model.holonomic + model.nonholonomic;
    case Field::energy:
      return model.has_energy ? 1 : 0;
    case Field::invariants:
      return model.invariant_count;
    case Field::joint_reactions:
      return model.reaction_count;
    case Field::q_sensitivity:
      return columns * block.coordinate_count;
    case Field::w_sensitivity:
      return columns * block.rate_count;
    case Field::energy_sensitivity:
      return model.has_energy ? columns : 0;
    case Field::invariants_sensitivity:
      return columns * model.invariant_count;
    case Field::multipliers_sensitivity:
      return columns * (model.holonomic + model.nonholonomic);
    case Field::lyapunov_exponents:
      return 0;
    default:
      return 1;
  }
}

/// Writes a member's values to the rows of the field, if the field was requested.
void put(Field field, const Matrix& values, long stride, long member, Observation& out) {
  std::vector<double>& rows = out.values[static_cast<std::size_t>(field)];
  if (!rows.empty()) scatter(values.reshaped(), stride, member, rows);
}

}  // namespace

Vector gather(const std::vector<double>& rows, int count, long stride, long member) {
  if (count == 0) return {};
  return Eigen::Map<const Vector, 0, Eigen::InnerStride<>>(rows.data() + member, count, Eigen::InnerStride<>(stride));
}

void scatter(const Vector& values, long stride, long member, std::vector<double>& rows) {
  for (long i = 0; i < values.size(); ++i) rows[static_cast<std::size_t>(i * stride + member)] = values[i];
}

Vector state_rows(const MechanicalModel& model, int contacts, const Instant& x) {
  const WatchedRows at = {model.invariant_count, model.holonomic + model.nonholonomic, contacts};
  Vector found = Vector::Constant(at.rows(), std::numeric_limits<double>::quiet_NaN());
  found[at.energy()] = model.energy(x);
  found.segment(at.invariant(0), at.invariants) = model.invariants(x);
  return found;
}

void prepare(const MechanicalModel& model, int columns, const Block& block, FieldSet fields, Observation& out) {
  const auto stride = static_cast<std::size_t>(block.stride);
  out.status = block.status;
  for (const Field field : all_fields) {
    const auto rows = static_cast<std::size_t>(fields.has(field) ? components(model, columns, block, field) : 0);
    out.values[static_cast<std::size_t>(field)].assign(rows * stride, std::numeric_limits<double>::quiet_NaN());
  }
}

void observe_member(const MechanicalModel& model, const Method& method, int known_rank, long stride, long member,
                    const Instant& x, Observation& out) {
  const auto put = [&](Field field, const Vector& values) { reference::put(field, values, stride, member, out); };
  const auto scalar = [](double value) { return Vector::Constant(1, value); };
  put(Field::q, x.q);
  put(Field::w, x.w);
  put(Field::violation, scalar(max_norm(violation(model, x))));
  put(Field::energy, scalar(model.energy(x)));
  put(Field::invariants, model.invariants(x));
  Vector constraints(model.holonomic + model.nonholonomic);
  constraints << model.phi(x), model.psi(x);
  put(Field::constraints, constraints);
  const Rate rate = evaluate_rate(model, method, RankChoice::at_step(method, known_rank), x);
  if (rate.status != Status::ok) return;
  put(Field::constraint_force, rate.constraint_force());
  put(Field::ideal_force, rate.ideal_force);
  put(Field::non_ideal_force, rate.non_ideal_force);
  put(Field::constraint_rate, rate.constraint_rate);
  put(Field::balance_rate, rate.w_dot - rate.constraint_rate);
  put(Field::multipliers, rate.multipliers);
  put(Field::joint_reactions, model.reactions(x, rate.w_dot, rate.multipliers));
  put(Field::residual, scalar(max_norm(rate.residual())));
  put(Field::rank, scalar(rate.rank));
  put(Field::sigma_kept, scalar(rate.sigma_kept));
  put(Field::sigma_dropped, scalar(rate.sigma_dropped));
}

void observe_columns(const MechanicalModel& model, const Method& method, int known_rank, const SensitivityPlan& plan,
                     const Instant& x, const SensitivityColumns& columns, long stride, long member, Observation& out) {
  put(Field::q_sensitivity, columns.q, stride, member, out);
  put(Field::w_sensitivity, columns.w, stride, member, out);
  const auto put_slopes = [&](Field field, const std::function<Vector(const Instant&)>& value) {
    if (out.values[static_cast<std::size_t>(field)].empty()) return;
    put(field, slopes_of(plan, value, x, columns), stride, member, out);
  };
  put_slopes(Field::energy_sensitivity, [&](const Instant& at) { return Vector::Constant(1, model.energy(at)); });
  put_slopes(Field::invariants_sensitivity, [&](const Instant& at) { return model.invariants(at); });
  put_slopes(Field::multipliers_sensitivity, [&](const Instant& at) {
    const Rate rate = evaluate_rate(model, method, RankChoice::at_step(method, known_rank), at);
    if (rate.status == Status::ok && rate.rank == rate.multipliers.size()) return rate.multipliers;
    return Vector(Vector::Constant(model.holonomic + model.nonholonomic, std::numeric_limits<double>::quiet_NaN()));
  });
}

}  // namespace kalaba::reference
