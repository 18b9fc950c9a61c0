#include "backend/cuda/observation_reduction.hpp"

#include <algorithm>
#include <new>

#include "backend/cuda/driver.hpp"

namespace kalaba::cuda {
namespace {

/// Merges the results of some rows with those of earlier members.
class Receiver final : public ReductionReceiver {
 public:
  explicit Receiver(ReducedFrame::Component* components) : components_(components) {}

  long ok_members() const { return ok_members_; }

  void take_ok_members(long count) override { ok_members_ = count; }
  void take_leaves(int row, const Moments* leaves, long count) override {
    auto& all = components_[row].leaves;
    all.insert(all.end(), leaves, leaves + count);
  }
  void take_sample(int row, int level, long index, const Sample& sample, const double* numbers) override {
    components_[row].nodes.push_back({level, index, sample, {numbers, numbers + sample.size}});
  }

 private:
  ReducedFrame::Component* components_;
  long ok_members_ = 0;
};

/// Converts errors of the CUDA runtime and of Thrust to the error types of the driver.
template <class Work>
void convert_errors(const Work& work) {
  const std::string doing = "cuda: reducing the members to statistics: ";
  try {
    work();
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc& error) {
    throw OutOfMemory(doing + error.what());
  } catch (const std::exception& error) {
    throw Error(ExitCode::internal_error, doing + error.what());
  }
}

}  // namespace

ObservationReduction::ObservationReduction(FieldSet requested, const StatisticsPlan& plan, const Components& components)
    : requested_(requested), size_{plan.kept, plan.exact_members}, components_(components) {}

int ObservationReduction::requested_rows() const {
  int rows = 0;
  for (const Field field : all_fields) {
    if (requested_.has(field)) rows += components_[static_cast<std::size_t>(field)];
  }
  return rows;
}

void ObservationReduction::reserve(long members) {
  workspace_ = DeviceBuffer();
  const ObservedBatch largest = {nullptr, nullptr, requested_rows(), members, 0, members};
  workspace_ = DeviceBuffer(reduction_workspace_bytes(largest, size_));
}

double ObservationReduction::bytes_a_member() const {
  const ObservedBatch leaf = {nullptr, nullptr, requested_rows(), leaf_members, 0, leaf_members};
  constexpr double with_thrust = 2;
  return with_thrust * static_cast<double>(reduction_workspace_bytes(leaf, size_)) / leaf_members;
}

ObservationReduction::Rows ObservationReduction::rows_of(FieldSet observed, Field field) const {
  int row = 0;
  for (const Field before : all_fields) {
    if (before == field) break;
    if (observed.has(before)) row += components_[static_cast<std::size_t>(before)];
  }
  return {row, observed.has(field) ? components_[static_cast<std::size_t>(field)] : 0};
}

std::vector<ObservationReduction::Rows> ObservationReduction::asked_rows(FieldSet observed) const {
  std::vector<Rows> all;
  for (const Field field : all_fields) {
    if (!requested_.has(field)) continue;
    const Rows rows = rows_of(observed, field);
    if (rows.count == 0) continue;
    if (!all.empty() && all.back().begin + all.back().count == rows.begin) {
      all.back().count += rows.count;
    } else {
      all.push_back(rows);
    }
  }
  return all;
}

void ObservationReduction::reduce(const Observed& observed, const Stream& stream, ReducedObservation& out) {
  ReducedFrame& frame = out.frame;
  frame.components.resize(static_cast<std::size_t>(requested_rows()));
  const auto batch_of = [&](const Rows& rows) {
    return ObservedBatch{observed.numbers, observed.numbers + (1 + rows.begin) * observed.stride,
                         rows.count,       observed.stride,
                         observed.first,   observed.members};
  };
  const auto worst = [&](Field field) {
    const Rows rows = rows_of(observed.fields, field);
    return rows.count == 0 ? 0.0 : greatest_of_ok(batch_of(rows), stream.get());
  };
  convert_errors([&] {
    long ok_members = 0;
    int component = 0;
    for (const Rows& rows : asked_rows(observed.fields)) {
      Receiver receiver(frame.components.data() + component);
      reduce_batch(batch_of(rows), size_, workspace_.data<void>(), workspace_.bytes(), stream.get(), receiver);
      ok_members = receiver.ok_members();  // equal for all rows
      component += rows.count;
    }
    frame.ok_members += ok_members;
    out.worst_violation = std::max(out.worst_violation, worst(Field::violation));
    out.worst_residual = std::max(out.worst_residual, worst(Field::residual));
  });
}

}  // namespace kalaba::cuda
