#include "scenario/model/model_template.hpp"

namespace kalaba {

std::string model_template() {
  return R"toml(# A mechanical system as text. Change it, and look at what became of it:
#   kalaba describe FILE     its equations, with units
#   kalaba check FILE        its figures and invariants, on every backend
#   kalaba run FILE -o out.nc --plot
# docs/models.md has the grammar and every key.

[model]
name = "pendulum"
summary = "bob on a rigid rod in the plane, with a little drag"
# The energy: of second degree in the rates. In its place: hamiltonian = "...", or mass = ["m", "m"] with [model.force].
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"

# Numbers with units of the SI (kg m s A K mol cd rad N J W Pa Hz ...); "1" is no unit.
[model.parameters]
m = { default = "1 kg", meaning = "mass of the bob" }
L = { default = "1 m", meaning = "length of the rod" }
g = { default = "9.81 m/s^2", meaning = "gravity" }
drag = "0.05 N s/m"

# What says where the system is. Its rates are x_dot, y_dot; [model.rates] gives them other names.
[model.coordinates]
x = "m"
y = { unit = "m", meaning = "up" }

# Names for expressions, in any order.
[model.let]
r2 = "x^2 + y^2"

# Forces that the energy does not give, by coordinate.
[model.force]
x = "-drag*x_dot"
y = "-drag*y_dot"

# Constraints: "left = right". Those of the rates stand under [model.nonholonomic].
[model.holonomic]
rod = { is = "r2 = L^2", meaning = "the bob stays at distance L" }

# Numbers to look at; kind: zero, constant or free (what is not expected to stay).
[model.invariants]
angle = { is = "atan2(x, -y)", kind = "free", meaning = "from the lowest point" }

# Where it begins, of parameters and of each other; what is left out is 0.
[model.start]
x = "L*sin(0.5)"
y = "-L*cos(0.5)"

[model.time]
end = 10.0
dt = 1e-3
save_every = 20

# What may happen on the way.
[[model.events]]
name = "lowest"
when = "x"
direction = "any"
action = "record"

# Values that are known of it, which `kalaba check` compares:
# [[model.figures]]
# time = 10.0
# x = 0.1

# Over many variants at once, from a scenario of its own:
#   system = "FILE"
#   [ensemble]
#   members = 1000
#   [parameters]
# L = {uniform = [0.5, 2.0] }
)toml";
}

std::string mechanism_template() {
  return R"toml(# A mechanism of bodies and joints. Change it, and look at what became of it:
#   kalaba describe FILE     bodies, joints, loops, mobility, equations
#   kalaba run FILE -o out.nc --plot
# docs/mechanisms.md has every key.

[model]
name = "four_bar"
summary = "crank, coupler and rocker in the plane"
gravity = [0, "-g", 0]

[model.parameters]
g = "9.81 m/s^2"
crank_length = "0.1 m"

# A frame each. The inertia follows from a shape (rod, box, sphere, cylinder, capsule), or is stated about the mass centre.
[model.bodies]
crank = { mass = "0.2 kg", rod = ["crank_length", 0, 0] }
coupler = { mass = "0.5 kg", rod = ["0.3 m", 0, 0] }
rocker = { mass = "0.4 kg", rod = ["0.25 m", 0, 0] }

# The first joint to a body carries it, and its name is a coordinate; further joints close loops. The parent is the world
# if it is left out; `at` is in the frame of the parent, `child_at` in that of the child.
[model.joints]
pin = { child = "crank", type = "hinge", axis = [0, 0, 1], damping = "1e-3 N m s" }
elbow = { parent = "crank", child = "coupler", at = ["crank_length", 0, 0], type = "hinge", axis = [0, 0, 1] }
base = { child = "rocker", at = ["0.3 m", 0, 0], type = "hinge", axis = [0, 0, 1] }
tip = { parent = "coupler", at = ["0.3 m", 0, 0], child = "rocker", child_at = ["0.25 m", 0, 0], type = "hinge", axis = [0, 0, 1] }

# Names of points for expressions: middle.x, middle.vy ...
[model.points]
middle = { body = "coupler", at = ["0.15 m", 0, 0] }

[model.invariants]
middle_y = { is = "middle.y", kind = "free" }

# A run moves the coordinates so that the loops close.
[model.start]
pin = 1.5
elbow = -1.1
base = 1.6

[model.time]
end = 2.0
dt = 1e-3
save_every = 20
)toml";
}

}  // namespace kalaba
