#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kalaba/core/method.hpp"
#include "kalaba/core/model.hpp"
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
/// "svd", "qr" or "ldlt": those of the core, which go with everything, as messages name them.
std::string core_pseudo_inverses();
constexpr std::string_view integrator_name(Integrator integrator) { return facts_of(integrator).name; }

/// When a model is compiled on the machine that runs it, for its CPU.
enum class Compile : int {
  automatic,  ///< where it was not compiled with the program
  never,
  always
};
constexpr std::string_view compile_name(Compile when) {
  constexpr std::string_view names[] = {"auto", "never", "always"};
  return names[static_cast<int>(when)];
}

/// How the pair forces of a swarm are summed.
enum class PairSum : int {
  automatic,  ///< the method below that takes the least time
  all_pairs,  ///< N^2 pairs
  cells,      ///< neighbouring cells: exact, for laws with a cutoff
  multipole   ///< fast multipole method, within pair_tolerance: for laws without a cutoff
};
constexpr std::string_view pair_sum_name(PairSum method) {
  constexpr std::string_view names[] = {"auto", "all_pairs", "cells", "multipole"};
  return names[static_cast<int>(method)];
}

/// A statistic of the members that are ok at a saved time.
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

/// The range of a histogram, in the units of its component.
struct HistogramRange {
  std::string component = {};  ///< as a field's layout names it: "x", "lambda_1", "energy", ...
  double low = 0;              ///< of the first bin
  double high = 1;             ///< of the last
};

/// Statistics over the ensemble, for each saved time and each component of the asked fields. Computed by StatisticsSink
/// (kalaba/statistics.hpp), which the output files hold.
struct StatisticsOptions {
  std::vector<Statistic> kinds = {};                  ///< none: no statistics
  std::vector<double> quantiles = {0.05, 0.5, 0.95};  ///< ascending, in 0 ... 1; the median is 0.5
  long bins = 40;                                     ///< of every histogram, of even width
  std::vector<HistogramRange> histograms = {};        ///< the components that have one
  /// What components are correlated with: "parameters.L", or "initial.x" of a coordinate or rate, as members are given
  /// it, before any projection.
  std::vector<std::string> inputs = {};
  std::string group_by = {};        ///< an input; count, mean, std, min and max are also taken of the members...
  std::vector<double> groups = {};  ///< ...that have each of these values of it; ascending

  bool any() const { return !kinds.empty(); }
  bool has(Statistic kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }
};

/// What a run's sensitivities are along, as its backend reads it (kalaba/sensitivities.hpp).
struct SensitivityPlan {
  std::vector<int> of = {};                 ///< into the parameters, then the coordinates, then the rates
  /// By coordinate, then rate: 0 where its start is given; else 1, or 2 where a column is along it: it then follows from
  /// the parameters, and stays where another start moves.
  std::vector<unsigned char> follows = {};
  /// Writes the starts that are not given (System::complete_start).
  std::function<void(const double* parameters, const double* given, double* q, double* w)> complete_start = nullptr;

  /// Whether the start at this place among the coordinates and rates is given in the column along input `of`.
  bool is_given(std::size_t place, int of, int parameters) const {
    const bool of_start = of >= parameters;
    return follows[place] == 0 || (of_start && (follows[place] == 2 || static_cast<int>(place) == of - parameters));
  }
};

/// Options of a run. `default_options(system)` starts from the system's own time grid and stabilisation.
struct Options {
  Backend backend = Backend::automatic;
  Precision precision = Precision::double_precision;
  Method method = {};
  TimeGrid time = {};  ///< start, end, dt (s) and save_every (steps); adaptive steps begin by trying dt
  /// Saved times in place of every save_every steps: ascending, in start ... end, s. They need not be times of steps,
  /// and the motion does not depend on them.
  std::vector<double> save_at = {};
  bool project_start = true;  ///< put the initial state on the constraints first
  FieldSet fields = {Field::q, Field::w, Field::residual, Field::violation, Field::energy};
  Compile compile = Compile::automatic;   ///< of the backend cpu
  int threads = 0;                        ///< worker threads of the CPU backends; 0: one a usable CPU
  long block_members = 0;                 ///< members held at once; 0: chosen from memory_budget
  double memory_budget = 256e6;           ///< bytes for one block of members, and as many for statistics
  std::vector<int> devices = {};          ///< GPUs to use, by number; none: every one
  int threads_per_member = 0;             ///< of a GPU: 1, 4, 8, 16 or 32; 0: chosen by what the kernel needs
  PairSum pair_sum = PairSum::automatic;  ///< of a swarm
  double pair_tolerance = 1e-6;           ///< of the multipole method: relative error of the pair forces (2-norm)
  StatisticsOptions statistics = {};
  std::vector<Event> events = {};      ///< Watch::most_events at most; not of a swarm of any size
  Watch watch = {};                    ///< the programs of the events; `run` writes them
  SensitivityPlan sensitivities = {};  ///< of a system that has columns of them; `run` writes it
  bool trajectories = true;            ///< output files hold every member; false: statistics and events alone
};

}  // namespace kalaba
