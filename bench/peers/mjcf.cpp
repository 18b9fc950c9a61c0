#include "peers/mjcf.hpp"

#include <fmt/format.h>

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

}  // namespace

std::string mjcf_slides_chain(int links) {
  std::string masses;
  for (int i = 0; i < links; ++i) masses += sliding_mass(i, -i - 1, {"1 0 0", "0 0 1"});
  return model(up, masses, rods(links));
}

std::string mjcf_slides_pendulum() { return model(down, sliding_mass(0, 1, {"1 0 0", "0 1 0", "0 0 1"}), rods(1)); }

std::string mjcf_joints_chain(int links) {
  std::string open;
  std::string close;
  for (int i = 0; i < links; ++i) {
    open += fmt::format("<body pos='0 0 {}'>{}<joint type='hinge' axis='0 -1 0'/>\n", i == 0 ? 0 : -1,
                        point_mass("0 0 -1"));
    close += "</body>";
  }
  return model(up, open + close + "\n", "");
}

std::string mjcf_joints_pendulum() {
  return model(down, "<body>" + point_mass("0 0 1") + "<joint type='ball'/></body>\n", "");
}

}  // namespace kalaba::peers
