# Files that cannot be read or written: exit code 3, and nothing under the final name.
source "$(dirname -- "$0")/harness.sh" "$1"

leaves_nothing() { [[ $(ls) == logs ]] || die "$last: left $(ls)"; }

expect 3 run missing.toml
complains missing.toml
expect 3 plot missing.nc
complains missing.nc
for ending in nc csv; do
  expect 3 run spherical_pendulum -o "missing/out.$ending"
  complains missing
  expect 3 run spherical_pendulum -o "/proc/out.$ending"
  complains "/proc/out.$ending"
  mkdir "folder.$ending"
  expect 3 run spherical_pendulum -o "folder.$ending"
  complains "folder.$ending"
  rmdir "folder.$ending"
  leaves_nothing

  # A file size limit simulates a disk that becomes full.
  (
    ulimit -f 64
    expect 3 run spherical_pendulum -s ensemble.members=2000 -s time.end=1 -o "full.$ending"
  )
  complains "full.$ending"
  leaves_nothing
done

expect 3 init spherical_pendulum -o missing/pendulum.toml
complains missing/pendulum.toml

# Messages name a special file by the path that the user gave.
code=0
"$kalaba" run spherical_pendulum -s time.end=0.01 -o /dev/stdout 2>logs/err | cat >logs/out || code=$?
[[ $code -eq 3 ]] || die "run into a pipe: exit code $code"
grep -qF "/dev/stdout: is not a plain file, so it cannot be replaced" logs/err || die "run into a pipe: no reason given"

code=0
"$kalaba" list >/dev/full 2>logs/err || code=$?
[[ $code -eq 3 ]] || die "list to a full device: exit code $code"
grep -q "standard output" logs/err || die "list to a full device: no reason given"
# A reader that closes its pipe early is not an error.
(
  sleep 0.3
  "$kalaba" list
  echo $? >logs/code
) | true
[[ $(cat logs/code) -eq 0 ]] || die "list to a closed pipe: exit code $(cat logs/code)"

# A file open in another program, with the lock that HDF5 sets on it.
expect 0 run spherical_pendulum -s time.end=0.01 -o held.nc --quiet
flock --no-fork held.nc sleep 60 &
holder=$!
while flock --nonblock held.nc true; do sleep 0.02; done
expect 3 info held.nc
complains "held.nc: is held open by another program" "close it there first"
kill "$holder"
wait "$holder" || true
expect 0 info held.nc
