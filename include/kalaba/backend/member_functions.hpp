#pragma once

#include "kalaba/core/columns.hpp"
#include "kalaba/core/event.hpp"
#include "kalaba/core/field.hpp"
#include "kalaba/core/method.hpp"
#include "kalaba/core/model.hpp"
#include "kalaba/core/part.hpp"
#include "kalaba/core/status.hpp"

namespace kalaba {

// The seam between what drives a batch on a CPU (blocks, threads, fields), which is compiled once, and what knows a
// model, which is compiled ahead of time or when it first runs: plain functions over plain memory.

/// Where a block keeps its members: of every Part the rows [row][stride], a number a member each.
struct MemberRows {
  double* parts[part_count];  ///< by Part
  Status* status;             ///< [stride]
  double* failure_time;       ///< [stride], s
  long stride;
};

/// The Pause of packs (core/pause.hpp): a word that another thread sets (Runner::pause_on), and the least value of it at
/// which a loop returns. Null: it never does.
struct PauseWord {
  const int* word = nullptr;
  int least = 1;

  bool wanted() const { return word != nullptr && __atomic_load_n(word, __ATOMIC_RELAXED) >= least; }
};

/// Packs of a batch to work on, and how.
struct PackCall {
  MemberRows rows;
  const Method* method;
  const Watch* watch;
  const Sensitivities* sensitivities;
  long first;                   ///< pack
  long last;                    ///< behind the last one
  void* workspace;              ///< of a thread, `workspace_bytes` of it; null where the functions need none
  const void* model = nullptr;  ///< MemberFunctions::model
  PauseWord pause = {};         ///< of `advance` and `observe_between`
  long* made = nullptr;         ///< [pack], of `advance`: steps that the pack has made of the call
};

/// Where observations go: of a field [component][stride], or null where it was not asked for.
struct ObservedRows {
  double* fields[field_count];
  Status* status;  ///< [stride]
};

/// Floating-point operations by kind. Changes of sign and magnitudes are masks of bits, and not counted.
struct Operations {
  double additions = 0;  ///< and subtractions
  double multiplications = 0;
  double fused = 0;  ///< multiply-adds
  double divisions = 0;
  double roots = 0;      ///< square roots and their reciprocals
  double choices = 0;    ///< comparisons and selections
  double functions = 0;  ///< sin, exp, pow, ...

  /// By the usual convention: a multiply-add is two, a choice none, everything else one. What a machine does for a
  /// division, a root or a sine is more, so that a share of its peak that rests on this is a lower bound.
  double flops() const { return additions + multiplications + 2 * fused + divisions + roots + functions; }
};

/// What one model, precision, pseudo-inverse and integrator do with packs of members.
struct MemberFunctions {
  int lanes;
  int parameters;
  int coordinates;
  int rates;
  int rotations;                ///< rows of Part::rotation
  int persistent;               ///< rows of Part::persistent
  int components[field_count];  ///< of each field
  long workspace_bytes;         ///< 0 where the stack serves
  void (*start)(const PackCall& call, double time, int project);
  /// Makes the steps that call.made does not count yet, and counts them. Returns early where a pause is wanted.
  void (*advance)(const PackCall& call, const TimeGrid& time, long first_step, long steps);
  void (*observe)(const PackCall& call, double time, const ObservedRows& out);
  void (*observe_between)(const PackCall& call, const TimeGrid& time, long step, double t, const ObservedRows& out);
  Operations* operations = nullptr;  ///< done so far, where the numbers count them
  const void* model = nullptr;       ///< an InterpretedModel, where the functions are of any
};

/// Elementary functions of packs, one register of numbers at a time: from `in` to `out`.
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
