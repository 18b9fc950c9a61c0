#include <cmath>

#include "kalaba/swarm.hpp"
#include "kalaba/swarm/paper_law.hpp"

namespace kalaba {
namespace {

constexpr double golden_angle = 2.399963229728653;
constexpr double plastic = 0.7548776662466927;  // its multiples are evenly distributed, independent of the angle

}  // namespace

double swarm_radius(const System& swarm) {
  if (swarm.info.structure_words.at("law") == PaperLaw::name) return 10;
  const auto count = static_cast<double>(swarm.info.agents);
  // about a metre between neighbours
  return swarm.info.coordinates.size() == 2 ? 0.5 * std::sqrt(count) : 0.6 * std::cbrt(count);
}

void place_on_spiral(long agents, int dimension, double radius, double* q) {
  for (long i = 0; i < agents; ++i) {
    const double share = (static_cast<double>(i) + 0.5) / static_cast<double>(agents);
    const double angle = golden_angle * static_cast<double>(i);
    if (dimension == 2) {
      q[i] = radius * std::sqrt(share) * std::cos(angle);
      q[agents + i] = radius * std::sqrt(share) * std::sin(angle);
    } else {
      const double mixed = std::fmod(0.5 + plastic * static_cast<double>(i), 1.0);
      const double r = radius * std::cbrt(mixed);
      const double z = 1 - 2 * share;
      q[i] = r * std::sqrt(1 - z * z) * std::cos(angle);
      q[agents + i] = r * std::sqrt(1 - z * z) * std::sin(angle);
      q[2 * agents + i] = r * z;
    }
  }
}

}  // namespace kalaba
