#pragma once

#include "kalaba/core/base/part.hpp"
#include "kalaba/core/base/portable.hpp"
#include "kalaba/core/events/event.hpp"

namespace kalaba {

/// A batch in device memory: rows of one double per member, with the member fastest, so that neighbouring threads
/// access neighbouring addresses:
///
///     row 0:  member 0, 1, 2, ... pad
///     row 1:  member 0, 1, 2, ... pad
///             <------ stride ------->
struct Batch {
  double* data;
  long members;
  long stride;

  KALABA_FN double& at(int row, long member) const { return data[row * stride + member]; }
};

/// Row numbers of a batch, in the order of the functions. The host writes the parameters and the state and reads the
/// state and the numbers after it; the private data of a member come last.
struct BatchLayout {
  int parameters;
  int coordinates;
  int rates;
  int rotations;    ///< numbers of a pseudo-inverse's warm start; 0 if it has none
  int persistent;   ///< sensitivity columns, and the state of an adaptive integrator (backend/kept_columns.hpp)
  int events = 0;   ///< events that are detected
  int columns = 0;  ///< of sensitivities
  bool has_clocks = false;

  KALABA_FN constexpr int parameter() const { return 0; }
  KALABA_FN constexpr int q() const { return parameters; }
  KALABA_FN constexpr int w() const { return q() + coordinates; }
  KALABA_FN constexpr int status() const { return w() + rates; }
  KALABA_FN constexpr int failure_time() const { return status() + 1; }
  /// Row of a part with one row; these parts follow one another in the order of Part.
  KALABA_FN constexpr int single(Part part) const {
    return failure_time() + 1 + static_cast<int>(part) - static_cast<int>(first_single_part);
  }
  KALABA_FN constexpr int rotation() const { return single(last_single_part) + 1; }
  KALABA_FN constexpr int persistent_number() const { return rotation() + rotations; }
  KALABA_FN constexpr int event() const { return persistent_number() + persistent; }  ///< rows as EventRows orders them
  KALABA_FN constexpr int event_rows() const { return EventRows{coordinates, rates, columns}.rows(events, has_clocks); }
  KALABA_FN constexpr int rows() const { return event() + event_rows(); }
  KALABA_FN constexpr int first(Part part) const {
    if (part >= first_single_part && part <= last_single_part) return single(part);
    const int before[] = {parameter(), q(), w()};
    const int after[] = {rotation(), persistent_number(), event()};
    return part < first_single_part ? before[static_cast<int>(part)]
                                    : after[static_cast<int>(part) - static_cast<int>(last_single_part) - 1];
  }
};

/// Distribution of members in a launch: `workers` neighbouring threads of a block share one member.
struct Grid {
  int workers;        ///< threads per member
  int block_threads;  ///< a multiple of workers

  KALABA_FN constexpr int block_members() const { return block_threads / workers; }
  KALABA_FN constexpr long blocks(long members) const { return (members + block_members() - 1) / block_members(); }
  KALABA_FN constexpr int place(int thread) const { return thread / workers; }  ///< position of the member in its block
  KALABA_FN constexpr long member(long block, int thread) const { return block * block_members() + place(thread); }
};

}  // namespace kalaba
