// Boost.odeint in its fastest configuration: state on the stack, algebra for arrays, no virtual calls.

#include <fmt/format.h>

#include <array>
#include <boost/numeric/odeint/algebra/array_algebra.hpp>
#include <boost/numeric/odeint/integrate/integrate_adaptive.hpp>
#include <boost/numeric/odeint/stepper/generation.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <boost/version.hpp>
#include <xsimd/xsimd.hpp>

#include "peers/peers.hpp"
#include "peers/pendulum.hpp"

namespace kalaba::peers {
namespace {

using bench::Contender;
using bench::Ends;
using bench::Problem;
using Batch = xsimd::batch<double>;

double load(const double* from, double /*kind*/) { return *from; }
Batch load(const double* from, const Batch& /*kind*/) { return Batch::load_unaligned(from); }
void store(double* to, double value) { *to = value; }
void store(double* to, const Batch& value) { value.store_unaligned(to); }

/// Loop over members, or over SIMD registers of members.
template <class X>
class OdeintLoop final : public Contender {
 public:
  explicit OdeintLoop(const Problem& problem) : steps_(problem.steps), pendulums_(problem) {}

  void run(Ends& ends) override {
    const std::size_t members = pendulums_.mass.size();
    ends.resize(3 * members);
    for (std::size_t at = 0; at < members; at += lanes) {
      State y;
      for (std::size_t i = 0; i < 6; ++i) y[i] = load(&pendulums_.state[i][at], X());
      solve(at, y);
      for (std::size_t i = 0; i < 3; ++i) store(&ends[i * members + at], y[i]);
    }
  }

 private:
  static constexpr std::size_t lanes = sizeof(X) / sizeof(double);
  using State = std::array<X, 6>;
  using Stepper =
      boost::numeric::odeint::runge_kutta4<State, double, State, double, boost::numeric::odeint::array_algebra>;

  void solve(std::size_t at, State& y) const {
    const PendulumRate<X> rate(load(&pendulums_.mass[at], X()), load(&pendulums_.length[at], X()),
                               load(&pendulums_.gravity[at], X()));
    Stepper stepper;
    for (long step = 0; step < steps_; ++step) {
      stepper.do_step(rate, y, static_cast<double>(step) * Problem::dt, Problem::dt);
    }
  }

  long steps_;
  Pendulums pendulums_;
};

/// Adaptive steps, one member at a time.
class ControlledLoop final : public Contender {
 public:
  explicit ControlledLoop(const Problem& problem)
      : end_(static_cast<double>(problem.steps) * Problem::dt), tolerance_(problem.tolerance), pendulums_(problem) {}

  void run(Ends& ends) override {
    namespace odeint = boost::numeric::odeint;
    using State = std::array<double, 6>;
    using Stepper = odeint::runge_kutta_dopri5<State, double, State, double, odeint::array_algebra>;
    const std::size_t members = pendulums_.mass.size();
    ends.resize(6 * members);
    for (std::size_t at = 0; at < members; ++at) {
      State y;
      for (std::size_t i = 0; i < 6; ++i) y[i] = pendulums_.state[i][at];
      const PendulumRate<double> rate(pendulums_.mass[at], pendulums_.length[at], pendulums_.gravity[at]);
      odeint::integrate_adaptive(odeint::make_controlled<Stepper>(tolerance_ / 100, tolerance_), rate, y, 0.0, end_,
                                 Problem::dt);
      for (std::size_t i = 0; i < 6; ++i) ends[i * members + at] = y[i];
    }
  }

 private:
  double end_;
  double tolerance_;
  Pendulums pendulums_;
};

template <class X>
std::unique_ptr<Contender> make(const Problem& problem) {
  return std::make_unique<OdeintLoop<X>>(problem);
}

std::string version() { return fmt::format("Boost {}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000); }

}  // namespace

// The hand-written rate assumes that the constraint holds, so that RK4's drift off it differs by some 1e-11 m.
bench::Peer odeint() { return {"odeint", "", make<double>, 1e-9, version()}; }
bench::Peer odeint_dopri5() {
  return {"odeint_dopri5", "", [](const Problem& problem) { return std::make_unique<ControlledLoop>(problem); }, 0,
          version()};
}
bench::Peer odeint_simd() { return {"odeint_simd", "", make<Batch>, 1e-9, version()}; }

}  // namespace kalaba::peers
