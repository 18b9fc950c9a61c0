// ARKODE's explicit Runge-Kutta module with the classical tableau and a fixed step. Members share a vector, which
// distributes the library's overhead and lets the compiler vectorize the right-hand side.

#include <arkode/arkode_erkstep.h>
#include <nvector/nvector_serial.h>

#include <algorithm>
#include <stdexcept>

#include "peers/peers.hpp"
#include "peers/pendulum.hpp"

namespace kalaba::peers {
namespace {

using bench::Contender;
using bench::Ends;
using bench::Problem;

constexpr std::size_t together = 1024;  ///< members per vector: the fastest of 16, 64, 256, 1024

/// Constants of the right-hand side for `together` members.
struct Constants {
  double inverse_mass[together], stiffness[together], gravity[together], weight[together];
};

int rate(double /*t*/, N_Vector state, N_Vector rates, void* data) {
  const auto& c = *static_cast<const Constants*>(data);
  const double* __restrict y = N_VGetArrayPointer(state);
  double* __restrict f = N_VGetArrayPointer(rates);
  for (std::size_t i = 0; i < together; ++i) {
    const double px = y[3 * together + i];
    const double py = y[4 * together + i];
    const double pz = y[5 * together + i];
    const double speed2 = (px * px + py * py + pz * pz) * (c.inverse_mass[i] * c.inverse_mass[i]);
    const double pull = c.stiffness[i] * (speed2 + c.gravity[i] * y[2 * together + i]);
    f[i] = px * c.inverse_mass[i];
    f[together + i] = py * c.inverse_mass[i];
    f[2 * together + i] = pz * c.inverse_mass[i];
    f[3 * together + i] = -pull * y[i];
    f[4 * together + i] = -pull * y[together + i];
    f[5 * together + i] = c.weight[i] - pull * y[2 * together + i];
  }
  return 0;
}

void require(int code) {
  if (code < 0) throw std::runtime_error("SUNDIALS refuses");
}

class SundialsLoop final : public Contender {
 public:
  explicit SundialsLoop(const Problem& problem) : steps_(problem.steps), pendulums_(problem) {
    if (pendulums_.mass.size() % together != 0) throw std::invalid_argument("members do not fill the vectors");
    require(SUNContext_Create(nullptr, &context_));
    state_ = N_VNew_Serial(6 * together, context_);
    require(N_VEnableFusedOps_Serial(state_, SUNTRUE));
    solver_ = ERKStepCreate(rate, 0, state_, context_);
    double nodes[] = {0, 0.5, 0.5, 1};
    double matrix[] = {0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.5, 0, 0, 0, 0, 1, 0};
    double weights[] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    ARKodeButcherTable table = ARKodeButcherTable_Create(4, 4, 0, nodes, matrix, weights, nullptr);
    require(ERKStepSetTable(solver_, table));
    ARKodeButcherTable_Free(table);
    require(ERKStepSetFixedStep(solver_, Problem::dt));
    require(ERKStepSetMaxNumSteps(solver_, -1));
    require(ERKStepSetInterpolantDegree(solver_, 0));
    require(ERKStepSetUserData(solver_, &constants_));
  }
  ~SundialsLoop() override {
    ERKStepFree(&solver_);
    N_VDestroy(state_);
    SUNContext_Free(&context_);
  }
  SundialsLoop(const SundialsLoop&) = delete;
  SundialsLoop& operator=(const SundialsLoop&) = delete;

  void run(Ends& ends) override {
    const std::size_t members = pendulums_.mass.size();
    ends.resize(3 * members);
    double* y = N_VGetArrayPointer(state_);
    for (std::size_t at = 0; at < members; at += together) {
      load(at);
      require(ERKStepReset(solver_, 0, state_));
      double t = 0;
      for (long step = 0; step < steps_; ++step) require(ERKStepEvolve(solver_, 1e9, state_, &t, ARK_ONE_STEP));
      for (std::size_t i = 0; i < 3; ++i) std::copy_n(y + i * together, together, &ends[i * members + at]);
    }
  }

 private:
  void load(std::size_t at) {
    double* y = N_VGetArrayPointer(state_);
    for (std::size_t i = 0; i < 6; ++i) std::copy_n(&pendulums_.state[i][at], together, y + i * together);
    for (std::size_t i = 0; i < together; ++i) {
      const PendulumRate<double> each(pendulums_.mass[at + i], pendulums_.length[at + i], pendulums_.gravity[at + i]);
      constants_.inverse_mass[i] = each.inverse_mass;
      constants_.stiffness[i] = each.stiffness;
      constants_.gravity[i] = each.gravity;
      constants_.weight[i] = each.weight;
    }
  }

  long steps_;
  Pendulums pendulums_;
  Constants constants_ = {};
  SUNContext context_ = nullptr;
  N_Vector state_ = nullptr;
  void* solver_ = nullptr;
};

}  // namespace

// ERKStep of SUNDIALS 6.4 uses the last stage's rate, which is close to the rate at the new state, as the first of the
// next step: one evaluation per step fewer, and an error of some 1e-9 m.
bench::Peer sundials() {
  const auto make = [](const Problem& problem) { return std::make_unique<SundialsLoop>(problem); };
  return {"sundials", "", make, 1e-8, SUNDIALS_VERSION};
}

}  // namespace kalaba::peers
