# Events: stopped members are not failures, and every output states the time and state of the stop.
source "$(dirname -- "$0")/harness.sh" "$1"

cat >fall.toml <<'TOML'
system = "spherical_pendulum"
[ensemble]
members = 40
[parameters]
L = { uniform = [0.5, 2.0] }
[time]
end = 0.5
save_every = 50
[[events]]
name = "low"
when = "x - 0.2*L"
direction = "falling"
[[events]]
name = "half"
when = "x - 0.5*L"
action = "record"
TOML

expect 0 run fall.toml -o fall.nc
prints "stopped at 'low'" "event        low in " "event        half in "
expect 0 info fall.nc
prints "events: members, crossings, first times" "x - 0.2*L = 0 falling, stop" "(event, coordinate, member)" "[[events]]"
expect 0 report fall.nc -o fall.html
grep -q "x - 0.2\*L = 0 falling, stop" fall.html || die "the report has no events"
expect 2 report fall.nc --interactive
complains "--interactive: the explorer is part of the Python package: python3 -m kalaba report fall.nc --interactive"

# If an event stopped all members, the report compares the inputs with the time and state of the stop.
expect 0 run fall.toml -o all.nc -s time.end=1.5 --quiet
expect 0 report all.nc -o all.html
grep -q "time of low" all.html || die "the report does not correlate the times of events"
grep -q "<b>40</b><span>stopped by events" all.html || die "the report does not count who was stopped"
grep -q "<b>0</b><span>failed" all.html || die "the report takes stopped members for failed ones"
expect 0 export fall.nc --csv exported
head -n 1 exported/events.csv | grep -q '^member,event,count,time,last_time,x,y,z,p_x,p_y,p_z$' || die "exported events.csv"

# Frames after a stop contain the state at the time of the stop, including quantities that depend on time.
cat >rising.toml <<'TOML'
[model]
name = "rising"
lagrangian = "(x_dot^2 + y_dot^2)/2 - y + 3*t*x"
[model.coordinates]
x = ""
y = ""
[model.holonomic]
c = "y = x^2 + sin(t)"
[model.start]
x_dot = 1.0
[model.time]
end = 1.0
dt = 1e-3
[[model.events]]
name = "there"
when = "x - 0.3"
action = "stop"
TOML
for backend in reference cpu; do
  for compile in never auto; do
    expect 0 run rising.toml --backend $backend -s solver.compile=$compile -o rising.csv --quiet \
      -s 'time.save_at=[0.1, 0.31, 0.5, 0.7504, 1]' -s 'output.fields=["violation", "energy", "multipliers"]'
    awk -F, 'NR > 3 && ($8 > 1e-9 || (NR > 4 && $7 "," $9 != last)) { exit bad = 1 } { last = $7 "," $9 }
      END { exit bad || NR != 6 }' rising.csv || die "$backend, $compile: $(cat rising.csv)"
  done
done

# The longest name appears in every output.
longest=$(printf 'n%.0s' {1..64})
expect 0 run fall.toml -o named.nc --quiet -s "events=[{name=\"$longest\", when=\"x - 0.5*L\", action=\"record\"}]"
ncdump -h named.nc >logs/header
grep -q ":event_${longest}_crossings = 40" logs/header || die "the file does not count what has a long name"

# A pole is not a zero.
expect 0 run fall.toml -o pole.csv --quiet -s 'events=[{name="pole", when="1/(x - 0.5*L)"}]' --backend reference
expect 0 run fall.toml -o pole2.csv --quiet -s 'events=[{name="pole", when="1/(x - 0.5*L)"}]'
for table in pole.events.csv pole2.events.csv; do
  awk -F, 'NR > 1 && $3 != 0 { exit bad = 1 } END { exit bad || NR != 41 }' $table || die "members stopped at a pole: $table"
done

# A CSV output has a separate table of events, with the same numbers as netCDF.
expect 0 run fall.toml -o fall.csv
prints fall.events.csv
same fall.events.csv exported/events.csv
# It has a row for each member and event. An event that did not occur has the count 0, and NaN as in netCDF.
awk -F, 'NR > 1 && $3 == 0 { absent++; for (i = 4; i <= NF; ++i) if ($i != "NaN") exit bad = 1 }
  NR > 1 && $3 > 0 && /NaN/ { exit bad = 1 }
  NR > 1 && ($1 != int((NR - 2) / 2) || $2 != (NR % 2 ? "half" : "low")) { exit bad = 1 }
  END { exit bad || NR != 81 || absent < 10 }' fall.events.csv || die "fall.events.csv: $(cat fall.events.csv)"

# A run in blocks, on one thread or in shards gives the same result.
expect 0 run fall.toml -o blocks.csv -s solver.block_members=7 --threads 1 --quiet
same blocks.csv fall.csv
same blocks.events.csv fall.events.csv
content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf '; }
expect 0 run fall.toml -o parts.nc --shard 1/2 --quiet
expect 0 run fall.toml -o parts.nc --shard 2/2 --quiet
expect 0 merge parts.1-of-2.nc parts.2-of-2.nc -o merged.nc
prints "stopped at 'low'" "event        low in "
content fall.nc >logs/whole
content merged.nc | cmp - logs/whole || die "the merged file is not that of the undivided run"

# The members' motion is identical to that of a run without events.
expect 0 run fall.toml -o plain.csv -s events=[] --quiet
absent plain.events.csv
expect 0 run fall.toml -o recorded.csv --quiet -s 'events=[{name="half", when="x - 0.5*L", action="record"}]'
same plain.csv recorded.csv

expect 0 run fall.toml -o dopri5.csv -s solver.integrator=dopri5
prints "stopped at 'low'"
expect 0 run fall.toml -o reference.csv --backend reference
prints "stopped at 'low'"

# With statistics only, events are in both kinds of files too, also after a run in shards.
alone() { kalaba_args=(run fall.toml -s 'output.statistics=["mean"]' -s output.trajectories=false --quiet "$@"); }
alone -o alone.csv
expect 0 "${kalaba_args[@]}"
exists alone.csv
same alone.events.csv fall.events.csv
alone -o alone.nc -s solver.block_members=16
expect 0 "${kalaba_args[@]}"
ncdump -h alone.nc >logs/header
grep -q " status(member)" logs/header && die "a file of statistics alone holds trajectories"
expect 0 export alone.nc --csv exported_alone
same exported_alone/events.csv fall.events.csv
expect 0 info alone.nc
prints "events: members, crossings, first times"
expect 0 report alone.nc -o alone.html
alone -o many.nc -s ensemble.members=8192 -s time.end=0.3
expect 0 "${kalaba_args[@]}"
for part in 1 2; do
  alone -o some.nc -s ensemble.members=8192 -s time.end=0.3 --shard $part/2
  expect 0 "${kalaba_args[@]}"
done
expect 0 merge some.1-of-2.nc some.2-of-2.nc -o some.nc
content many.nc >logs/many
content some.nc | cmp - logs/many || die "the merged file of statistics is not that of one run"

# Events are an output of their own, also without statistics; with the parameters of the members.
for ending in nc csv; do
  expect 0 run fall.toml -o only.$ending -s output.trajectories=false --quiet
done
same only.csv fall.events.csv
absent only.events.csv only.members.csv
expect 0 export only.nc --csv exported_only
same exported_only/events.csv fall.events.csv
head -n 1 exported_only/members.csv | grep -q '^member,m,L,g$' || die "the parameters of members that events are of"
absent exported_only/trajectories.csv
expect 2 run fall.toml -o wrong.nc -s output.trajectories=false -s events=[]
complains "expected output.statistics or [[events]] where there are no trajectories"
# Events whose expression is never finite are reported separately from events that did not happen.
expect 0 run fall.toml -s 'events=[{name="never", when="x/0"}, {name="not", when="x - 1000"}]' --quiet -o never.nc
expect 0 run fall.toml -s 'events=[{name="never", when="x/0"}, {name="not", when="x - 1000"}]'
prints "never never happened: its expression is finite neither at the start nor at the end of any member"
grep -q "event        not never happened$" logs/out || die "an event that did not happen"

# Events of derived quantities, and conditions: a rod under large tension or compression.
when='lambda_1 < -12 or lambda_1 > 12'
expect 0 run fall.toml -o pull.csv --quiet -s time.end=1.5 -s "events=[{name=\"pull\", when=\"$when\", action=\"record\"}]" \
  -s 'output.fields=["q","multipliers"]'
expect 0 run fall.toml -o pull2.csv --quiet -s time.end=1.5 --backend reference \
  -s "events=[{name=\"pull\", when=\"$when\", action=\"record\"}]" -s 'output.fields=["q","multipliers"]'
[[ $(awk -F, '$3 > 0' pull.events.csv | wc -l) -gt 20 ]] || die "no rod pulled"
paste -d, pull.events.csv pull2.events.csv | awk -F, 'NR > 1 && $3 != $(NF / 2 + 3) { exit 1 }
  NR > 1 && $3 > 0 { d = $4 - $(NF / 2 + 4); if (d > 1e-9 || d < -1e-9) exit 1 }' ||
  die "the reference finds other times of a multiplier's threshold"
expect 0 run fall.toml -o energy.nc -s 'events=[{name="low", when="energy - p_z^2/(2*m) + 1 > 0 and not t < 0.1"}]'
prints "event        low"
expect 0 info energy.nc
prints "energy - p_z^2/(2*m) + 1 > 0 and not t < 0.1"

expect 2 run fall.toml -o wrong.nc -s 'events=[{name="a", when="lambda_2 > 0"}]'
complains "there is no lambda_2; did you mean lambda_1?"
expect 2 run fall.toml -o wrong.nc -s 'events=[{name="a", when="xx"}]'
complains "events[1].when" "did you mean x?"
expect 2 run fall.toml -o wrong.nc -s "events=[{name=\"$(printf 'n%.0s' {1..65})\", when=\"x\"}]"
complains "events[1].name: expected a name of letters, digits and _, at most 64"
expect 2 run swarm -s structure.agents=4 -s 'events=[{name="a", when="x"}]' -o wrong.nc
complains "events are not watched in a swarm"
expect 2 run fall.toml -s events.1.when=z -o wrong.nc
complains "events is an array, not a table"
absent wrong.nc

# With sensitivities, outputs contain derivatives of events too, the same in every format.
cat >slopes.toml <<'TOML'
system = "spherical_pendulum"
[solver]
backend = "reference"
[ensemble]
members = 3
[parameters]
L = { uniform = [0.5, 2.0] }
[time]
end = 0.5
[[events]]
name = "half"
when = "x - 0.5*L"
[sensitivities]
of = ["parameters.L", "initial.z"]
TOML
expect 0 run slopes.toml -o slopes.nc --quiet
ncdump -h slopes.nc >logs/header
grep -q "double event_time_sensitivity(event, sensitivity, member)" logs/header || die "no derivatives of times"
grep -q "double event_q_sensitivity(event, sensitivity, coordinate, member)" logs/header || die "no derivatives of states"
expect 0 run slopes.toml -o slopes.csv --quiet
head -n 1 slopes.events.csv | grep -q ',sensitivity_time_to_parameters.L,sensitivity_time_to_initial.z,sensitivity_x_to_' ||
  die "slopes.events.csv"
[[ $(grep -c ',half,1,' slopes.events.csv) == 3 ]] || die "slopes.events.csv lacks events"
if grep -q NaN slopes.events.csv; then die "a derivative is missing"; fi
expect 0 export slopes.nc --csv slopes
same slopes.events.csv slopes/events.csv
expect 0 run slopes.toml -o parts.nc --shards 3 --local --quiet
expect 0 export parts.nc --csv parts
same parts/events.csv slopes/events.csv

# The event of a contact has no expression; `describe` states the contact.
cat >ball.toml <<'TOML'
[model]
name = "ball"
lagrangian = "y_dot^2/2 - g*y"
[model.parameters]
g = "9.81 m/s^2"
e = 0.5
[model.coordinates]
y = "m"
[model.start]
y = 1
[model.time]
end = 0.6
dt = 0.01
[model.unilateral]
floor = { gap = "y", restitution = "e" }
TOML
expect 0 run ball.toml -s solver.compile=never -o ball.nc
expect 0 info ball.nc
prints "the contact closes, record"
expect 0 describe ball.toml
prints "contacts: name, gap, restitution, law" "e = e  newton" "impacts  simultaneous"
if grep -q "@" logs/out; then die "describe lists internal variables"; fi
