# Pictures from the command `plot`, and from `run --plot`.
source "$(dirname -- "$0")/harness.sh" "$1"

is_png() { [[ $(head -c 4 "$1" | tail -c 3) == PNG ]] || die "$last: $1 is not a PNG"; }

run=(run spherical_pendulum -s time.end=0.5 -s ensemble.members=20 -s 'parameters.L={uniform=[0.5, 2]}')
expect 0 "${run[@]}" -o pendulum.nc --plot
prints "picture      pendulum.png"
is_png pendulum.png
expect 0 "${run[@]}" -o pendulum.csv --plot=drawn.svg --quiet
is_silent
grep -q '<svg' drawn.svg || die "drawn.svg is not an SVG"

# A picture that cannot be drawn is refused before the run.
expect 2 "${run[@]}" -o early.nc --plot=early.jpg
complains "early.jpg: a picture ends in .png or .svg"
expect 3 "${run[@]}" -o early.nc --plot=missing/early.png
complains "missing/early.png: there is no folder missing"
absent early.nc

rm pendulum.png
expect 0 plot pendulum.nc
prints pendulum.png
is_png pendulum.png
expect 0 plot pendulum.csv --kind fan --variables x,z --member 3 -o fan.png
prints fan.png
is_png fan.png

expect 2 plot pendulum.nc --kind fann -o wrong.png
complains fann fan
expect 2 plot pendulum.nc --variables x,zz -o wrong.png
complains zz
expect 2 plot pendulum.nc --member 20 -o wrong.png
expect 3 plot pendulum.nc -o missing/wrong.png
absent wrong.png

# Failed members are omitted from the picture, which states it.
expect 1 run spherical_pendulum -s 'parameters.m={values=[1,0,2,3]}' -s time.end=0.1 -s ensemble.members=40 -o failed.nc --plot=failed.svg
prints "of its members 10 failed, left out from then on"
grep -q '10 failed, left out from then on' failed.svg || die "failed.svg says nothing of members left out"
expect 0 plot failed.nc --kind histogram
complains "failed.nc: of its members 10 failed, left out from then on"

# Statistics only: drawn by reports.
expect 0 "${run[@]}" -o mean.nc -s 'output.statistics=["mean"]' -s output.trajectories=false --quiet
for words in "" "--kind fan" "--variables x"; do
  # shellcheck disable=SC2086
  expect 2 plot mean.nc $words
  complains "mean.nc: it holds no trajectories" "kalaba report"
done

# Invariants of a file without other fields.
expect 0 run swarm -s ensemble.members=3 -s 'parameters.kappa={uniform=[1, 3]}' -s time.end=0.5 -s 'output.fields=["invariants"]' \
  -s 'output.statistics=["mean", "quantiles"]' -o rested.nc --quiet
expect 0 plot rested.nc --kind invariants -o rested.svg
grep -q beta rested.svg || die "rested.svg does not name its invariant"
expect 0 run spherical_pendulum -s 'output.statistics=["mean"]' -s output.trajectories=false -s time.end=0.5 -o means.nc --quiet
expect 2 plot means.nc --kind invariants -o wrong.png
complains "means.nc: it holds no trajectories"

# Pictures of sweeps: heat maps of a grid, of events, of final values; each reports missing data.
expect 0 run projectile_polar -s 'parameters.g={linspace=[5, 15, 12]}' -s 'initial.r_dot={linspace=[2, 6, 10]}' -s time.end=1.2 \
  -s 'events=[{name="landed", when="r*sin(theta)", direction="falling"}]' -s initial.project=false -o thrown.nc --quiet
expect 0 plot thrown.nc --kind heatmap --variables 'status,time(landed),r@landed,max(r)' -o heat.svg
grep -q 'time of landed (s)' heat.svg || die "heat.svg does not name its number"
expect 0 plot thrown.nc --kind heatmap --variables r --over g,initial.r_dot -o heat.png
is_png heat.png
for kind in events density invariants phase snapshots scatter; do
  expect 0 plot thrown.nc --kind $kind -o $kind.png
  is_png $kind.png
done
expect 0 plot thrown.nc --kind scatter --variables 'time(landed),max(r)' --over initial.r_dot,g -o scatter.svg
grep -q 'g (m/s²)' scatter.svg || die "scatter.svg does not name its colour"
expect 2 plot thrown.nc --kind scatter --over g,r,theta -o wrong.png
complains "--over: expected one number, or two, A,B, found 3"
expect 0 plot thrown.nc --kind animation --member 7 -o thrown.gif
expect 0 plot thrown.nc --kind snapshots --draw '(0, 0) -- (r*cos(theta), r*sin(theta))' -o drawn.png
expect 2 plot thrown.nc --kind heatmap --over g,g -o wrong.png
complains "found g twice"
expect 2 plot thrown.nc --kind heatmap --over g,r_dit -o wrong.png
complains "there is no parameter or initial value r_dit" "did you mean"
expect 2 plot thrown.nc --kind heatmap --variables 'time(lended)' -o wrong.png
complains "there is no event lended; did you mean landed?"
expect 2 plot thrown.nc --kind snapshots --draw 'bob = (r, thita)' -o wrong.png
complains "did you mean theta?"

# A mechanism of bodies and joints is drawn from its model, in its plane.
cat >arm.toml <<'END'
[model]
name = "arm"
gravity = [0, 0, -9.81]
[model.bodies]
upper = { mass = 1, rod = [0.4, 0, 0] }
lower = { mass = 1, com = [0.2, 0, 0], inertia = [0, 0.01, 0.01] }
[model.joints]
shoulder = { child = "upper", type = "hinge", axis = [0, 1, 0] }
elbow = { parent = "upper", child = "lower", at = [0.4, 0, 0], type = "hinge", axis = [0, 1, 0] }
END
expect 0 run arm.toml -s time.end=0.5 -s 'solver.compile="never"' -o arm.nc --quiet
expect 0 plot arm.nc --kind snapshots -o arm.svg
for axis in x z; do
  grep -q "$axis (m)" arm.svg || die "arm.svg lacks the axis $axis"
done
if grep -q 'y (m)' arm.svg; then die "arm.svg is not drawn in its plane"; fi
expect 0 report arm.nc -o arm.html
grep -q 'Motion' arm.html || die "the report does not draw the mechanism"

# Numbers, and times, that differ by rounding only.
cat >flat.toml <<'END'
[model]
name = "flat"
lagrangian = "m*(x_dot^2 + y_dot^2)/2"
[model.parameters]
m = 1.0
c = 1.0
v = "1 m/s"
[model.coordinates]
x = "m"
y = "m"
[model.start]
x_dot = "v"
y_dot = "v*(1 + 1e-15*m*c)"
END
expect 0 run flat.toml -s 'parameters.m={linspace=[1, 2, 5]}' -s 'parameters.c={linspace=[1, 2, 5]}' -s time.start=1e9 \
  -s time.end=1000000000.0009765625 -s time.dt=0.00048828125 -o flat.nc --quiet
for kind in "density --variables y_dot,x" "heatmap --variables y_dot" "scatter --variables y_dot" fan residual; do
  # shellcheck disable=SC2086
  expect 0 plot flat.nc --kind $kind -o flat.png
  is_png flat.png
done

expect 2 plot pendulum.nc --kind events -o wrong.png
complains "it holds no events"
expect 2 plot pendulum.nc --kind fan --over m,L -o wrong.png
complains "--kind heatmap or scatter draws it"
expect 2 plot pendulum.nc --kind path --variables x,y,z,p_x,p_y -o wrong.png
complains "at most 4 of them, found 5"
# No option is ignored silently.
while read -r file kind option value; do
  expect 2 plot "$file" --kind "$kind" "--$option" "$value" -o wrong.png
  complains "--$option" "kalaba: --"
done <<'END'
pendulum.nc residual variables zzz
pendulum.nc residual member 3
pendulum.nc snapshots variables x
pendulum.nc snapshots times 0.1
pendulum.nc invariants over m,L
thrown.nc invariants draw bob=(r,theta)
thrown.nc events variables r
thrown.nc events member 3
thrown.nc density member 3
thrown.nc heatmap member 3
thrown.nc scatter member 3
thrown.nc heatmap times 0.1
END
expect 0 plot pendulum.nc --kind path --variables x,y,z -o space.svg
for plane in "x and y" "x and z" "y and z"; do
  grep -q "plane of $plane" space.svg || die "space.svg lacks the plane of $plane"
done

# Figures of papers.
expect 0 plot --figures
prints logarithmic_spiral_2 perpendicular_velocities_1 "figure 8"
expect 0 plot --figure logarithmic_spiral_4
prints logarithmic_spiral_4.png
is_png logarithmic_spiral_4.png
expect 0 plot --figure swarm_8 -o error.svg
prints error.svg
grep -q '<svg' error.svg || die "error.svg is not an SVG"
expect 2 plot --figure swarm_88
complains "there is no figure 'swarm_88'; did you mean swarm_8?" "kalaba plot --figures"
expect 2 plot pendulum.nc --figure swarm_8 -o wrong.png
complains "FILE and --figure exclude each other"
expect 2 plot --figure swarm_8 --kind fan -o wrong.png
complains "--kind and --figure exclude each other"
expect 2 plot
complains "FILE or --figure NAME"
expect 2 plot --figure swarm_8 -o wrong.pdf
complains ".png or .svg"
expect 3 plot --figure swarm_8 -o missing/wrong.png
complains missing/wrong.png
absent wrong.png wrong.pdf swarm_88.png
