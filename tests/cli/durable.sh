# Files that other programs damage, replace or create while or after kalaba writes them.
source "$(dirname -- "$0")/harness.sh" "$1"

settings=(-s ensemble.members=64 -s time.end=0.1 -s 'parameters.L={uniform=[0.5,2]}')
# Long enough to be interrupted; in blocks, so that there is progress to resume from.
long=(-s ensemble.members=8192 -s time.end=10 -s time.save_every=5000 -s solver.block_members=512 -s solver.threads=1)

# flip FILE PLACE: changes the byte at this offset; a negative offset counts from the end.
flip() {
  local place=$2 size byte
  size=$(stat -c %s "$1")
  [[ $place -ge 0 ]] || place=$((size + place))
  byte=$(od -An -tu1 -j "$place" -N 1 "$1")
  printf "\\x$(printf %02x $((byte ^ 16)))" | dd of="$1" bs=1 seek="$place" conv=notrunc status=none
}

# start FILE ARGS...: a long run in the background, as $run; returns when its unfinished file exists.
start() {
  local partial=${1%.*}.partial.${1##*.}
  "$kalaba" run spherical_pendulum "${long[@]}" -o "$@" --quiet 2>logs/err >logs/out &
  run=$!
  last="kalaba run -o $*"
  for ((i = 0; i < 400; ++i)); do
    if [[ -s $partial.checkpoint ]]; then
      sleep 0.7  # for some blocks
      return
    fi
    sleep 0.02
  done
  die "no unfinished file"
}
ends() {
  local code=0
  wait "$run" || code=$?
  [[ $code -eq $1 ]] || die "$last: exit code $code, expected $1"
}

# --- finished files
expect 0 run spherical_pendulum "${settings[@]}" -o a.nc --quiet
expect 0 info a.nc --verify
prints "checksums" "right, of"
expect 0 info a.nc --verify --json
prints '"verified_bytes"'
cp a.nc whole.nc
size=$(stat -c %s a.nc)
for place in $((size / 2)) $((size / 3)) 600 -3 -100; do
  cp whole.nc a.nc
  flip a.nc "$place"
  for command in "info a.nc --verify" "export a.nc --csv tables" "compare a.nc whole.nc"; do
    # shellcheck disable=SC2086
    expect 3 $command
    complains "a.nc: is damaged"
  done
  absent tables/trajectories.csv
done
rm -rf a.nc tables
expect 0 run spherical_pendulum "${settings[@]}" -o t.csv --quiet
exists t.csv.checksum t.members.csv.checksum
expect 0 info t.csv --verify
prints "right, of"
cp t.csv whole.csv
flip t.csv 1000
expect 3 compare t.csv whole.csv
complains "t.csv: is damaged or was changed"
expect 3 run spherical_pendulum -s 'parameters.L={file="t.csv",column="theta"}' -o u.nc --quiet
complains "t.csv: is damaged or was changed"
# Missing members.
cp whole.csv t.csv
rm t.csv.checksum
lines=$(wc -l <t.csv)
head -n $((1 + (lines - 1) / 64 * 60)) whole.csv >t.csv
expect 3 info t.csv
complains "expected member 63, the last one in t.members.csv, found 59"
rm t.* whole.csv

# --- unfinished files
"$kalaba" run spherical_pendulum "${long[@]}" -o r.nc --quiet
start a.nc
cat whole.nc >a.partial.nc
ends 3
complains "was changed by another program" "cannot be resumed"
! grep -q "are safe" logs/err || die "says that members are safe"
absent a.nc
code=0
"$kalaba" run --resume a.nc --quiet >logs/out 2>logs/err || code=$?
if [[ $code -eq 0 ]]; then
  expect 0 compare a.nc r.nc --tolerance 0  # the overwritten part had not been saved
  prints "are the same to the bit" "all within"
else
  [[ $code -eq 3 ]] || die "resumes an overwritten file: exit code $code"
  complains "is damaged"
fi
rm -f a.*

start a.nc
cp whole.nc x.nc
mv x.nc a.partial.nc
ends 3
complains "a.partial.nc was removed or replaced while it was written"
absent a.nc
same a.partial.nc whole.nc
rm -f a.*

start a.nc
kill -KILL "$run"
ends 137
cp a.partial.nc.checkpoint kept.checkpoint
flip a.partial.nc.checkpoint 1000
expect 3 run --resume a.nc --quiet
complains "is damaged"
cp kept.checkpoint a.partial.nc.checkpoint
expect 0 run --resume a.nc --quiet
expect 0 compare a.nc r.nc --tolerance 0
prints "all within"
rm -f a.* kept.*

mkdir gone
start gone/a.nc
rm -r gone
ends 3
! grep -q "are safe" logs/err || die "says that members are safe"

# --- --no-clobber
start a.nc --no-clobber
echo precious >a.nc
ends 3
complains "a.nc: was made while the run went on, and --no-clobber leaves it"
[[ $(cat a.nc) == precious ]] || die "a.nc was replaced"
expect 0 compare a.partial.nc r.nc --tolerance 0
rm -f a.*

# --- special files
mkfifo f.nc f.csv
for file in f.nc f.csv; do
  last="$file"
  code=0
  timeout 20 "$kalaba" run spherical_pendulum -s "parameters.L={file=\"$file\",column=\"L\"}" -o z.nc --quiet 2>logs/err || code=$?
  [[ $code -eq 3 ]] || die "a pipe as a file of numbers: exit code $code"
done
for pipe in z.partial.nc z.partial.nc.lock z.partial.nc.checkpoint; do
  mkfifo "$pipe"
  code=0
  timeout 20 "$kalaba" run spherical_pendulum "${settings[@]}" -o z.nc --quiet 2>logs/err || code=$?
  [[ $code -eq 3 ]] || die "a pipe $pipe: exit code $code"
  rm -f z.*
done
echo keep >victim
ln -s victim z.partial.nc
expect 3 run spherical_pendulum "${settings[@]}" -o z.nc --quiet
[[ $(cat victim) == keep ]] || die "wrote through a link"
rm -f z.* f.*

# --- the note in the cache
mkdir notes
for kind in folder pipe link; do
  rm -rf notes/kalaba
  mkdir notes/kalaba
  case $kind in
    folder) mkdir notes/kalaba/last_note ;;
    pipe) mkfifo notes/kalaba/last_note ;;
    link) ln -s ../../victim notes/kalaba/last_note ;;
  esac
  code=0
  env -u KALABA_CACHE_DIR XDG_CACHE_HOME="$PWD/notes" timeout 60 "$kalaba" run spherical_pendulum "${settings[@]}" -o n.nc >logs/out 2>logs/err || code=$?
  [[ $code -eq 0 ]] || die "a $kind as the cache's note: exit code $code"
  [[ $(cat victim) == keep ]] || die "wrote the note through a link"
done

# --- sizes that are refused before allocating memory
(
  ulimit -v 4000000
  expect 2 run spherical_pendulum -s time.end=1e5 -s time.save_every=1 -s 'output.statistics=["mean","quantiles"]' -o a.nc --quiet
)
complains "solver.memory"

# --- texts
expect 3 submit spherical_pendulum -s ensemble.members=10000 -o 'a\b.nc' --shards 2 --dry-run
complains "backslash"
printf 'system = "x\n' >"$(printf 'bad\033[31m.toml')"
expect 2 run "$(printf 'bad\033[31m.toml')"
! grep -q "$(printf '\033')" logs/err || die "an escape sequence is printed raw"
complains 'bad\x1b[31m.toml'
