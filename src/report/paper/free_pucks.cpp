#include "report/paper/free_pucks.hpp"

#include "kalaba/make_system.hpp"
#include "kalaba/systems/perpendicular_velocities.hpp"

namespace kalaba {
namespace {

struct FreePucks : TwoPucks {
  static constexpr const char* name = "free_pucks";
  static constexpr const char* summary = "two pucks, each under a constant force";
  static constexpr const char* source = "Roithmayr, Hodges, section 4 (figure 1, upper left)";
  static constexpr const char* equations = "m1 v1' = f1,  m2 v2' = f2";
  static constexpr const auto& parameters = PerpendicularVelocities::parameters;
  static constexpr TimeGrid time = PerpendicularVelocities::time;

  template <class P, class Q, class W>
  KALABA_FN static void start(const P& p, Q& q, W& w) {
    PerpendicularVelocities::start(p, q, w);
  }
};

}  // namespace

const System& free_pucks() {
  static const System system = make_system<FreePucks>();
  return system;
}

}  // namespace kalaba
