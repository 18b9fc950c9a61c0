# A run killed at any moment can be resumed with --resume, and gives the result of an uninterrupted one.
source "$(dirname -- "$0")/harness.sh" "$1"

# Content of a file, except its creation time and duration.
content() {
  case $1 in
    *.nc) ncdump "$1" | grep -vE ':(created|wall_seconds|scenario) = |^netcdf ' ;;
    *) cat "$1" ;;
  esac
}

pendulum=(spherical_pendulum -s ensemble.members=2560 -s solver.block_members=64
  -s 'parameters.L={uniform=[0.5, 2]}')
agents=(swarm -s structure.agents=11 -s 'initial.agents={disk=4}' -s 'parameters.kappa={uniform=[1, 3]}'
  -s ensemble.members=320 -s solver.block_members=32 -s time.end=2 -s time.dt=0.01)
always=(-s 'output.statistics=["mean", "quantiles"]' --threads 1 --quiet)

kills=0
resumed=0 # kills that left completed blocks behind
# survives OUTPUT ARGS...: kills runs of OUTPUT at random moments and resumes them: KALABA_TEST_KILLS times.
survives() {
  local output=$1 count=$(((${KALABA_TEST_KILLS:-10} + 4) / 5)) begin end span pid code
  shift
  local run=("$@" "${always[@]}")
  expect 0 run "${run[@]}" -o "first.$output" # which compiles
  begin=$(date +%s%N)
  expect 0 run "${run[@]}" -o "unbroken.$output"
  end=$(date +%s%N)
  span=$(((end - begin) / 1000)) # microseconds
  content "unbroken.$output" >logs/unbroken
  for ((; count > 0; --count, ++kills)); do
    "$kalaba" run "${run[@]}" --resume "$output" >logs/out 2>logs/err &
    pid=$!
    sleep "$((span * (RANDOM % 900 + 20) / 1000))e-6"
    kill -KILL "$pid" 2>/dev/null || true
    code=0
    wait "$pid" 2>/dev/null || code=$?
    last="kalaba run --resume $output, killed"
    [[ $code -eq 137 || $code -eq 0 ]] || die "$last: exit code $code"
    if [[ -e $output ]]; then
      expect 0 run --resume "$output" --quiet
      content "$output" | cmp -s - logs/unbroken || die "$output: not what an unbroken run writes"
      rm -f "$output" "${output%.*}".statistics.*
    elif [[ $(stat -c %s "${output%.*}.partial.${output##*.}.checkpoint" 2>/dev/null || echo 0) -gt 0 ]]; then
      resumed=$((resumed + 1))
    fi
  done
  expect 0 run "${run[@]}" --resume "$output"
  content "$output" | cmp -s - logs/unbroken || die "$output: not what an unbroken run writes"
  absent "${output%.*}".partial.*
  if [[ -e unbroken.${output%.*}.statistics.csv ]]; then
    same "unbroken.${output%.*}.statistics.csv" "${output%.*}.statistics.csv"
  fi
}
survives all.nc "${pendulum[@]}" -s time.end=2 -s time.save_every=200
survives rows.csv "${pendulum[@]}" -s time.end=2 -s time.save_every=200
survives alone.nc "${pendulum[@]}" -s time.end=2 -s time.save_every=200 -s output.trajectories=false
survives adaptive.nc "${pendulum[@]}" -s solver.integrator=dopri5 -s 'time.save_at=[0.1, 0.77777, 1.9]' \
  -s time.end=20 -s solver.relative_tolerance=1e-12
survives agents.nc "${agents[@]}" -s time.save_every=20
[[ $((resumed * 5)) -ge $kills ]] || die "$kills kills, of which $resumed left something to resume"
printf '%s kills, of which %s left something to resume\n' "$kills" "$resumed"

# One run, interrupted by a limit on the size of its file, as by a full disk.
long=(spherical_pendulum -s ensemble.members=3200 -s solver.block_members=64 -s time.end=1 -s time.save_every=100 --quiet)
expect 0 run "${long[@]}" -o whole.csv
(
  ulimit -f 800
  expect 3 run "${long[@]}" -o full.csv
)
complains "full.csv: cannot be written" "of 3,200 members are safe; kalaba run --resume full.csv continues"
absent full.csv
exists full.partial.csv full.partial.csv.checkpoint
expect 3 run "${long[@]}" -o full.csv
complains "full.csv: it has an unfinished run" "--resume full.csv continues it, --restart begins anew"

# Only the same run can be resumed.
expect 2 run --resume full.csv -s time.end=3
complains "full.csv: cannot be resumed as another run: time.end was 1.0, is now 3.0"
expect 2 run --resume full.csv -s ensemble.seed=2
complains "ensemble.seed was 1, is now 2"
expect 2 run two_particles_incline --resume full.csv
complains "system was"
expect 2 run --resume full.csv -o full.csv
complains "--resume names the output"
expect 2 run "${long[@]}" --resume full.csv --shard 1/2
complains "--shard: expected an output that ends in .nc"

# A checkpoint or a file that has changed.
cp full.partial.csv.checkpoint kept
printf 'x' | dd of=full.partial.csv.checkpoint bs=1 seek=200 conv=notrunc status=none
expect 3 run --resume full.csv
complains "full.partial.csv.checkpoint is damaged"
cp kept full.partial.csv.checkpoint
cp full.partial.csv data
truncate -s 1000 full.partial.csv
expect 3 run --resume full.csv
complains "full.partial.csv: expected the" "found 1000"
if grep -q "members are safe" logs/err; then die "what cannot be resumed is said to be safe"; fi
rm full.partial.csv
for words in "--resume full.csv" "spherical_pendulum -o full.csv"; do
  # shellcheck disable=SC2086
  expect 3 run $words
  complains "full.partial.csv.checkpoint exists, but full.partial.csv does not; --restart begins anew"
  if grep -q "continues\|safe" logs/err; then die "a run without its data is said to be resumed"; fi
done
cp data full.partial.csv
expect 0 run --resume full.partial.csv --quiet --threads 1
same full.csv whole.csv
absent full.partial.csv full.partial.csv.checkpoint full.partial.csv.lock
expect 0 run --resume full.csv
prints "full.csv: is complete, there is nothing to resume"
expect 3 run --resume nothing.csv
complains "nothing.csv: it has no unfinished run"
rm full.csv

# A complete output is not accepted for another run either.
expect 0 run spherical_pendulum -s time.end=0.1 -o done.nc --quiet
expect 0 run spherical_pendulum -s time.end=0.1 --resume done.nc --threads 1
prints "done.nc: is complete, there is nothing to resume"
expect 0 run --resume done.nc
expect 2 run spherical_pendulum --resume done.nc
complains "done.nc: is complete, and of another run: time.end was 0.1, is now 5.0"
expect 2 run --resume done.nc -s ensemble.seed=2
complains "ensemble.seed was 1, is now 2"
expect 2 run chaplygin_sleigh --resume done.nc
complains "system was"
printf 'L\n1\n2\n' >lengths.csv
read_lengths=(spherical_pendulum -s time.end=0.1 -s ensemble.members=2
  -s 'parameters.L={file="lengths.csv", column="L"}')
expect 0 run "${read_lengths[@]}" -o read.nc --quiet
expect 0 run "${read_lengths[@]}" --resume read.nc
printf 'L\n1\n3\n' >lengths.csv
expect 2 run "${read_lengths[@]}" --resume read.nc
complains "read.nc: is complete, and of another run: it read other numbers beside its scenario"

# Resuming a complete run prints its summary again.
expect 1 run spherical_pendulum -s time.end=0.1 -s ensemble.members=3 -s 'parameters.m={values=[1, -1, -2]}' \
  -o failed.nc --quiet
expect 1 run --resume failed.nc
complains "2 of 3 members failed: 1 ok, 2 singular_constraints" "  2 singular_constraints, the first is member 1: the metric"
expect 1 run --resume failed.nc --json
prints '"failed_members": 2' '"first_failed": 1' '"exit_code": 1'
expect 1 run --resume failed.nc --plot
prints "failed.png"
[[ -s failed.png ]] || die "no picture of a run that was complete"
echo none >none.nc
expect 3 run --resume none.nc
complains "none.nc"
(
  ulimit -f 800
  expect 3 run "${long[@]}" -o full.csv
)
expect 0 run "${long[@]}" -o full.csv --restart
same full.csv whole.csv

# Only one process at a time.
"$kalaba" run spherical_pendulum -s time.end=1e6 -o busy.nc >logs/busy 2>&1 &
busy=$!
for _ in {1..200}; do
  if [[ -e busy.partial.nc.checkpoint ]]; then break; fi
  sleep 0.05
done
expect 3 run spherical_pendulum -o busy.nc
complains "busy.nc: process $busy is writing it"
expect 3 run --resume busy.nc
complains "busy.nc: process $busy is writing it"
kill -KILL "$busy"
wait "$busy" 2>/dev/null || true
expect 0 run spherical_pendulum -s time.end=0.1 -o busy.nc --quiet
absent busy.partial.nc busy.partial.nc.checkpoint busy.partial.nc.lock

# An output that exceeds the disk's space is refused before the computation.
expect 3 run spherical_pendulum -s ensemble.members=1e11 -o huge.nc
complains "huge.nc: expected room for its" " free on that disk" "output.trajectories = false"
absent huge.nc huge.partial.nc huge.partial.nc.checkpoint huge.partial.nc.lock
