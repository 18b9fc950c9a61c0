#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/measure.hpp"

namespace kalaba::bench {

/// One run of a work-precision diagram.
struct WorkPoint {
  double setting = 0;  ///< dt of equal steps, s; else the relative tolerance
  double steps = 0;    ///< of a member, including rejected ones; NaN if they are not counted
  double seconds = 0;  ///< of the whole run of a member, on one thread
  double error = 0;    ///< at the end: the worst of the members' numbers, as a share of its size; NaN: members failed
  std::string failure = "";  ///< or why there are no figures
};

struct WorkCurve {
  std::string name;  ///< of the integrator, or of a peer
  bool adapts = false;
  std::vector<WorkPoint> points;  ///< the coarsest first
};

/// Errors at the end of a run, each number as a share of the largest of its unit.
class EndErrors {
 public:
  EndErrors() = default;
  EndErrors(const Block& solution, const SystemInfo& info);
  /// The worst of another block of the same members. NaN where one is.
  double of(const Block& block) const;

 private:
  std::vector<std::vector<double>> rows_;  ///< of every coordinate, then rate: [member]
  std::vector<double> sizes_;
};

/// How much time an integrator takes for how small an error.
struct WorkPrecision {
  std::string system;
  std::string device;
  Options options;  ///< but for what the curves vary
  long members = 0;
  EndErrors errors;  ///< from the solution
  /// Difference of two solutions by different integrators; smaller errors cannot be distinguished from theirs.
  double trusted = 0;
  std::string judges;  ///< which two
  std::vector<WorkCurve> curves;

  bool is_resolved(const WorkPoint& point) const { return point.failure.empty() && point.error > 2 * trusted; }
};

/// Every integrator at steps and tolerances from coarse to fine, on one thread, each against a solution of dop853 at
/// the tightest tolerance that RK4 with decreasing steps confirms. Throws Error if the two differ by more than 1e-8, if
/// one of their members fails, and for swarms. Calls `report` before every curve. Replaces the saved fields, events and
/// steps of the subject's options.
WorkPrecision work_precision(const Subject& subject, const std::function<void(const std::string&)>& report = {});

/// The time a member takes for an error, between the two points that enclose it, on log scales; NaN where none do.
double seconds_for(const WorkPrecision& all, const WorkCurve& curve, double error);

}  // namespace kalaba::bench
