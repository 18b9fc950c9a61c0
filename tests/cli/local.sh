# --shards N --local: processes on this machine, with the same file as one run.
source "$(dirname -- "$0")/harness.sh" "$1"

content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario|device) = |^netcdf '; }

run=(spherical_pendulum -s ensemble.members=20000 -s time.end=0.01 -s time.save_every=5 -s 'parameters.L={uniform=[0.5, 2]}'
  -s 'output.fields=["q"]' -s 'output.statistics=["mean", "std", "quantiles"]')
expect 0 run "${run[@]}" -o whole.nc --quiet
content whole.nc >logs/whole
expect 0 run "${run[@]}" -o parts.nc --shards 3 --local
prints "20,000 members" "20,000 ok" parts.nc
content parts.nc | cmp - logs/whole || die "what the processes wrote is not the undivided run"
[[ $(ls) == "$(printf 'logs\nparts.nc\nwhole.nc')" ]] || die "there are more files than the merged one: $(ls)"
expect 0 run "${run[@]}" --resume parts.nc --shards 3 --local
prints "parts.nc: is complete"
expect 0 run "${run[@]}" -o parts.nc --shards 2 --local --quiet
is_silent
content parts.nc | cmp - logs/whole || die "two shards differ from one"

expect 0 run "${run[@]}" -o parts.nc --shards 1 --local --quiet
content parts.nc | cmp - logs/whole || die "one shard is not the undivided run"

# Failed members are data, here too.
expect 1 run spherical_pendulum -s time.end=0.002 -s 'parameters.m={values=[1, 0]}' -s ensemble.members=8 -o failed.nc \
  --shards 2 --local
prints "4 ok, 4 singular_constraints"

# An interrupted run can be resumed, and gives the same numbers.
hours=(spherical_pendulum -s ensemble.members=8000 -s time.save_every=100 -s 'parameters.L={uniform=[0.5, 2]}'
  -s solver.block_members=64)
"$kalaba" run "${hours[@]}" -s time.end=6 -o hours.nc --shards 2 --local >logs/out 2>logs/err &
process=$!
last="kalaba run --shards 2 --local, interrupted"
for _ in {1..6000}; do
  compgen -G 'hours.*-of-2.partial.nc.checkpoint' >/dev/null && break
  sleep 0.05
done
sleep 0.2
kill -INT "$process"
code=0
wait "$process" || code=$?
[[ $code -eq 130 ]] || die "exit code $code, expected 130"
complains "not every shard has ended; the same command with --resume hours.nc continues the run"
[[ $(grep -c '^stopping' logs/err) -eq 1 ]] || die "the stop is not told once"
absent hours.nc
expect 0 run "${hours[@]}" -s time.end=6 --resume hours.nc --shards 2 --local --quiet
expect 0 run "${hours[@]}" -s time.end=6 -o undivided.nc --quiet
content undivided.nc >logs/whole
content hours.nc | cmp - logs/whole || die "a resumed run differs from the undivided one"

# A process that is killed causes no loss of other processes' results.
"$kalaba" run spherical_pendulum -s ensemble.members=64 -s time.end=1e6 -s time.save_every=1000000 -o killed.nc \
  --shards 2 --local >logs/out 2>logs/err &
process=$!
last="kalaba run --shards 2 --local, one killed"
children=
for _ in {1..200}; do
  children=$(ps -o pid= --ppid "$process" || true)
  [[ $(wc -w <<<"$children") -eq 2 ]] && break
  sleep 0.02
done
sleep 0.5
read -r first second <<<"$(xargs <<<"$children")"
kill -KILL "$first"
kill -INT "$second"
code=0
wait "$process" || code=$?
[[ $code -eq 70 ]] || die "exit code $code, expected 70"
complains "was ended by signal 9"

expect 2 run "${run[@]}" -o wrong.nc --shards 3
complains "--shards: --local runs them on this machine"
expect 2 run "${run[@]}" -o wrong.nc --local
complains "--local requires --shards N"
expect 2 run "${run[@]}" -o wrong.nc --shards 6 --local
complains "expected at most 5 shards of 20000 members"
expect 2 run "${run[@]}" -o wrong.csv --shards 2 --local
complains "expected an output that ends in .nc"
expect 2 run "${run[@]}" --shards 2 --local
complains "name one with -o FILE.nc"
expect 2 run "${run[@]}" -o wrong.nc -s parameters.M=3 --shards 2 --local
complains "did you mean parameters.m"
[[ $(grep -c 'did you mean' logs/err) -eq 1 ]] || die "$last: said more than once"
absent wrong.nc
