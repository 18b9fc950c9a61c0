# A run in shards: each is bitwise identical to its part of the whole run, and merge joins them.
source "$(dirname -- "$0")/harness.sh" "$1"

content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf '; }

run=(spherical_pendulum -s ensemble.members=20000 -s time.end=0.01 -s time.save_every=5 -s solver.block_members=3000
  -s 'parameters.L={uniform=[0.5, 2]}' -s 'parameters.m={values=[1, 3]}' -s 'output.fields=["q"]'
  -s 'output.statistics=["mean", "std", "quantiles", "correlation", "histogram"]' -s output.group_by=parameters.m
  -s 'output.histogram={bins=9, z=[-2, 2]}' --quiet)
expect 0 run "${run[@]}" -o whole.nc
for i in 1 2 3; do expect 0 run "${run[@]}" --shard "$i/3" -o parts.nc; done
expect 0 run "${run[@]:0:${#run[@]}-1}" --shard 1/3 -o parts.nc
complains "shard 1/3 has 4,096 members, where even parts would have 6,666: statistics are merged in whole 4,096 members"
expect 0 info parts.2-of-3.nc
prints "2/3 of an ensemble of 20000 members, from member 4096 on"
exists parts.1-of-3.nc parts.2-of-3.nc parts.3-of-3.nc
absent parts.nc
expect 0 merge parts.3-of-3.nc parts.1-of-3.nc parts.2-of-3.nc -o merged.nc
prints "20,000 members" "20,000 ok" merged.nc
content whole.nc >logs/whole
content merged.nc | cmp - logs/whole || die "the merged file is not that of the undivided run"
expect 0 merge parts.*-of-3.nc -o merged.nc --quiet
is_silent

# Histograms with automatic ranges: each shard uses those of the whole run, and merge reads them from the files.
found=(spherical_pendulum -s ensemble.members=9000 -s 'parameters.L={uniform=[0.5, 2]}' -s time.end=0.1
  -s 'output.statistics=["histogram"]' -s output.histogram.bins=7 --quiet)
for fields in '["q", "energy"]' '["energy", "multipliers", "w"]'; do
  expect 0 run "${found[@]}" -s "output.fields=$fields" -o whole.nc
  for i in 1 2; do expect 0 run "${found[@]}" -s "output.fields=$fields" --shard "$i/2" -o found.nc; done
  expect 0 merge found.*-of-2.nc -o found.nc --quiet
  content whole.nc >logs/whole
  content found.nc | cmp - logs/whole || die "the merged histograms of $fields are not those of the undivided run"
done

# Failed members are reported even if nothing else is printed.
for i in 1 2; do
  expect 1 run spherical_pendulum -s ensemble.members=8192 -s time.end=0.002 -s 'parameters.m={values=[1,0]}' \
    --shard "$i/2" -o failed.nc --quiet
done
expect 1 merge failed.*-of-2.nc -o failed.nc --quiet
complains "kalaba: 4,096 of 8,192 members failed: 4,096 ok, 4,096 singular_constraints"

# Statistics only, more shards than needed, and a shard that was resumed.
expect 0 run "${run[@]}" -s output.trajectories=false -o alone.nc
content alone.nc >logs/whole
for i in 5 4 3 2 1; do expect 0 run "${run[@]}" -s output.trajectories=false --shard "$i/5" --resume sum.nc; done
expect 0 run --resume sum.2-of-5.nc
prints "sum.2-of-5.nc: is complete"
expect 0 merge sum.*-of-5.nc -o sum.nc
content sum.nc | cmp - logs/whole || die "the merged statistics are not those of the undivided run"

# Input files of the members: merge reads them from the shards, even if the files have changed since.
{ echo m; for i in $(seq 8192); do echo $((1 + i % 2)); done; } >g.csv
from=(spherical_pendulum -s time.end=0.002 -s 'parameters.m={file="g.csv"}' -s 'output.statistics=["mean", "correlation"]'
  -s output.group_by=parameters.m --quiet)
expect 0 run "${from[@]}" -o whole.nc
for i in 1 2; do expect 0 run "${from[@]}" --shard "$i/2" -o from.nc; done
content whole.nc >logs/whole
sed -i 's/^1$/7/; s/^2$/9/' g.csv
expect 0 merge from.*-of-2.nc -o from.nc --quiet
content from.nc | cmp - logs/whole || die "merge has other groups than the shards"
rm g.csv from.nc
expect 0 merge from.*-of-2.nc -o from.nc --quiet
content from.nc | cmp - logs/whole || die "merge needs the file that the members came from"

# Shard 1/1 is a shard, with statistics or without.
for statistics in '["mean", "quantiles"]' '[]'; do
  one=(spherical_pendulum -s ensemble.members=8 -s time.end=0.1 -s 'parameters.L={uniform=[0.5, 2]}'
    -s "output.statistics=$statistics" --quiet)
  expect 0 run "${one[@]}" -o whole.nc
  expect 0 run "${one[@]}" --shard 1/1 -o one.nc
  expect 0 merge one.*-of-1.nc -o one.nc --quiet
  content whole.nc >logs/whole
  content one.nc | cmp - logs/whole || die "one part of one is not the undivided run"
done

expect 2 merge parts.1-of-3.nc parts.3-of-3.nc -o wrong.nc
complains "expected every shard, missing: 2/3"
expect 2 merge parts.1-of-3.nc parts.1-of-3.nc -o wrong.nc
complains "parts.1-of-3.nc and parts.1-of-3.nc both are shard 1/3"
expect 2 merge parts.1-of-3.nc sum.2-of-5.nc -o wrong.nc
complains "sum.2-of-5.nc: is of another run than parts.1-of-3.nc: output.trajectories was true, is now false"
expect 3 merge whole.nc -o wrong.nc
complains "whole.nc: expected a shard"
expect 3 merge missing.nc -o wrong.nc
complains missing.nc
expect 2 merge parts.1-of-3.nc -o parts.1-of-3.nc
complains "is a shard itself"
expect 2 merge parts.1-of-3.nc -o wrong.csv
complains "ends in .nc"
absent wrong.nc wrong.csv

expect 2 run "${run[@]}" --shard 6/5 -o wrong.nc
complains "--shard: expected i/N" "found '6/5'"
expect 2 run "${run[@]}" --shard 1/6 -o wrong.nc
complains "expected at most 5 shards of 20000 members (statistics are merged in whole 4096 members), found 6"
expect 2 run "${run[@]}" --shard 1/2 -o wrong.csv
complains "expected an output that ends in .nc"
expect 2 run "${run[@]}" --shard 1/2
complains "--shard: expected an output to merge"
absent wrong.1-of-2.csv
