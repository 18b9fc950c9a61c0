# Accuracy of runs, and differences between two files.
source "$(dirname -- "$0")/harness.sh" "$1"
runs=0

scenario=(spherical_pendulum -s ensemble.members=40 -s 'parameters.L={uniform=[0.5, 2]}' -s time.end=1)
expect 0 converge "${scenario[@]}" -s time.dt=0.02 -s time.save_every=10 --members 10 --error 1e-8 -o errors.svg
prints "10 members at dt = 0.02 s, 0.01 s, 0.005 s" "order" "1e-08 of every quantity's size: dt = 0.00" "errors.svg"
grep -q 'required' errors.svg || die "errors.svg does not show the required error"
expect 0 converge "${scenario[@]}" -s 'solver.integrator="dopri5"' --quiet
prints "relative tolerance = 1e-08, 1e-09, 1e-10"
# No step is recommended for errors below rounding, and tolerances below the smallest possible one are refused.
for error in 1e-17 1e-40; do
  expect 0 converge "${scenario[@]}" --error $error --quiet
  prints "no dt can be named for $error of every quantity's size: of x, errors below" "are rounding" "below rounding"
done
expect 0 converge "${scenario[@]}" --error 1e-12 -s time.dt=0.001 --quiet
prints "1e-12 of every quantity's size: dt = 0.000"
expect 2 converge "${scenario[@]}" -s 'solver.integrator="dop853"' -s solver.relative_tolerance=1e-13
complains "relative_tolerance: expected about 2.22e-12 or more for 3 levels" "the last no less than 2.22e-14; found 1e-13"
expect 0 converge "${scenario[@]}" -s 'solver.integrator="dopri5"' -s 'solver.precision="single"' -s solver.relative_tolerance=1e-2 --quiet
expect 2 converge spherical_pendulm
complains "spherical_pendulum"
expect 2 converge "${scenario[@]}" -o errors.pdf
complains ".png or .svg"
expect 2 converge "${scenario[@]}" --error -1
complains "expected a number above 0, found -1"
expect 2 converge "${scenario[@]}" --levels 2

expect 0 run "${scenario[@]}" -s time.dt=0.01 -s time.save_every=10 -o coarse.nc --quiet
expect 0 run "${scenario[@]}" -s time.dt=0.005 -s time.save_every=20 -o fine.nc --quiet
expect 0 run "${scenario[@]}" -s time.dt=0.005 -s time.save_every=20 -o fine.csv --quiet
# Files with statistics only are compared too.
for seed in 1 1 2; do
  expect 0 run "${scenario[@]}" -s ensemble.seed=$seed -s 'output.statistics=["mean"]' -s output.trajectories=false \
    -o "mean.$((++runs)).nc" --quiet
done
expect 0 compare mean.1.nc mean.2.nc --all
prints "q_mean" "are the same to the bit"
expect 0 compare mean.1.nc mean.3.nc
prints "q_mean"
expect 1 compare mean.1.nc mean.3.nc --tolerance 1e-6

expect 0 compare coarse.nc coarse.nc
prints "40 members, 11 saved times in both" "are the same to the bit"
expect 0 compare coarse.nc fine.nc --tolerance 1e-3
prints "worst" "member" "typical" "all within 0.001"
expect 1 compare coarse.nc fine.nc --tolerance 1e-12
prints "not within 1e-12"
expect 0 compare fine.nc fine.csv
prints "the same to the bit"
expect 3 compare coarse.nc missing.nc
complains "missing.nc"
expect 0 run spherical_pendulum -s time.end=1 -o one.nc --quiet
expect 0 run "${scenario[@]}" --shard 2/2 -o half.nc --quiet
expect 0 run spherical_pendulum -s ensemble.members=20 -s time.end=1 -o twenty.nc --quiet
expect 2 compare half.2-of-2.nc twenty.nc
complains "half.2-of-2.nc has members from 20 on and twenty.nc from 0 on, expected the same"
expect 2 compare coarse.nc one.nc
complains "coarse.nc has 40 members and one.nc has 1"
