# Sourced by the tests of this folder: runs the executable named as first argument in an empty folder.
set -euo pipefail

kalaba=$(realpath -- "$1")
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd -- "$folder"
mkdir logs

die() {
  printf 'FAILED: %s\n' "$*"
  printf -- '--- stdout\n%s\n--- stderr\n%s\n' "$(head -c 4000 logs/out)" "$(head -c 4000 logs/err)"
  exit 1
}

# expect CODE ARGS...: runs kalaba ARGS; its exit code must be CODE.
expect() {
  local wanted=$1 code=0
  shift
  last="kalaba $*"
  "$kalaba" "$@" >logs/out 2>logs/err || code=$?
  [[ $code -eq $wanted ]] || die "$last: exit code $code, expected $wanted"
}

# prints TEXT..., complains TEXT...: checks that each is in the last stdout, or stderr.
prints() { for text; do grep -qF -- "$text" logs/out || die "$last: stdout lacks '$text'"; done; }
complains() { for text; do grep -qF -- "$text" logs/err || die "$last: stderr lacks '$text'"; done; }

is_silent() { [[ ! -s logs/out && ! -s logs/err ]] || die "$last: expected no output"; }
exists() { for file; do [[ -s $file ]] || die "$last: there is no file $file"; done; }
absent() { for file; do [[ ! -e $file ]] || die "$last: there must be no file $file"; done; }
same() { cmp -s -- "$1" "$2" || die "$last: $1 and $2 differ"; }

# near FILE COLUMN VALUE TOLERANCE: checks the column's last number in a CSV file.
near() {
  awk -F, -v column="$2" -v value="$3" -v tolerance="$4" '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == column) at = i; next }
    { last = $at }
    END { error = last - value; exit !(at && error < tolerance && -error < tolerance) }' "$1" ||
    die "$last: the last $2 of $1 is not $3 within $4: $(tail -n 1 "$1")"
}

# write_bead END: writes bead.toml, a model as text of a bead on a parabola, from 0 to END seconds.
write_bead() {
  cat >bead.toml <<END
[model]
name = "bead"
lagrangian = "m*(x_dot^2 + y_dot^2)/2 - m*g*y"
[model.parameters]
m = "1 kg"
c = "0.5 1/m"
g = "9.81 m/s^2"
[model.coordinates]
x = "m"
y = "m"
[model.holonomic]
wire = "y = c*x^2"
[model.start]
x = 1.0
y = "c*x^2"
[model.time]
end = $1
dt = 1e-3
END
}
