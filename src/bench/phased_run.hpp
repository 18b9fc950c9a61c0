#pragma once

#include <memory>
#include <string>

#include "backend/device_runner.hpp"
#include "bench/measure.hpp"

namespace kalaba::bench {

/// Seconds that one repetition spent on all its members. On a device, `sampling` is that of the last repetition that
/// sampled anew, and `advance` is read from the device's clock.
struct Timing {
  double sampling = 0;
  double start = 0;
  double advance = 0;  ///< of every step
  double observe = 0;  ///< of every saved time
  long observations = 0;

  double total() const { return sampling + start + advance + observe; }
};

/// A run of one block on one backend, to be repeated with a clock on each of its phases. On a device that measures
/// itself (DeviceRunner) all steps are one launch and the state stays there until `failure` or `block` reads it: on a
/// GPU a download takes longer than many steps.
class PhasedRun {
 public:
  explicit PhasedRun(const Subject& subject);

  /// Makes room for `members`. Returns how many of them the backend holds at once.
  long reserve(long members);
  /// True if the device measures its own times.
  bool timed() const { return timed_ != nullptr; }
  /// Samples `members` members and takes them through the first `steps` steps, which are saved as the options say.
  Timing run(long members, long steps);

  const std::string& device() const { return device_; }
  /// "" or what became of the members of the last repetition: "3 of 64 members failed, the first by non_finite at 2 s".
  std::string failure();
  /// Returns the steps of all members in the last repetition, of `steps` each: a member that an event stops makes
  /// fewer.
  double member_steps(long steps) const;
  /// The members of the last repetition, at its end.
  const Block& block();
  /// Memory of the last repetition.
  double bytes_per_member() const;

 private:
  double observe(double time);
  void sample(long members, Timing& spent);
  void advance(long steps, Timing& spent);
  void fetch();

  Subject subject_;  // with completed options
  std::unique_ptr<Runner> runner_;
  DeviceRunner* timed_;
  std::string device_;
  FieldSet fields_;
  Block block_;
  Observation observation_;
  long capacity_;
  double sampling_ = 0;       // s, of the members that block_ holds
  bool holds_start_ = false;  // block_ holds the sampled members
  bool is_behind_ = false;    // block_ does not yet hold the state that the device has
};

}  // namespace kalaba::bench
