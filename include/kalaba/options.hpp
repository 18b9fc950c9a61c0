#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/core/model/method.hpp"
#include "kalaba/core/model/model.hpp"
#include "kalaba/event.hpp"
#include "kalaba/fields.hpp"

namespace kalaba {

enum class Backend : int { automatic, reference, cpu, cuda };
enum class Precision : int { double_precision, single_precision };

constexpr std::string_view backend_name(Backend backend) {
  constexpr std::string_view names[] = {"auto", "reference", "cpu", "cuda"};
  return names[static_cast<int>(backend)];
}
constexpr std::string_view precision_name(Precision precision) {
  return precision == Precision::double_precision ? "double" : "single";
}
constexpr std::string_view pseudo_inverse_name(PseudoInverse method) { return facts_of(method).name; }
/// Returns "svd", "qr" or "ldlt" for messages: the pseudo-inverses of the core, which are valid with all options.
std::string core_pseudo_inverses();
constexpr std::string_view integrator_name(Integrator integrator) { return facts_of(integrator).name; }

/// Selects when a model is compiled at run time, for the CPU of this machine.
enum class Compile : int {
  automatic,  ///< if it was not compiled with the program
  never,
  always
};
constexpr std::string_view compile_name(Compile when) {
  constexpr std::string_view names[] = {"auto", "never", "always"};
  return names[static_cast<int>(when)];
}

/// Summation method of the pair forces of a swarm.
enum class PairSum : int {
  automatic,  ///< the fastest of the methods below
  all_pairs,  ///< N^2 pairs
  cells,      ///< neighbouring cells: exact, for laws with a cutoff
  multipole   ///< fast multipole method, accurate to pair_tolerance: for laws without a cutoff
};
constexpr std::string_view pair_sum_name(PairSum method) {
  constexpr std::string_view names[] = {"auto", "all_pairs", "cells", "multipole"};
  return names[static_cast<int>(method)];
}

/// A statistic over the members that are ok at a saved time.
enum class Statistic : int {
  mean,
  std,
  min,
  max,
  quantiles,
  histogram,
  correlation,
  gradient  ///< of mean, variance, std and quantiles, along the sensitivities
};

inline constexpr std::array all_statistics = {Statistic::mean,        Statistic::std,       Statistic::min,
                                              Statistic::max,         Statistic::quantiles, Statistic::histogram,
                                              Statistic::correlation, Statistic::gradient};
constexpr std::string_view statistic_name(Statistic statistic) {
  constexpr std::string_view names[] = {"mean",      "std",       "min",         "max",
                                        "quantiles", "histogram", "correlation", "gradient"};
  return names[static_cast<int>(statistic)];
}

/// Range of a histogram, in the units of its component.
struct HistogramRange {
  std::string component = {};  ///< name in the field's layout: "x", "lambda_1", "energy", ...
  double low = 0;              ///< lower bound of the first bin
  double high = 1;             ///< upper bound of the last bin
};

/// Statistics over the ensemble, for each saved time and each component of the requested fields. Computed by
/// StatisticsSink (kalaba/statistics.hpp), which is part of the output files.
struct StatisticsOptions {
  std::vector<Statistic> kinds = {};                  ///< empty: no statistics
  std::vector<double> quantiles = {0.05, 0.5, 0.95};  ///< ascending, in 0 ... 1; the median is 0.5
  long bins = 40;                                     ///< of every histogram, of equal width
  std::vector<HistogramRange> histograms = {};        ///< components with a histogram
  /// Inputs that components are correlated with: "parameters.L", or "initial.x" for a coordinate or rate, in its given
  /// value before any projection.
  std::vector<std::string> inputs = {};
  std::string group_by = {};  ///< an input; count, mean, std, min and max are also computed for each group of members
  std::vector<double> groups = {};  ///< values of `group_by` that define the groups; ascending

  bool any() const { return !kinds.empty(); }
  bool has(Statistic kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }
};

/// Variables of differentiation of a run, in the form for backends (kalaba/sensitivities.hpp).
struct SensitivityPlan {
  std::vector<int> of = {};  ///< indices into the parameters, then the coordinates, then the rates
  /// By coordinate, then rate: 0 if its initial value is given or has a column, else 1: the initial value then follows
  /// from the parameters and the other initial values.
  std::vector<unsigned char> follows = {};
  /// Computes the initial values that are not given (System::complete_start).
  std::function<void(const double* parameters, const double* given, double* q, double* w)> complete_start = nullptr;
};

/// Options of a run. `default_options(system)` initializes them with the system's own time grid and stabilisation.
struct Options {
  Backend backend = Backend::automatic;
  Precision precision = Precision::double_precision;
  Method method = {};
  TimeGrid time = {};  ///< start, end, dt (s; first trial step if adaptive) and save_every (steps)
  /// Saved times instead of every save_every steps: ascending, in start ... end, s. They need not coincide with steps,
  /// and the motion does not depend on them.
  std::vector<double> save_at = {};
  bool project_start = true;  ///< projects the initial state onto the constraints first
  SavedFields fields = {Field::q, Field::w, Field::residual, Field::violation, Field::energy};
  Compile compile = Compile::automatic;   ///< for the backend cpu
  int threads = 0;                        ///< worker threads of the CPU backends; 0: one per usable CPU
  long block_members = 0;                 ///< members in memory at once; 0: chosen from memory_budget
  double memory_budget = 256e6;           ///< bytes for one block of members, and the same again for statistics
  std::vector<int> devices = {};          ///< GPUs to use, by number; empty: all
  int threads_per_member = 0;             ///< on a GPU: 1, 4, 8, 16 or 32; 0: chosen by the resources of the kernel
  PairSum pair_sum = PairSum::automatic;  ///< of a swarm
  double pair_tolerance = 1e-6;           ///< of the multipole method: relative error of the pair forces (2-norm)
  StatisticsOptions statistics = {};
  std::vector<Event> events = {};      ///< at most Watch::most_events; not for swarms
  std::vector<Clock> clocks = {};      ///< at most Watch::most_clocks; not for swarms
  Watch watch = {};                    ///< compiled events and clocks; set by `run`
  SensitivityPlan sensitivities = {};  ///< for a system with sensitivity columns; set by `run`
  bool trajectories = true;            ///< output files contain every member; false: only statistics and events
  int compression = 0;                 ///< deflate level of finished netCDF files, 1 to 9; 0: not compressed
};

}  // namespace kalaba
