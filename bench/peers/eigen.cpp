// Eigen loops as contenders.

#include <fmt/format.h>

#include "peers/eigen_quadrics.hpp"
#include "peers/eigen_two_particles.hpp"
#include "peers/peers.hpp"

namespace kalaba::peers {
namespace {

using bench::Contender;
using bench::Ends;
using bench::Problem;

bench::Peer peer(PseudoInverse method, std::unique_ptr<Contender> (*make)(const Problem&)) {
  bench::Peer peer = {method == PseudoInverse::svd ? "eigen_jacobi_svd" : "eigen_cod", "", make};
  peer.version = fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
  return peer;
}

/// Loop over members, each with its own solver and start.
template <class Solver>
class Loop final : public Contender {
 public:
  using State = typename Solver::State;

  template <class MakeSolver>
  Loop(const Problem& problem, const MakeSolver& make_solver) : problem_(&problem), coordinates_(0) {
    Ensemble ensemble = problem.ensemble();
    const SystemInfo& info = problem.system.info;
    coordinates_ = info.coordinates.size();
    for (std::size_t member = 0; member < static_cast<std::size_t>(problem.members); ++member) {
      solvers_.push_back(make_solver(ensemble, member));
      State& y = starts_.emplace_back();
      Eigen::Index i = 0;
      for (const auto* table : {&info.coordinates, &info.rates}) {
        for (const Variable& each : *table) y[i++] = ensemble.initial(each.name)[member];
      }
    }
  }

  void run(Ends& ends) override {
    ends.resize(coordinates_ * solvers_.size());
    for (std::size_t member = 0; member < solvers_.size(); ++member) {
      State y = starts_[member];
      for (long step = 0; step < problem_->steps; ++step) solvers_[member].step(y, Problem::dt);
      for (std::size_t i = 0; i < coordinates_; ++i) {
        ends[i * solvers_.size() + member] = y[static_cast<Eigen::Index>(i)];
      }
    }
  }

 private:
  const Problem* problem_;
  std::size_t coordinates_;
  std::vector<Solver, Eigen::aligned_allocator<Solver>> solvers_;
  std::vector<State, Eigen::aligned_allocator<State>> starts_;
};

template <class Solve>
std::unique_ptr<Contender> two_particles_loop(const Problem& problem) {
  using Solver = EigenTwoParticles<Solve>;
  return std::make_unique<Loop<Solver>>(problem, [](Ensemble& ensemble, std::size_t member) {
    const auto value = [&](const char* name) { return ensemble.parameter(name)[member]; };
    return Solver(value("m1"), value("m2"), value("alpha"), value("g"));
  });
}

template <int Size, bool svd>
std::unique_ptr<Contender> quadrics_loop(const Problem& problem) {
  using Solver = EigenQuadrics<Size, svd>;
  return std::make_unique<Loop<Solver>>(
      problem, [](Ensemble& ensemble, std::size_t member) { return Solver(ensemble.parameter("k")[member]); });
}

}  // namespace

bench::Peer eigen_two_particles(PseudoInverse method) {
  return peer(method, method == PseudoInverse::svd ? two_particles_loop<JacobiSvdSolve> : two_particles_loop<CodSolve>);
}

template <int Size>
bench::Peer eigen_quadrics(PseudoInverse method) {
  return peer(method, method == PseudoInverse::svd ? quadrics_loop<Size, true> : quadrics_loop<Size, false>);
}
template bench::Peer eigen_quadrics<1>(PseudoInverse method);
template bench::Peer eigen_quadrics<3>(PseudoInverse method);
template bench::Peer eigen_quadrics<8>(PseudoInverse method);

}  // namespace kalaba::peers
