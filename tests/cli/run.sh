# Runs from scenarios to files and summaries.
source "$(dirname -- "$0")/harness.sh" "$1"

# A template runs without changes and gives the same output as the system's name.
expect 0 init chaplygin_sleigh -o sleigh.toml
expect 2 init chaplygin_sleigh no_such_argument
expect 3 init spherical_pendulum -o sleigh.toml
complains "sleigh.toml: exists already"
grep -q chaplygin_sleigh sleigh.toml || die "init overwrote a file"
expect 0 init chaplygin_sleigh
same logs/out sleigh.toml

ours=${KALABA_CACHE_DIR-}
export KALABA_CACHE_DIR=$PWD/logs/cache
expect 0 run sleigh.toml -o from_file.csv
prints "1 member from t = 0 to 4 s" "1 ok" "cpu: " from_file.csv "kalaba plot from_file.csv"
complains "backend auto: cpu, because"
# Printed once per machine, not for every run.
expect 0 run sleigh.toml -o from_file.csv
prints "in place of what was there"
if grep -q "backend auto" logs/err; then die "what every run says nobody reads"; fi
KALABA_CACHE_DIR=$ours
expect 0 run chaplygin_sleigh -o from_name.csv
same from_file.csv from_name.csv
[[ $(head -c 27 from_name.csv) == "member,time,x,y,heading,for" ]] || die "the header of from_name.csv"
near from_name.csv time 4 1e-12
near from_name.csv x 2.48045395 1e-7
near from_name.csv y 3.48413720 1e-7
near from_name.csv heading 1.22852369 1e-7

expect 0 run chaplygin_sleigh -o reference.csv --backend reference
prints "reference: "
near reference.csv x 2.48045395 1e-7

# Overrides and shorthands.
expect 0 run sleigh.toml -s time.end=1 -s 'parameters.m={uniform=[1, 2]}' -s ensemble.members=3 -o out.csv --threads 1
prints "3 members from t = 0 to 1 s" "1 thread,"
near out.csv member 2 1e-12
near out.csv time 1 1e-12
expect 2 run -s time.end=1 sleigh.toml -o shorthand.csv -s output.file=override.csv
complains output.file
absent shorthand.csv override.csv
expect 0 run sleigh.toml -s time.end=1 -o a.csv --threads 1 -s ensemble.members=40 -s 'initial.omega={normal=[0.8, 0.1]}'
expect 0 run sleigh.toml -s time.end=1 -o b.csv --threads 2 -s ensemble.members=40 -s 'initial.omega={normal=[0.8, 0.1]}'
same a.csv b.csv

expect 0 run spherical_pendulum -s time.end=0.5 -s ensemble.members=100 -o pendulum.nc
exists pendulum.nc
[[ $(head -c 4 pendulum.nc | tail -c 3) == HDF ]] || die "pendulum.nc is not netCDF-4"

expect 0 run swarm_matrix -s structure.agents=3 -s time.end=0.1 -o swarm.csv
grep -q '^member,time,x1,y1,x2,y2,x3,y3,x1_dot' swarm.csv || die "the requested size"

# A swarm of any size has one row per agent.
expect 0 run swarm -s structure.agents=3 -s time.end=0.1 -o three.csv
grep -q '^member,time,agent,x,y,x_dot' three.csv || die "a swarm of a size that swarm_matrix has too"
expect 0 run swarm -s structure.agents=4 -s structure.dimension=3 -o any.csv
grep -q '^member,time,agent,x,y,z,x_dot' any.csv || die "a swarm"
grep -q '^0,0,3,' any.csv || die "its last agent"
expect 1 run swarm -s structure.agents=4 -s initial.x=1 -s initial.y=2
prints "agents 0 and 1 are at the same place"

# Without an output no file is written, and the summary explains how to write one.
rm -f ./*.csv ./*.csv.checksum ./*.nc
expect 0 run spherical_pendulum -s time.end=0.1
prints "none was requested" "-o FILE.nc"
[[ $(ls) == $'logs\nsleigh.toml' ]] || die "a run without output left $(ls)"
expect 0 run spherical_pendulum -s time.end=0.1 -o quiet.csv --quiet
is_silent
exists quiet.csv

# Invalid values: exit code 2, and no file.
expect 2 run sleigh.toml -s time.ennd=1 -o wrong.csv
complains time.ennd "time.end"
expect 2 run sleigh.toml --threads many -o wrong.csv
complains solver.threads
expect 2 run sleigh.toml --backend gpu -o wrong.csv
complains solver.backend
expect 2 run sleigh.toml -s nonsense -o wrong.csv
expect 2 run sleigh.toml -o ''
expect 2 run sleigh.toml -o wrong.txt
expect 2 run chaplygin_sleigh --plot -o ''
expect 2 run spherical_pendulum --plot
complains "-o FILE"
expect 4 run sleigh.toml --backend cuda -o wrong.csv
complains cuda
absent wrong.csv wrong.txt

# A failed member: the other members finish, the file is complete, and the exit code is 1.
expect 1 run spherical_pendulum -s time.end=0.1 -s ensemble.members=2 -s 'parameters.m={values=[1, 0]}' -o failed.csv
prints "1 ok" "failed.csv" "steps        100 member-steps"
exists failed.csv
expect 1 run spherical_pendulum -s time.end=0.1 -s ensemble.members=2 -s 'parameters.m={values=[1, 0]}' --quiet
[[ ! -s logs/out && $(cat logs/err) == \
  "kalaba: 1 of 2 members failed: 1 ok, 1 singular_constraints
  1 singular_constraints, member 1: the metric (mass matrix) is not finite: its entry of p_x is inf, at t = 0 s" ]] || die "a failure said quietly"

# Failures by status, the most frequent one first, each with its first member.
kinds=(run spherical_pendulum -s time.end=1 -s 'parameters.m={values=[1, 0]}'
  -s 'parameters.g={values=[9.81, 1e9, 2e9]}' -s solver.integrator=dopri5 -s solver.max_steps=200)
expect 1 "${kinds[@]}" -o kinds.nc
prints "  failure      3 singular_constraints, the first is member 3: the metric (mass matrix) is not finite" \
  "  failure      2 too_many_steps, the first is member 1"
expect 1 "${kinds[@]}" --json
prints '"status": "singular_constraints", "members": 3, "first": 3, "reason": "the metric (mass matrix) is not finite: its entry of p_x is inf, at t = 0 s"' \
  '"status": "too_many_steps", "members": 2, "first": 1, "reason": "p_x changes fastest for its size' '"first_failed": 1'
expect 1 run --resume kinds.nc
complains "5 of 6 members failed: 1 ok, 3 singular_constraints, 2 too_many_steps" \
  "  3 singular_constraints, the first is member 3: the metric (mass matrix) is not finite" \
  "  2 too_many_steps, the first is member 1"

# A run from the final states of another: if events stopped members there, it reports this once.
expect 0 run spherical_pendulum -s time.end=0.5 -s 'parameters.L={linspace=[0.5, 2, 40]}' -o stopped.nc --quiet \
  -s 'events=[{name="low", when="x - 0.2*L", direction="falling"}]'
on=(run spherical_pendulum -s time.end=0.01 -s 'parameters.L={file="stopped.nc"}')
for name in x y z p_x p_y p_z; do on+=(-s "initial.$name={file=\"stopped.nc\"}"); done
expect 0 "${on[@]}"
[[ $(grep -c 'stopped.nc: .* of 40 members start where an event stopped them' logs/err) -eq 1 ]] ||
  die "no word, or more than one, of members that events stopped"
expect 0 "${on[@]}" --quiet
is_silent

# Discrete variables continue with their final values, on which an event of the first run decided.
cat >relay.toml <<'END'
[output]
fields = ["q", "w", "invariants"]
[model]
name = "relay"
[model.discrete]
u = { start = 0, unit = "m/s^2" }
[model.coordinates]
x = "m"
[model.mass]
x = "1[kg]"
[model.force]
x = "1[kg]*u"
[model.start]
x_dot = 1
[[model.events]]
name = "flip"
when = "x - 0.2[m]"
direction = "rising"
set = { u = "-2[m/s^2]" }
END
relay=(run relay.toml -s solver.compile=never -s time.dt=0.01 -s time.save_every=final)
expect 0 "${relay[@]}" -s time.end=0.8 -o unbroken.csv
expect 0 "${relay[@]}" -s time.end=0.4 -o begun.nc
for name in x x_dot; do relay+=(-s "initial.$name={file=\"begun.nc\"}"); done
expect 0 "${relay[@]}" -s time.start=0.4 -s time.end=0.8 -o continued.csv
if grep -q "it does not contain" logs/err; then die "a warning without a cause: $(cat logs/err)"; fi
for name in x x_dot u; do
  near continued.csv "$name" "$(awk -F, -v name="$name" '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i }
    END { print $at }' unbroken.csv)" 1e-12
done
expect 0 "${relay[@]}" -s time.start=0.4 -s time.end=0.8 \
  -s 'clocks=[{name="late", every=0.1, delay=3, set={u="0"}}]'
grep -q "begun.nc: it does not contain the values that the delay of clock 'late' still held back: its first 3 ticks set u" logs/err ||
  die "no word of the values of a clock with a delay: $(cat logs/err)"

# The output must not replace that file, under any name.
cp stopped.nc before.nc
ln -s stopped.nc link.nc
for name in stopped.nc ./stopped.nc link.nc; do
  expect 2 run spherical_pendulum -s time.end=0.01 -s 'parameters.L={file="stopped.nc"}' -o "$name"
  complains "parameters.L.file: expected a file that the run does not write, found $name"
done
cp stopped.nc next.partial.nc
expect 2 run spherical_pendulum -s time.end=0.01 -s 'initial.x={file="next.partial.nc"}' -o next.nc
same stopped.nc next.partial.nc
same stopped.nc before.nc
printf 't,x,y\n0,0,0\n1,1,0\n' >path.csv
expect 2 run swarm -s structure.agents=9 -o path.csv \
  -s 'agents=[{which=0, constraint="path", path="path.csv"}]'
complains "expected a file that the run does not write, found path.csv"
expect 0 run spherical_pendulum -s time.end=0.01 -s 'parameters.L={file="stopped.nc"}' -o next.nc --quiet

# Likewise for a swarm, from the final states of the agents.
swarm=(run swarm -s structure.agents=7 -s structure.dimension=3 -s parameters.kappa=2 -s initial.project=false
  -s time.dt=0.01 -s time.save_every=final --quiet)
expect 0 "${swarm[@]}" -s time.end=0.4 -o unbroken.csv
expect 0 "${swarm[@]}" -s time.end=0.2 -o half.nc
for name in x y z x_dot y_dot z_dot; do swarm+=(-s "initial.$name={file=\"half.nc\"}"); done
expect 0 "${swarm[@]}" -s time.start=0.2 -s time.end=0.4 -o second.csv
for name in x y z x_dot y_dot z_dot; do
  near second.csv "$name" "$(awk -F, -v name="$name" '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i }
    END { print $at }' unbroken.csv)" 1e-12
done
expect 2 run swarm -s structure.agents=8 -s 'initial.x={file="half.nc"}'
complains "expected a number for each of the 8 agents, found 7"

# One thread for each CPU that the process may use.
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
code=0
taskset -c "$cpu" "$kalaba" run spherical_pendulum -s ensemble.members=64 -s time.end=0.01 >logs/out 2>logs/err || code=$?
last="taskset -c $cpu kalaba run"
[[ $code -eq 0 ]] || die "$last: exit code $code"
prints "cpu: 1 thread,"

# Saved times are exactly the requested times, and step times are decimal numbers.
expect 0 run spherical_pendulum -s time.dt=0.1 -s time.end=1 -s 'time.save_at=[0, 0.3, 0.6, 0.65, 0.7, 1.0]' -o times.csv --quiet
[[ $(cut -d, -f2 times.csv | paste -sd ' ') == "time 0 0.3 0.6 0.65 0.7 1" ]] || die "$last: $(cut -d, -f2 times.csv | paste -sd ' ')"
expect 0 run spherical_pendulum -s time.dt=0.1 -s time.end=1 -s time.save_every=1 -o times.csv --quiet
[[ $(cut -d, -f2 times.csv | paste -sd ' ') == "time 0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1" ]] ||
  die "$last: $(cut -d, -f2 times.csv | paste -sd ' ')"
