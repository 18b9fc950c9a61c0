#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/operations.hpp"
#include "kalaba/run.hpp"

namespace kalaba::bench {

/// Seconds of one member's whole run, by what they are spent on.
struct Phases {
  double sampling = 0;
  double start = 0;
  double advance = 0;
  double observe = 0;

  double total() const { return sampling + start + advance + observe; }
};

/// Measured run: the members of a system as in a run that writes no file.
struct Subject {
  const System* system = nullptr;
  const MemberSource* source = nullptr;
  Options options;       ///< the backend is a certain one, never automatic
  long members = 0;      ///< measured at once; 0: as many as use all threads and let a whole run fit the time
  double seconds = 1.0;  ///< to spend, about
};

/// How fast a system runs on one backend: medians over `repeats` repetitions after a warm-up.
struct Measurement {
  std::string system;  ///< with its size: "chain links=4"
  Options options;
  std::string device;
  long members = 0;
  long steps = 0;        ///< measured, from the start of the run
  long whole_steps = 0;  ///< of the run
  long repeats = 0;
  std::string failure;                     ///< empty, or why there are no figures
  double steps_per_second = 0;             ///< of all members together, while they advance
  std::optional<double> pairs_per_second;  ///< interactions of two agents, of a swarm by all pairs
  double members_per_second = 0;           ///< whole runs: sampling, start, every step and every saved time
  Phases phases;
  double bytes_per_member = 0;       ///< of the block and its observation, in the memory of this machine
  std::optional<double> step_flops;  ///< Operations::flops of a step, where they are known (cpu only)
  double peak_flops = 0;             ///< of the threads used; 0 where it is not known
  /// Lower bound on the share of the peak that the advance reaches.
  std::optional<double> peak_share() const;
};

/// Measures. Members that fail leave a Measurement with a failure and no figures. Throws Error on an absent backend.
Measurement measure(const Subject& subject);

/// The middle one of these, or the mean of the two in the middle. There must be one.
double median(std::vector<double> values);

/// "chain links=4"; the name alone where a system has no size.
std::string label(const SystemInfo& info);

}  // namespace kalaba::bench
