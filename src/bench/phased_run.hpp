#pragma once

#include <memory>
#include <string>

#include "bench/measure.hpp"

namespace kalaba::bench {

/// Seconds that one repetition spent on all its members.
struct Timing {
  double sampling = 0;
  double start = 0;
  double advance = 0;  ///< of every step
  double observe = 0;  ///< of every saved time
  long observations = 0;

  double total() const { return sampling + start + advance + observe; }
};

/// A run of one block on one backend, to be repeated with a clock on each of its phases.
class PhasedRun {
 public:
  explicit PhasedRun(const Subject& subject);

  /// Samples `members` members and takes them through the first `steps` steps, which are saved as the options say.
  Timing run(long members, long steps);

  const std::string& device() const { return device_; }
  /// "" or what became of the members of the last repetition: "3 of 64 members failed, the first by non_finite at 2 s".
  std::string failure() const;
  /// Steps that the members of the last repetition made of so many: those that events stopped made none from then on.
  double member_steps(long steps) const;
  /// The members of the last repetition, at its end.
  const Block& block() const { return block_; }
  /// Memory of the last repetition.
  double bytes_per_member() const;

 private:
  double observe(double time);

  const Subject* subject_;
  std::unique_ptr<Runner> runner_;
  std::string device_;
  FieldSet fields_;
  Block block_;
  Observation observation_;
  long capacity_;
};

}  // namespace kalaba::bench
