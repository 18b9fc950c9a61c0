# SIGINT and SIGTERM: the first stops at the next saved time, the second ends at once and cleans up.
source "$(dirname -- "$0")/harness.sh" "$1"

# start OUTPUT ARGS...: a run that would take hours, once it has begun to write.
start() {
  last="kalaba run ... $*"
  "$kalaba" run spherical_pendulum -s time.end=1e6 -s output.fields='["q"]' -o "$@" >logs/out 2>logs/err &
  run=$!
  for _ in {1..200}; do
    if [[ -e ${1%.*}.partial.${1##*.}.checkpoint ]]; then return; fi
    sleep 0.05
  done
  die "$last: never began to write $1"
}

# ends CODE: waits at most 20 s.
ends() {
  local code=0
  (sleep 20 && kill -KILL "$run") 2>/dev/null &
  local guard=$!
  wait "$run" || code=$?
  kill "$guard" 2>/dev/null || true
  [[ $code -eq $1 ]] || die "$last: exit code $code, expected $1"
}

for signal in INT TERM; do
  for ending in csv nc; do
    start "stopped.$ending" -s time.save_every=1000000
    sleep 0.3
    kill "-$signal" "$run"
    ends 130
    complains "stopping at the next saved time"
    prints interrupted "stopped.partial.$ending"
    exists "stopped.partial.$ending"
    absent "stopped.$ending"
    rm "stopped.partial.$ending"
  done
done

start abandoned.nc -s time.save_every=1000000000
sleep 1 # it is within its one interval then
kill -INT "$run"
for _ in {1..200}; do
  if grep -q "stopping at the next" logs/err; then break; fi
  sleep 0.05
done
kill -INT "$run"
ends 130
[[ $(ls) == logs ]] || die "an abandoned run left $(ls)"
