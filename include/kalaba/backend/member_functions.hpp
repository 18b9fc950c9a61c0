#pragma once

#include "kalaba/core/base/part.hpp"
#include "kalaba/core/events/event.hpp"
#include "kalaba/core/model/field.hpp"
#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/model.hpp"
#include "kalaba/core/model/status.hpp"
#include "kalaba/core/rate/columns.hpp"

namespace kalaba {

// Interface between the batch driver of a CPU (blocks, threads, fields), which is compiled once, and model-specific
// code, which is compiled ahead of time or at its first run: plain functions on plain memory.

/// Memory of the members of a block: for every Part the rows [row][stride], with one number per member in each row.
struct MemberRows {
  double* parts[part_count];  ///< by Part
  Status* status;             ///< [stride]
  double* failure_time;       ///< [stride], s
  long stride;
};

/// The Pause of packs (core/base/pause.hpp): a word that another thread sets (Runner::pause_on), and the least value of
/// it at which a loop returns. Null: it never does.
struct PauseWord {
  const int* word = nullptr;
  int least = 1;

  bool wanted() const { return word != nullptr && __atomic_load_n(word, __ATOMIC_RELAXED) >= least; }
};

/// Packs of a batch to process, with the options.
struct PackCall {
  MemberRows rows;
  const Method* method;
  const Watch* watch;
  const Sensitivities* sensitivities;
  long first;                   ///< first pack
  long last;                    ///< one past the last pack
  void* workspace;              ///< of a thread, `workspace_bytes` of it; null if the functions need none
  const void* model = nullptr;  ///< MemberFunctions::model
  PauseWord pause = {};         ///< of `advance` and `observe_between`
  long* made = nullptr;         ///< [pack], of `advance`: steps that the pack has made of the call
};

/// Output arrays of observations: [component][stride] for each field, or null if it is not requested.
struct ObservedRows {
  double* fields[field_count];
  Status* status;  ///< [stride]
};

/// Floating-point operations by kind. Changes of sign and absolute values are bit operations, and not counted.
struct Operations {
  double additions = 0;  ///< additions and subtractions
  double multiplications = 0;
  double fused = 0;  ///< multiply-adds
  double divisions = 0;
  double roots = 0;      ///< square roots and their reciprocals
  double choices = 0;    ///< comparisons and selections
  double functions = 0;  ///< sin, exp, pow, ...

  /// By the usual convention: a multiply-add counts as two, a choice as none, everything else as one. The hardware cost
  /// of a division, a root or a sine is higher, so a fraction of peak computed from this is a lower bound.
  double flops() const { return additions + multiplications + 2 * fused + divisions + roots + functions; }
};

/// Functions of one model, precision, pseudo-inverse and integrator for packs of members.
struct MemberFunctions {
  int lanes;
  int parameters;
  int coordinates;
  int rates;
  int rotations;                ///< rows of Part::rotation
  int persistent;               ///< rows of Part::persistent
  int components[field_count];  ///< of each field
  long workspace_bytes;         ///< 0 if the workspace is on the stack
  void (*start)(const PackCall& call, double time, int project);
  /// Makes the steps that call.made does not include yet, and counts them. Returns early after a pause request.
  void (*advance)(const PackCall& call, const TimeGrid& time, long first_step, long steps);
  void (*observe)(const PackCall& call, double time, const ObservedRows& out);
  void (*observe_between)(const PackCall& call, const TimeGrid& time, long step, double t, const ObservedRows& out);
  Operations* operations = nullptr;  ///< operations done so far, if the number type counts them
  const void* model = nullptr;       ///< an InterpretedModel, if the functions serve any model
};

/// Elementary functions of packs, for one register of numbers at a time: from `in` to `out`.
template <class T>
struct PackMathematics {
  void (*sin)(const T* in, T* out);
  void (*cos)(const T* in, T* out);
  void (*tan)(const T* in, T* out);
  void (*asin)(const T* in, T* out);
  void (*acos)(const T* in, T* out);
  void (*atan)(const T* in, T* out);
  void (*exp)(const T* in, T* out);
  void (*log)(const T* in, T* out);
  void (*tanh)(const T* in, T* out);
  void (*pow)(const T* in, const T* exponent, T* out);
  void (*atan2)(const T* y, const T* x, T* out);
};

}  // namespace kalaba
