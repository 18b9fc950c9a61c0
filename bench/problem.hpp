#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"

namespace kalaba::bench {

/// What Kalaba and its peers are given alike: a system, its members, the steps of RK4 and the method.
struct Problem {
  std::string name;
  System system;
  long members = 0;
  long steps = 0;
  Method method;
  /// Sets the members' parameters and starts.
  std::function<void(Ensemble&)> vary;
  double tolerance = 0;  ///< relative, of peers that choose their steps; the absolute one is a hundredth of it

  static constexpr double dt = 1e-3;  // s
  int n() const { return static_cast<int>(system.info.rates.size()); }
  int m() const { return static_cast<int>(system.info.constraints.size()); }
  Ensemble ensemble() const;
  Ensemble first(long count) const;  ///< of its members
};

/// Coordinates at the end, [coordinate][member].
using Ends = std::vector<double>;

/// Someone who solves a problem, on one core.
class Contender {
 public:
  virtual ~Contender() = default;
  /// Takes every member from its start to the end. What this takes is what is measured.
  virtual void run(Ends& ends) = 0;
  /// CPU time that the last run took in another process, s.
  virtual double seconds_elsewhere() const { return 0; }
};

/// Someone to compare with.
struct Peer {
  std::string name;
  std::string absence;  ///< empty, or why it cannot be measured here
  std::function<std::unique_ptr<Contender>(const Problem&)> make;
  double tolerance = 1e-11;  ///< on what its coordinates may differ by
  std::string version = "";  ///< of its library
};

/// The library as its users have it: run(), on one thread, for the first members of a problem.
class KalabaContender final : public Contender {
 public:
  KalabaContender(const Problem& problem, Backend backend, long members);
  void run(Ends& ends) override;

 private:
  const Problem* problem_;
  Ensemble ensemble_;
  Options options_;
};

/// The largest difference of two ends, over the members that both have.
double difference(const Problem& problem, const Ends& some, const Ends& others);

/// The largest |phi| of the ends.
double violation(const Problem& problem, const Ends& ends);

}  // namespace kalaba::bench
