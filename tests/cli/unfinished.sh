# An unfinished file is never accepted as a finished one, by any command and under any name.
source "$(dirname -- "$0")/harness.sh" "$1"

# killed AFTER OUTPUT ARGS...: kills a run that many seconds after its output was created, or after its first
# checkpoint.
killed() {
  local after=$1 output=$2 run partial
  shift 2
  partial=${output%.*}.partial.${output##*.}
  "$kalaba" run spherical_pendulum --threads 1 -o "$output" "$@" >logs/out 2>logs/err &
  run=$!
  for _ in {1..6000}; do
    if [[ $after != checkpoint && -e $partial || -s $partial.checkpoint ]]; then break; fi
    sleep 0.01
  done
  if [[ $after != checkpoint ]]; then sleep "$after"; fi
  kill -KILL "$run" 2>/dev/null || die "$output: its run ended before it was killed"
  wait "$run" 2>/dev/null || true
  absent "$output"
}

# refused FILE: checks that all commands refuse it, except info, which reports the reason.
refused() {
  local file=$1
  for words in "plot $file -o x.png" "report $file -o x.html" "export $file --csv x.csv" "export $file --npz x.npz" \
    "merge $file -o x.nc" "run spherical_pendulum -s parameters.L={file=\"$file\"}" \
    "run spherical_pendulum -s initial.x={file=\"$file\"}"; do
    # shellcheck disable=SC2086
    expect 3 $words
    complains "$file: is unfinished: its run was killed"
  done
  absent x.png x.html x.csv x.npz x.nc
}

long=(-s ensemble.members=640 -s solver.block_members=64 -s time.end=400 -s 'parameters.L={uniform=[0.5, 2]}')
kinds=0
for after in 0 0.05 0.6 checkpoint; do
  for extra in "-s output.statistics=[]" "-s output.statistics=[\"mean\"] -s output.trajectories=false" "-s output.trajectories=false -s events=[{name=\"a\",when=\"x\",action=\"record\"}]"; do
    # shellcheck disable=SC2086
    killed "$after" run.nc "${long[@]}" $extra
    refused run.partial.nc
    expect 3 plot run.nc -o x.png
    complains "run.nc: there is no such file; run.partial.nc is of a run that did not end"
    if "$kalaba" info run.partial.nc >logs/out 2>logs/err; then
      last="info run.partial.nc"
      prints "this file is unfinished: its run was killed"
      if grep -q "922337\|9,223\| ok$" logs/out; then die "info: numbers of members that nobody integrated"; fi
      kinds=$((kinds + 1))
    else
      complains "run.partial.nc: is unfinished"
    fi
    if [[ -s run.partial.nc.checkpoint ]] && grep -q "members are done" logs/out; then
      prints "kalaba run --resume run.nc continues it"
    fi
    # Under another name, without its checkpoint.
    cp run.partial.nc other.nc
    if "$kalaba" info other.nc >logs/out 2>logs/err; then refused other.nc; fi
    expect 3 run --resume other.nc
    complains "other.nc: is"
    if [[ $extra != *trajectories* ]] && ncdump -v status,L run.partial.nc >logs/status 2>/dev/null; then
      # No member with incomplete numbers has the status ok: no numbers behind it are unwritten zeros. A run that was
      # killed while its variables were written may lack one of them.
      ok=$(sed -n '/^ status =/,/;/p' logs/status | tr -cs '0-9' '\n' | grep -c '^0$' || true)
      lengths=$(sed -n '/^ L =/,/;/p' logs/status | sed 's/.*=//' | tr -d '; \n' | tr ',' '\n' |
        awk '$1 > 0' | wc -l)
      [[ $ok -le $lengths ]] || die "$ok members are ok, and $lengths have parameters"
    fi
    rm -f run.partial.* other.nc
  done
done
[[ $kinds -gt 0 ]] || die "no killed run left a file that can be looked into"

# An unfinished table is recognized by its name, and by a line without an end.
killed 0.8 rows.csv "${long[@]}" -s time.save_every=1000
if [[ -s rows.partial.csv ]]; then
  expect 3 run spherical_pendulum -s 'parameters.L={file="rows.partial.csv", column="x"}'
  complains "rows.partial.csv: is unfinished"
fi
printf 'member,time,x\n0,0,1.25\n0,1,1.5\n1,0,2\n1,1,2.7' >cut.csv
for words in "info cut.csv" "plot cut.csv -o x.png"; do
  # shellcheck disable=SC2086
  expect 3 $words
  complains "cut.csv: the last line: expected a line end behind it"
done
printf 'member,time,x\n0,0,1.25\n0,1,1.5\n1,0,2\n' >some.partial.csv
expect 0 info some.partial.csv
prints "this file is unfinished: its run was interrupted or killed"

# Files that are truncated, empty, or from another program.
expect 0 run spherical_pendulum -s ensemble.members=3 -s time.end=0.1 -o whole.csv --quiet
head -n -1 whole.csv >cut.csv
for words in "info cut.csv" "plot cut.csv" "compare cut.csv whole.csv"; do
  # shellcheck disable=SC2086
  expect 3 $words
  complains "cut.csv: the last line: expected the last saved time, 0.1, found 0.05: the file was cut off"
done
expect 0 run spherical_pendulum -s time.end=0.1 -o whole.nc --quiet
size=$(stat -c %s whole.nc)
for part in 8 600 $((size / 2)) $((size - 1)); do
  head -c "$part" whole.nc >cut.nc
  for words in "info cut.nc" "plot cut.nc" "report cut.nc" "export cut.nc --npz x.npz" "merge cut.nc -o x.nc"; do
    # shellcheck disable=SC2086
    expect 3 $words
    complains "cut.nc: is damaged"
  done
done
: >empty.nc
expect 3 info empty.nc
complains "empty.nc: is empty"
echo words >words.nc
expect 3 info words.nc
complains "words.nc: is no netCDF file"

# An interrupted output that states so is shown as before.
"$kalaba" run spherical_pendulum --threads 1 "${long[@]}" -o stopped.nc >logs/out 2>logs/err &
run=$!
for _ in {1..6000}; do
  if [[ -s stopped.partial.nc.checkpoint ]]; then break; fi
  sleep 0.01
done
sleep 0.3
kill -TERM "$run"
wait "$run" || true
expect 0 info stopped.partial.nc
prints "interrupted" "yes: members are missing"
expect 0 report stopped.partial.nc -o stopped.html
