# Pictures: from the command `plot`, and from `run --plot`.
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

# Members that failed are left out of it, and it says so.
expect 1 run spherical_pendulum -s 'parameters.m={values=[1,0,2,3]}' -s time.end=0.1 -s ensemble.members=40 -o failed.nc --plot=failed.svg
prints "of its members 10 failed, left out from then on"
grep -q '10 failed, left out from then on' failed.svg || die "failed.svg says nothing of members left out"
expect 0 plot failed.nc --kind histogram
complains "failed.nc: of its members 10 failed, left out from then on"

# Statistics alone are what reports draw.
expect 0 "${run[@]}" -o mean.nc -s 'output.statistics=["mean"]' -s output.trajectories=false --quiet
for words in "" "--kind fan" "--variables x"; do
  # shellcheck disable=SC2086
  expect 2 plot mean.nc $words
  complains "mean.nc: it holds no trajectories" "kalaba report"
done

# The papers' figures.
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
