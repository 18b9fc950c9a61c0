# Content and origin of a file.
source "$(dirname -- "$0")/harness.sh" "$1"

# A third of these pendulums have a rod of zero length: their start cannot be projected.
run=(run spherical_pendulum -s time.end=0.1 -s time.save_every=50 -s ensemble.members=9 -s ensemble.seed=77)
expect 1 "${run[@]}" -s 'parameters.L={values=[1, 0, 2]}' -s 'initial.z=0.5' -o pendulum.nc --quiet
expect 0 info pendulum.nc
prints "pendulum.nc: spherical_pendulum, an ensemble of 9 members" "bob on a rigid rod" "seed       77" "kB"
grep -Eq "^  version +[0-9]+\.[0-9]+\.[0-9]+, commit " logs/out || die "info: no version"
grep -Eq "^  compiler +[A-Z]" logs/out || die "info: no compiler"
grep -Eq "^  machine +.*Linux" logs/out || die "info: no machine"
grep -Eq "^  created +20[0-9-]+T[0-9:]+Z" logs/out || die "info: no date"
prints "0 s to 0.1 s, 3 saved times" 'system = "spherical_pendulum"' "L = { values = [1.0, 0.0, 2.0] }"
grep -Eq "^  coordinate +3 +x, y, z$" logs/out || die "info: no coordinates"
grep -Eq "^  w +\(time, rate, member\) +kg m/s +rates" logs/out || die "info: no rates"
grep -Eq "^  [1-9] +not_converged +members 1, 4, 7$" logs/out ||
  die "info: the failed members are not named"
if grep -q ' $' logs/out; then die "info: spaces at the end of a line"; fi

expect 0 "${run[@]}" -o pendulum.csv --quiet
expect 0 info pendulum.csv
prints "a table of 9 members" "3 saved times" "kg m/s"

expect 3 info missing.nc
complains "missing.nc: there is no such file"
echo nonsense >wrong.nc
expect 3 info wrong.nc
complains "wrong.nc"
expect 2 info pendulum.txt
complains ".nc or .csv"
expect 2 info
complains FILE

expect 0 run spherical_pendulum -s time.end=0.1 -o one.nc --quiet
expect 0 info one.nc
grep -q 'an ensemble of 1 member$' logs/out || die "one member is no members"
