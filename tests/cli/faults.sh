# Each system call that writes an output fails in turn, once or from then on: no run ends well without its files, no half
# file has a final name, and what is left can be resumed or begun anew.
source "$(dirname -- "$0")/harness.sh" "$1"
shim=$(realpath -- "$2")
most=${KALABA_TEST_FAULTS:-40}  # of each kind of output

settings=(-s ensemble.members=64 -s time.end=0.02 -s time.save_every=10 -s solver.threads=1 -s 'parameters.L={uniform=[0.5,2]}')
blocks=(-s solver.block_members=16)

# with_fault AT ARGS...: kalaba ARGS with that fault; its exit code is in $code.
with_fault() {
  local at=$1
  shift
  last="fault $at of kalaba $*"
  code=0
  timeout 60 env LD_PRELOAD="$shim" KALABA_FAULT_FOLDER="$PWD" KALABA_FAULT_AT="$at" KALABA_FAULT_COUNT="$folder/logs/count" \
    "$kalaba" "$@" >logs/out 2>logs/err || code=$?
  [[ $code -ne 124 ]] || die "$last: still runs after a minute"
}

# The calls to try of so many: all, or evenly chosen ones.
places() { awk -v n="$1" -v most="$most" 'BEGIN { step = n > most ? n / most : 1; for (i = 1; i <= n; i += step) print int(i) }'; }

# whole FILE: it is complete, and its numbers are those of the reference.
whole() { "$kalaba" compare "$1" "../reference.$ending" --tolerance 0 >logs/compare 2>&1; }

try_run() {
  "$kalaba" run spherical_pendulum "${settings[@]}" "${blocks[@]}" -o "reference.$ending" --quiet
  mkdir work
  cd work
  mkdir logs
  with_fault 0 run spherical_pendulum "${settings[@]}" "${blocks[@]}" -o "a.$ending" --quiet
  [[ $code -eq 0 ]] || die "$last: exit code $code"
  local count
  count=$(cat ../logs/count)
  [[ $count -gt 10 ]] || die "only $count calls were seen"
  for lasting in "" +; do
    for at in $(places "$count"); do
      rm -f a.*
      with_fault "$at$lasting" run spherical_pendulum "${settings[@]}" "${blocks[@]}" -o "a.$ending" --quiet
      # netCDF 4.9 crashes where every write fails from a certain one in its closing on.
      [[ $code -eq 0 || $code -eq 3 || ($code -eq 139 && -n $lasting) ]] || die "$last: exit code $code"
      if [[ -e a.$ending ]]; then
        whole "a.$ending" || die "$last: exit code $code, and a.$ending is not whole: $(cat logs/compare)"
      elif [[ $code -eq 0 ]]; then
        die "$last: exit code 0 without a.$ending"
      fi
      if [[ $code -ne 0 ]]; then
        "$kalaba" run spherical_pendulum "${settings[@]}" "${blocks[@]}" -o "a.$ending" --quiet --resume "a.$ending" >logs/out 2>logs/err ||
          "$kalaba" run spherical_pendulum "${settings[@]}" "${blocks[@]}" -o "a.$ending" --quiet --restart >logs/out 2>logs/err ||
          die "$last: cannot be resumed nor begun anew"
        whole "a.$ending" || die "$last: is resumed to other numbers: $(cat logs/compare)"
      fi
    done
  done
  cd ..
  rm -r work
}

for ending in nc csv; do try_run; done

# Merging shards.
ending=nc
for shard in 1 2; do
  "$kalaba" run spherical_pendulum -s ensemble.members=8192 -s time.end=0.002 -s time.save_every=1 --shard $shard/2 -o s.nc --quiet
done
"$kalaba" merge s.1-of-2.nc s.2-of-2.nc -o reference.nc --quiet
mkdir work
cp s.*-of-2.nc work
cd work
mkdir logs
with_fault 0 merge s.1-of-2.nc s.2-of-2.nc -o a.nc --quiet
[[ $code -eq 0 ]] || die "$last: exit code $code"
most=$((most / 2))
for at in $(places "$(cat ../logs/count)"); do
  rm -f a.*
  with_fault "$at" merge s.1-of-2.nc s.2-of-2.nc -o a.nc --quiet
  [[ $code -eq 0 || $code -eq 3 ]] || die "$last: exit code $code"
  if [[ -e a.nc ]]; then
    whole a.nc || die "$last: a.nc is not whole"
  elif [[ $code -eq 0 ]]; then
    die "$last: exit code 0 without a.nc"
  fi
done
