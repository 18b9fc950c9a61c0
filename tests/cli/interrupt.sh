# SIGINT and SIGTERM: the first stops the run within half a second; further ones within two seconds have no effect.
source "$(dirname -- "$0")/harness.sh" "$1"

# start OUTPUT ARGS...: a run to $end that would take hours; returns when its file $begun exists.
end=1e6
begun=checkpoint
start() {
  last="kalaba run ... $*"
  "$kalaba" run spherical_pendulum -s time.end=$end -s output.fields='["q"]' -o "$@" >logs/out 2>logs/err &
  run=$!
  for _ in {1..200}; do
    if [[ -e ${1%.*}.partial.${1##*.}${begun:+.$begun} ]]; then return; fi
    sleep 0.05
  done
  die "$last: never began to write $1"
}

# ends CODE: waits at most 20 s for the run to end.
ends() {
  local code=0
  (sleep 20 && kill -KILL "$run") >/dev/null 2>&1 &
  local guard=$!
  wait "$run" || code=$?
  kill "$guard" 2>/dev/null || true
  [[ $code -eq $1 ]] || die "$last: exit code $code, expected $1"
}

for signal in INT TERM HUP; do
  for ending in csv nc; do
    start "stopped.$ending" -s time.save_every=1000000
    sleep 0.3
    kill "-$signal" "$run"
    ends 130
    complains "stopping (on a GPU at the next saved time); interrupt again after 2 s to abandon the run"
    prints interrupted "stopped.partial.$ending"
    exists "stopped.partial.$ending"
    absent "stopped.$ending"
    rm -f stopped.*
  done
done

# milliseconds: current time.
milliseconds() { date +%s%3N; }

# A CPU run stops within half a second, for any steps and saved times, and keeps its results.
for way in "" "-s solver.integrator=dopri5 -s solver.largest_step=1e-9 -s solver.compile=never" \
  "-s solver.integrator=dop853 -s solver.largest_step=1e-9 -s solver.compile=never" \
  "-s solver.backend=reference -s time.dt=1e-9" \
  "-s solver.backend=reference -s solver.integrator=dop853 -s solver.largest_step=1e-9"; do
  for saved in save_every='"final"' 'save_at=[0.5]' save_every=1000000; do
    end=$([[ -z $way ]] && echo 1e6 || echo 1)
    begun=
    # shellcheck disable=SC2086
    start latency.nc -s "time.$saved" -s ensemble.members=9 $way
    sleep 0.3
    begin=$(milliseconds)
    kill -TERM "$run"
    kill -INT "$run"
    ends 130
    took=$(($(milliseconds) - begin))
    [[ $took -le 500 ]] || die "$way, $saved: stopped after $took ms"
    exists latency.partial.nc
    if [[ $way != *reference* ]]; then exists latency.partial.nc.checkpoint; fi # which keeps whole blocks alone
    rm -f latency.*
  done
done

# A signal ends the compiler of a model, and leaves nothing.
printf '#!/bin/sh\ncase "$*" in --version) echo "slow++ 1.2.3"; exit 0;; esac\necho > compiling\nsleep 60\n' >slow++
chmod +x slow++
KALABA_CXX=$PWD/slow++ KALABA_CACHE_DIR=$PWD/cache TMPDIR=$PWD "$kalaba" run spherical_pendulum -s time.end=1 -o compiled.nc \
  >logs/out 2>logs/err &
run=$!
last="kalaba run, interrupted while it compiles"
for _ in {1..200}; do
  if [[ -e compiling ]]; then break; fi
  sleep 0.05
done
begin=$(milliseconds)
kill -TERM "$run"
ends 130
took=$(($(milliseconds) - begin))
[[ $took -le 500 ]] || die "$last: stopped after $took ms"
complains "kalaba: interrupted while the model was compiled; nothing was integrated"
rm compiling slow++
[[ $(ls) == logs ]] || die "$last: left $(ls)"

# A step of a large swarm is not interrupted: a signal after two seconds abandons it.
"$kalaba" run swarm -s structure.agents=200000 -s solver.pair_sum=all_pairs --threads 1 -o abandoned.nc >logs/out 2>logs/err &
run=$!
last="kalaba run swarm"
sleep 2
kill -INT "$run"
sleep 2.2
kill -0 "$run" || die "the swarm ended before it was abandoned"
kill -TERM "$run"
ends 130
[[ $(ls) == logs ]] || die "an abandoned run left $(ls)"

# nohup: a hang-up signal that is ignored stays ignored.
(
  trap '' HUP
  exec "$kalaba" run spherical_pendulum -s time.end=100 -o held.nc >logs/out 2>logs/err
) &
run=$!
for _ in {1..200}; do
  if [[ -e held.partial.nc.checkpoint ]]; then break; fi
  sleep 0.02
done
kill -HUP "$run"
ends 0
exists held.nc
rm held.nc

# An interrupt loses no work of a block of any size: the run resumes from the computed state, with bitwise identical
# results.
content() { ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf '; }
events='events=[{name="low", when="z - 0.2", action="record"}]'
block=(spherical_pendulum -s ensemble.members=640 -s solver.block_members=640 -s time.save_every=final --threads 1
  -s 'parameters.L={uniform=[0.5, 2]}' -s 'initial.x={uniform=[0.1, 0.4]}' -s "$events"
  -s 'output.statistics=["mean", "quantiles", "correlation"]')
# At least a second of work on any machine: a run that ends before its interrupt tests nothing.
for kind in "-s time.end=50" "-s time.end=400 -s solver.integrator=dopri5"; do
  # shellcheck disable=SC2206
  one=("${block[@]}" $kind)
  expect 0 run "${one[@]}" -o unbroken.nc --quiet
  stops=0
  for wait in 0.4 0.7 0.5; do
    "$kalaba" run "${one[@]}" --resume broken.nc >logs/out 2>logs/err &
    run=$!
    sleep "$wait"
    kill -INT "$run" 2>/dev/null || true
    code=0
    wait "$run" || code=$?
    last="kalaba run --resume broken.nc, interrupted"
    [[ $code -eq 130 || $code -eq 0 ]] || die "$last: exit code $code"
    if [[ $code -eq 130 && -s broken.partial.nc.checkpoint ]]; then
      stops=$((stops + 1))
      expect 3 run "${one[@]}" -o broken.nc
      complains "0 of 640 members done, and" "steps of the next 640"
    fi
  done
  [[ $stops -gt 0 ]] || die "no interrupt left a run to continue"
  if [[ ! -e broken.nc ]]; then expect 0 run --resume broken.nc --quiet; fi
  content unbroken.nc >logs/unbroken
  content broken.nc | cmp -s - logs/unbroken || die "$kind: what was interrupted ends otherwise"
  rm -f broken.* unbroken.nc
done
