#include <fmt/format.h>

#include <array>
#include <string_view>

#include "report/data/drawing.hpp"

// Drawings of the catalogue's systems, one entry each.

namespace kalaba {
namespace {

struct Mechanism {
  std::string_view system;
  std::string_view drawing;
};

constexpr std::string_view particle_in_space = "particle = (x, y, z)";
constexpr std::string_view hanging_bob = "pivot = (0, 0, 0); bob = (x, y, -z); pivot -- bob";  // z is down
constexpr std::string_view planar_pendulum = "pivot = (0, 0); bob = (x, y); pivot -- bob";
constexpr std::string_view two_pucks = "puck1 = (x1, y1); puck2 = (x2, y2)";
constexpr std::string_view polar_particle = "particle = (r*cos(theta), r*sin(theta))";

constexpr std::array mechanisms = {
    Mechanism{"spherical_pendulum", hanging_bob},
    Mechanism{"spherical_pendulum_lagrangian", hanging_bob},
    Mechanism{"nonholonomic_hamiltonian_particle", particle_in_space},
    Mechanism{"two_particles_incline", "a = (x1, y1); b = (x2, y2); a -- b"},
    Mechanism{"constrained_double_pendulum",
              "pivot = (0, 0); upper = (l1*sin(theta1), -l1*cos(theta1));"
              "lower = (l1*sin(theta1) + l2*sin(theta2), -l1*cos(theta1) - l2*cos(theta2)); pivot -- upper -- lower"},
    Mechanism{"projectile_polar", polar_particle},
    Mechanism{"logarithmic_spiral", polar_particle},
    Mechanism{"scleronomic_particle", particle_in_space},
    Mechanism{"rheonomic_particle", particle_in_space},
    Mechanism{"nonholonomic_particle", particle_in_space},
    Mechanism{"flexible_manipulator",
              "base = (0, 0); elbow = (l1*sin(link1), -l1*cos(link1));"
              "tip = (l1*sin(link1) + 2*lc2*sin(link1 + link2), -l1*cos(link1) - 2*lc2*cos(link1 + link2));"
              "base -- elbow -- tip"},
    Mechanism{"rough_ring", "curve (R*cos(s), R*sin(s)); bead = (x, y)"},
    Mechanism{"draggy_particle", particle_in_space},
    Mechanism{"chaplygin_sleigh",
              "contact = (x, y); centre = (x + a*cos(heading), y + a*sin(heading)); contact -- centre;"
              "(x - a/2*cos(heading), y - a/2*sin(heading)) -- contact"},
    Mechanism{"rolling_ball", "curve (x + R*cos(s), y + R*sin(s)); centre = (x, y)"},
    // In the disk's plane: forward, and from the contact point to the centre.
    Mechanism{"rolling_disk",
              "curve (x + R*(cos(s)*cos(heading) + sin(s)*sin(lean)*sin(heading)),"
              " y + R*(cos(s)*sin(heading) - sin(s)*sin(lean)*cos(heading)), R*cos(lean)*(1 + sin(s)));"
              "centre = (x, y, R*cos(lean));"
              "centre -- (x + R*(sin(roll)*cos(heading) + cos(roll)*sin(lean)*sin(heading)),"
              " y + R*(sin(roll)*sin(heading) - cos(roll)*sin(lean)*cos(heading)), R*cos(lean)*(1 + cos(roll)))"},
    Mechanism{"perpendicular_velocities", two_pucks},
    Mechanism{"parallel_velocities", two_pucks},
    Mechanism{"equal_speeds", two_pucks},
    Mechanism{"prescribed_speed", "particle = (x, y)"},
    Mechanism{"appell_particle", particle_in_space},
    Mechanism{"balanced_rod",
              "foot = (x, 0); top = (x + 2*l*sin(theta), 2*l*cos(theta)); foot -- top; (-2*l, 0) -- (2*l, 0)"},
    // The axes of each body, drawn side by side.
    Mechanism{"perpendicular_spins",
              "A = (-1.5, 0, 0); B = (1.5, 0, 0);"
              "A1 = (a0^2 + a1^2 - a2^2 - a3^2 - 1.5, 2*(a1*a2 + a0*a3), 2*(a1*a3 - a0*a2)); A -- A1;"
              "A2 = (2*(a1*a2 - a0*a3) - 1.5, a0^2 - a1^2 + a2^2 - a3^2, 2*(a2*a3 + a0*a1)); A -- A2;"
              "A3 = (2*(a1*a3 + a0*a2) - 1.5, 2*(a2*a3 - a0*a1), a0^2 - a1^2 - a2^2 + a3^2); A -- A3;"
              "B1 = (b0^2 + b1^2 - b2^2 - b3^2 + 1.5, 2*(b1*b2 + b0*b3), 2*(b1*b3 - b0*b2)); B -- B1;"
              "B2 = (2*(b1*b2 - b0*b3) + 1.5, b0^2 - b1^2 + b2^2 - b3^2, 2*(b2*b3 + b0*b1)); B -- B2;"
              "B3 = (2*(b1*b3 + b0*b2) + 1.5, 2*(b2*b3 - b0*b1), b0^2 - b1^2 - b2^2 + b3^2); B -- B3"},
    // Each spring has its rest length of 1 m plus its extension.
    Mechanism{"split_oscillator",
              "wall = (0, 0); first = (1 + x1, 0); second = (2 + y + x2, 0); wall -- first -- (1 + y, 0) -- second"},
    Mechanism{"iftomm_pendulum", planar_pendulum},
    Mechanism{"sundials_pendulum", planar_pendulum},
    Mechanism{"car_axis",
              "left = (xl, yl); right = (xr, yr); left -- right; wheel1 = (0, 0); wheel1 -- left;"
              "wheel2 = (sqrt(L^2 - (r*sin(omega*t))^2), r*sin(omega*t)); wheel2 -- right"},
    // The points in its loop equations.
    Mechanism{"andrews_squeezer",
              "O = (0, 0); A = (xa, ya); B = (xb, yb); C = (xc, yc);"
              "P = (rr*cos(beta) - d*cos(beta + Theta), rr*sin(beta) - d*sin(beta + Theta));"
              "crank = (rr*cos(beta), rr*sin(beta)); O -- crank -- P;"
              "P -- B; spring = (xb + sc*sin(gamma) + sd*cos(gamma), yb - sc*cos(gamma) + sd*sin(gamma));"
              "P -- spring -- B; C -- spring;"
              "D = (xa + zt*cos(delta), ya + zt*sin(delta)); A -- D -- P;"
              "E = (xa + u*sin(epsilon), ya - u*cos(epsilon)); A -- E -- P"},
    Mechanism{"knife_edge",
              "(x - 0.1*cos(phi), y - 0.1*sin(phi)) -- (x + 0.1*cos(phi), y + 0.1*sin(phi)); contact = (x, y)"},
    Mechanism{"appell_hamel", particle_in_space},
};

std::string chain(std::size_t links) {
  std::string points = "p0 = (0, 0)";
  std::string line = "p0";
  for (std::size_t i = 1; i <= links; ++i) {
    points += fmt::format("; p{0} = (x{0}, y{0})", i);
    line += fmt::format(" -- p{}", i);
  }
  return points + "; " + line;
}

std::string four_bar_windows(std::size_t bars) {
  std::string text = "foot = (0, 0)";
  for (std::size_t i = 1; i <= bars; ++i) {
    text += fmt::format(
        "; a{0} = (x{0} - L*cos(angle{0})/2, y{0} - L*sin(angle{0})/2)"
        "; b{0} = (x{0} + L*cos(angle{0})/2, y{0} + L*sin(angle{0})/2); a{0} -- b{0}",
        i);
  }
  return text;
}

/// Bars of the loop from their centres, along x, y, z, -x and -y at the start.
std::string bricard_loop() {
  constexpr std::array axes = {
      "(1 - 2*(e{0}_2^2 + e{0}_3^2)), 2*(e{0}_1*e{0}_2 + e{0}_0*e{0}_3), 2*(e{0}_1*e{0}_3 - e{0}_0*e{0}_2)",
      "2*(e{0}_1*e{0}_2 - e{0}_0*e{0}_3), (1 - 2*(e{0}_1^2 + e{0}_3^2)), 2*(e{0}_2*e{0}_3 + e{0}_0*e{0}_1)",
      "2*(e{0}_1*e{0}_3 + e{0}_0*e{0}_2), 2*(e{0}_2*e{0}_3 - e{0}_0*e{0}_1), (1 - 2*(e{0}_1^2 + e{0}_2^2))"};
  std::string text = "fixed = (0, 0, 0)";
  for (std::size_t bar = 0; bar < 5; ++bar) {
    const std::string turned = fmt::format(fmt::runtime(axes[bar % 3]), bar + 1);
    const std::size_t first = turned.find(", ");
    const std::size_t second = turned.find(", ", first + 2);
    const std::array parts = {turned.substr(0, first), turned.substr(first + 2, second - first - 2),
                              turned.substr(second + 2)};
    const auto end = [&](const char* name, char sign) {
      return fmt::format("; {0}{1} = (x{1} {2} L*{3}/2, y{1} {2} L*{4}/2, z{1} {2} L*{5}/2)", name, bar + 1, sign,
                         parts[0], parts[1], parts[2]);
    };
    text += end("a", '-') + end("b", '+') + fmt::format("; a{0} -- b{0}", bar + 1);
  }
  return text;
}

}  // namespace

std::string drawing_of(std::string_view system, std::size_t coordinates) {
  if (system == "chain" || system == "chain_redundant") return chain(coordinates / 2);
  if (system == "four_bar_windows") return four_bar_windows(coordinates / 3);
  if (system == "bricard_loop") return bricard_loop();
  for (const Mechanism& each : mechanisms) {
    if (each.system == system) return std::string(each.drawing);
  }
  return "";
}

}  // namespace kalaba
