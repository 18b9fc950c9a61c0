# Command `bench`: measurements, output and files.
source "$(dirname -- "$0")/harness.sh" "$1"

expect 0 bench --help
prints "--members" "--seconds" "--json" "Exit code 1"

expect 0 bench spherical_pendulum --seconds 0.05 --json bench.json
prints "steps/s" "members/s" "spherical_pendulum  reference" "spherical_pendulum  cpu" "of 5000"
[[ ! -s logs/err ]] || die "progress is for terminals"
[[ $(grep -c '"system": "spherical_pendulum"' bench.json) -eq 2 ]] || die "bench.json: a row a backend"
grep -q '"peak_share": [0-9]' bench.json || die "the share of the peak in bench.json"
if command -v python3 >/dev/null; then python3 -m json.tool bench.json >/dev/null || die "bench.json is not JSON"; fi

# A scenario with its own members and backend, and a short complete run.
printf 'system = "knife_edge"\n[solver]\nbackend = "cpu"\n[ensemble]\nmembers = 24\n' >edge.toml
expect 0 bench edge.toml -s time.end=0.05 --seconds 0.05
prints "knife_edge  cpu      svd     24       "
if grep -qE '  reference  | of ' <(tail -n +2 logs/out); then die "one backend, the whole run"; fi
expect 0 bench chain -s structure.links=2 --members 8 --backend cpu --seconds 0.05
prints "chain links=2  cpu      ldlt    8 "  # by auto

# Members that fail have no figures.
expect 1 bench rough_ring -s 'parameters.m={values=[1, -1]}' --seconds 0.05 --backend cpu --json failed.json
prints "failed: 1 of 2 members failed, the first by "
grep -q '"member_steps_per_second": null' failed.json || die "figures of members that failed"

# Events are detected; events that stop members reduce the number of steps that count.
for action in stop record; do
  expect 0 bench spherical_pendulum --backend cpu --seconds 0.05 -s "events=[{name=\"a\", when=\"x\", action=\"$action\"}]"
  prints "spherical_pendulum  cpu"
done
expect 0 bench spherical_pendulum --backend reference --members 8 --seconds 0.05 -s time.end=0.1 \
  -s 'events=[{name="at_once", when="t - 0.0005"}]'
prints "spherical_pendulum  reference"

# Time as a function of the error.
expect 0 bench spherical_pendulum -s time.end=0.5 --work-precision --seconds 0.2 --json work.json -o work.svg
prints "rk4         dt" "dopri5      tolerance" "dop853      tolerance 0.001" "time/member for" "which agree to"
grep -q '"integrator": "dop853", "relative_tolerance"' work.json || die "work.json: a row a run"
[[ -s work.svg ]] || die "no picture of work and precision"
expect 1 bench spherical_pendulum -s time.end=0.5 -s time.dt=0.25 --work-precision --seconds 1e-9
complains "no errors are given"
expect 2 bench --work-precision
complains "--work-precision needs a SCENARIO"
expect 2 bench spherical_pendulum -o work.svg
complains "--output goes with --work-precision"

expect 4 bench two_particles_incline -s 'solver.pseudo_inverse="cusolver"' --seconds 0.05
complains cuda
expect 2 bench spherical_pendulumm
complains "spherical_pendulum"
expect 2 bench spherical_pendulum --backend cpuu
complains "there is no backend 'cpuu'; did you mean cpu?"
expect 4 bench spherical_pendulum --backend cuda
complains cuda
expect 2 bench spherical_pendulum -s solver.integrator=dopri5
complains "expected rk4, found dopri5"
expect 2 bench spherical_pendulum --seconds 0
complains "--seconds"
expect 3 bench spherical_pendulum --json missing/bench.json
complains missing/bench.json
