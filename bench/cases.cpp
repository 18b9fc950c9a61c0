#include "problem.hpp"

#include <cmath>

#include "kalaba/make_system.hpp"
#include "peers/peers.hpp"
#include "quadrics.hpp"

namespace kalaba::bench {
namespace {

constexpr PseudoInverse both_inverses[] = {PseudoInverse::svd, PseudoInverse::qr};

Method plain(PseudoInverse inverse) { return {.pseudo_inverse = inverse, .stabilization = Stabilization::none()}; }
Method projecting(PseudoInverse inverse) {
  return {.pseudo_inverse = inverse, .stabilization = Stabilization::projection()};
}

/// Sets a row to values from `first` to `last`, equally spaced over the members.
void spread(std::span<double> row, double first, double last) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    row[i] = first + (last - first) * static_cast<double>(i) / static_cast<double>(row.size());
  }
}

void vary_lengths(Ensemble& ensemble) {
  spread(ensemble.parameter("L"), 0.5, 2);
  ensemble.restart();
}
void vary_speeds(Ensemble& ensemble) { spread(ensemble.initial("p_y"), 0.5, 1.5); }
void vary_slopes(Ensemble& ensemble) {
  spread(ensemble.parameter("L"), 1, 1.5);
  spread(ensemble.parameter("alpha"), 0.3, 0.7);
  ensemble.restart();
}
void vary_stiffness(Ensemble& ensemble) { spread(ensemble.parameter("k"), 1, 2); }

/// Sets straight chains at different angles.
void vary_angles(Ensemble& ensemble) {
  std::vector<double> angle(static_cast<std::size_t>(ensemble.members()));
  spread(angle, 0.2, 0.8);
  const auto& coordinates = ensemble.system().info.coordinates;
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    const auto row = ensemble.initial(coordinates[i].name);
    const double distance = static_cast<double>(i / 2 + 1);
    for (std::size_t k = 0; k < row.size(); ++k) {
      row[k] = distance * (i % 2 == 0 ? std::sin(angle[k]) : -std::cos(angle[k]));
    }
  }
}

/// Numbers of members and steps are small enough that the slowest peer takes about a second.
template <int Size>
Case quadrics(PseudoInverse inverse) {
  constexpr bool small = Size == 1;
  return {
      {"quadrics", make_system<Quadrics<Size>>(), small ? 512 : 64, small ? 200 : 32, plain(inverse), vary_stiffness},
      {peers::eigen_quadrics<Size>(inverse)}};
}

std::vector<Peer> together(std::vector<Peer> peers, const std::vector<Peer>& more) {
  peers.insert(peers.end(), more.begin(), more.end());
  return peers;
}

Case chain(int links, PseudoInverse inverse) {
  return {
      {"chain", find_system("chain", {{"links", links}}), 64, 208, projecting(inverse), vary_angles},
      together({peers::mujoco_chain(links), peers::mujoco_joints_chain(links)}, peers::mujoco_rollouts_chain(links))};
}

}  // namespace

std::vector<Case> cases() {
  const System& pendulum = find_system("spherical_pendulum");
  std::vector<Case> all = {
      {{"spherical_pendulum", pendulum, 1024, 500, plain(PseudoInverse::svd), vary_lengths},
       {peers::odeint(), peers::odeint_simd(), peers::sundials(), peers::jax_by_hand(), peers::jax(),
        peers::diffrax()}},
      {{"spherical_pendulum", pendulum, 1024, 20, plain(PseudoInverse::svd), vary_lengths}, {peers::torch()}},
      {{"spherical_pendulum", pendulum, 128, 250, projecting(PseudoInverse::svd), vary_speeds},
       together({peers::mujoco_pendulum(), peers::mujoco_joints_pendulum()}, peers::mujoco_rollouts_pendulum())}};
  for (const PseudoInverse each : both_inverses) {
    all.push_back({{"two_particles_incline", find_system("two_particles_incline"), 512, 200, plain(each), vary_slopes},
                   {peers::eigen_two_particles(each), peers::jax(), peers::diffrax()}});
    all.push_back({{"two_particles_incline", find_system("two_particles_incline"), 512, 20, plain(each), vary_slopes},
                   {peers::torch()}});
  }
  for (const int links : {4, 8}) all.push_back(chain(links, PseudoInverse::svd));
  for (const int links : {4, 8, 16, 32}) all.push_back(chain(links, PseudoInverse::ldlt));
  for (const PseudoInverse each : both_inverses) all.push_back(quadrics<1>(each));
  for (const PseudoInverse each : both_inverses) all.push_back(quadrics<3>(each));
  for (const PseudoInverse each : both_inverses) all.push_back(quadrics<8>(each));
  return all;
}

}  // namespace kalaba::bench
