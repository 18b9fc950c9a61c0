# Events: stopped members are no failure, and every output tells when and where they stopped.
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

# Where an event stopped everybody, what was varied is set against when and where.
expect 0 run fall.toml -o all.nc -s time.end=1.5 --quiet
expect 0 report all.nc -o all.html
grep -q "time of low" all.html || die "the report does not correlate the times of events"
grep -q "<b>40</b><span>stopped by events" all.html || die "the report does not count who was stopped"
grep -q "<b>0</b><span>failed" all.html || die "the report takes stopped members for failed ones"
expect 0 export fall.nc --csv exported
head -n 1 exported/events.csv | grep -q '^member,event,count,time,last_time,x,y,z,p_x,p_y,p_z$' || die "exported events.csv"

# A CSV output has them in a table beside it, which holds the numbers that netCDF does.
expect 0 run fall.toml -o fall.csv
prints fall.events.csv
same fall.events.csv exported/events.csv

# A run in blocks, on one thread or in parts gives the same.
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

# The members' motion is that of a run without events.
expect 0 run fall.toml -o plain.csv -s events=[] --quiet
absent plain.events.csv
expect 0 run fall.toml -o recorded.csv --quiet -s 'events=[{name="half", when="x - 0.5*L", action="record"}]'
same plain.csv recorded.csv

expect 0 run fall.toml -o dopri5.csv -s solver.integrator=dopri5
prints "stopped at 'low'"
expect 0 run fall.toml -o reference.csv --backend reference
prints "stopped at 'low'"
expect 0 run fall.toml -o statistics.csv -s 'output.statistics=["mean"]' -s output.trajectories=false
exists statistics.csv statistics.events.csv

expect 2 run fall.toml -o wrong.nc -s 'events=[{name="a", when="xx"}]'
complains "events[1].when" "did you mean x?"
expect 2 run swarm -s structure.agents=4 -s 'events=[{name="a", when="x"}]' -o wrong.nc
complains "events are not watched in a swarm of any number of agents"
expect 2 run fall.toml -s events.1.when=z -o wrong.nc
complains "events is an array, not a table"
absent wrong.nc
