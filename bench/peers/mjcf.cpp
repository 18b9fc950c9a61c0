#include "peers/mjcf.hpp"

#include <fmt/format.h>

#include <cmath>

namespace kalaba::peers {
namespace {

constexpr const char* up = "0 0 -9.81";   // gravity for z up
constexpr const char* down = "0 0 9.81";  // gravity for z down

/// Model of these parts; unused features are disabled.
std::string model(const char* gravity, const std::string& bodies, const std::string& rest) {
  return fmt::format(
      "<mujoco><compiler inertiafromgeom='false' angle='radian'/>\n"
      "<option timestep='1e-3' integrator='RK4' gravity='{}'>\n"
      "<flag contact='disable' limit='disable' frictionloss='disable' actuation='disable'/>\n"
      "</option>\n"
      "<worldbody><site name='origin'/>\n{}</worldbody>\n{}</mujoco>\n",
      gravity, bodies, rest);
}

std::string point_mass(const char* position) {
  return fmt::format("<inertial pos='{}' mass='1' diaginertia='1e-9 1e-9 1e-9'/>", position);
}

/// Mass at height z, on slide joints along these axes.
std::string sliding_mass(int i, int z, std::initializer_list<const char*> axes) {
  std::string text = fmt::format("<body pos='0 0 {}'>{}<site name='mass{}'/>", z, point_mass("0 0 0"), i);
  for (const char* axis : axes) text += fmt::format("<joint type='slide' axis='{}'/>", axis);
  return text + "</body>\n";
}

std::string rod(int i) {
  const std::string above = i == 0 ? "origin" : fmt::format("mass{}", i - 1);
  return fmt::format("<spatial name='rod{0}'><site site='{1}'/><site site='mass{0}'/></spatial>\n", i, above);
}

std::string rods(int count) {
  std::string tendons;
  std::string constraints;
  for (int i = 0; i < count; ++i) {
    tendons += rod(i);
    constraints += fmt::format("<tendon tendon1='rod{}' solref='0.002 1' solimp='0.9999 0.9999 1'/>\n", i);
  }
  return fmt::format("<tendon>\n{}</tendon>\n<equality>\n{}</equality>\n", tendons, constraints);
}

using Start = MujocoModel::Start;
using Numbers = std::vector<double>;

constexpr double soft = 1e-2;          // m: its constraints are springs
constexpr double close_enough = 1e-6;  // m: its masses have some inertia

/// Slide joints are relative to the masses' positions in the model: one below the other, or at z = 1.
Start start_of_slides_chain(const Numbers& q, const Numbers& w) {
  Start start = {q, w};
  for (std::size_t i = 0; i < q.size() / 2; ++i) start.position[2 * i + 1] += static_cast<double>(i + 1);
  return start;
}
Start start_of_slides_pendulum(const Numbers& q, const Numbers& w) {
  return {{q[0], q[1], q[2] - 1}, w};  // mass 1 kg: momentum equals velocity
}

/// Straight chain at rest at an angle from the vertical.
Start start_of_joints_chain(const Numbers& q, const Numbers& /*w*/) {
  Start start = {Numbers(q.size() / 2, 0.0), Numbers(q.size() / 2, 0.0)};
  start.position[0] = std::atan2(q[0], -q[1]);
  return start;
}
/// Rotation about y, and velocities perpendicular to its plane, which rotate the rod about its own x axis.
Start start_of_joints_pendulum(const Numbers& q, const Numbers& w) {
  const double angle = std::atan2(q[0], q[2]);
  return {{std::cos(angle / 2), 0, std::sin(angle / 2), 0}, {-w[1], 0, 0}};
}

}  // namespace

std::vector<Start> MujocoModel::starts(const bench::Problem& problem) const {
  Ensemble ensemble = problem.ensemble();
  const SystemInfo& info = problem.system.info;
  std::vector<Start> all;
  for (std::size_t member = 0; member < static_cast<std::size_t>(problem.members); ++member) {
    Numbers q;
    Numbers w;
    for (const Variable& each : info.coordinates) q.push_back(ensemble.initial(each.name)[member]);
    for (const Variable& each : info.rates) w.push_back(ensemble.initial(each.name)[member]);
    all.push_back(translate(q, w));
  }
  return all;
}

MujocoModel slides_chain(int links) {
  std::string masses;
  for (int i = 0; i < links; ++i) masses += sliding_mass(i, -i - 1, {"1 0 0", "0 0 1"});
  return {model(up, masses, rods(links)), {0, 2}, start_of_slides_chain, soft};
}

MujocoModel slides_pendulum() {
  return {
      model(down, sliding_mass(0, 1, {"1 0 0", "0 1 0", "0 0 1"}), rods(1)), {0, 1, 2}, start_of_slides_pendulum, soft};
}

MujocoModel joints_chain(int links) {
  std::string open;
  std::string close;
  for (int i = 0; i < links; ++i) {
    open += fmt::format("<body pos='0 0 {}'>{}<joint type='hinge' axis='0 -1 0'/>\n", i == 0 ? 0 : -1,
                        point_mass("0 0 -1"));
    close += "</body>";
  }
  return {model(up, open + close + "\n", ""), {0, 2}, start_of_joints_chain, close_enough};
}

MujocoModel joints_pendulum() {
  return {model(down, "<body>" + point_mass("0 0 1") + "<joint type='ball'/></body>\n", ""),
          {0, 1, 2},
          start_of_joints_pendulum,
          close_enough};
}

}  // namespace kalaba::peers
