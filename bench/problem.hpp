#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kalaba/ensemble.hpp"

namespace kalaba::bench {

/// Common input of Kalaba and its peers: a system, its members, the steps of RK4 and the method.
struct Problem {
  std::string name;
  System system;
  long members = 0;
  long steps = 0;
  Method method;
  /// Sets the members' parameters and starts.
  std::function<void(Ensemble&)> vary;
  double tolerance = 0;  ///< relative, for peers with adaptive steps; the absolute tolerance is a hundredth of it

  static constexpr double dt = 1e-3;  // s
  int n() const { return static_cast<int>(system.info.rates.size()); }
  int m() const { return static_cast<int>(system.info.constraints.size()); }
  Ensemble ensemble() const;
  Ensemble first(long count) const;  ///< its first `count` members
};

/// Coordinates at the end, [coordinate][member].
using Ends = std::vector<double>;

/// Program that solves a problem, on one core.
class Contender {
 public:
  virtual ~Contender() = default;
  /// Integrates every member from its start to the end. Only this call is timed.
  virtual void run(Ends& ends) = 0;
  /// CPU time of the last run in another process, s.
  virtual double seconds_elsewhere() const { return 0; }
};

/// Alternative with which Kalaba is compared.
struct Peer {
  std::string name;
  std::string absence;  ///< reason why it cannot be measured here; empty: none
  std::function<std::unique_ptr<Contender>(const Problem&)> make;
  double tolerance = 1e-11;  ///< maximum difference of its coordinates
  std::string version = "";  ///< of its library
};

/// Kalaba through its public function run(), on one thread, for the first members of a problem.
class KalabaContender final : public Contender {
 public:
  KalabaContender(const Problem& problem, Backend backend, long members);
  void run(Ends& ends) override;

 private:
  const Problem* problem_;
  Ensemble ensemble_;
  Options options_;
};

/// Maximum difference of two results, over the members that both have.
double difference(const Problem& problem, const Ends& some, const Ends& others);

/// Maximum |phi| of the results.
double violation(const Problem& problem, const Ends& ends);

/// Problem and the peers with which Kalaba is compared on it.
struct Case {
  Problem problem;
  std::vector<Peer> peers;
};

/// All comparisons, in the order of the table.
std::vector<Case> cases();

}  // namespace kalaba::bench
