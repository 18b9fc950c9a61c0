# Sobol' indices: the example, whose indices are known, from its run to the page and to JSON.
source "$(dirname -- "$0")/harness.sh" "$1"
cp "${2:?}"/examples/indices/ishigami.toml .

expect 0 run ishigami.toml --quiet
expect 0 report ishigami.nc
exists ishigami.html
grep -q "Sobol" ishigami.html || die "the page does not name the indices"

# near_index KIND NAME VALUE: of x, within three of its stated errors of 0.007 and less.
expect 0 report ishigami.nc --json
near_index() {
  tr -d ' \n' <logs/out | sed 's/"name":"x_dot".*//' | grep -oE "\"$1\":\{[^}]*\}" | grep -oE "\"$2\":[-+0-9.e]+" | sed 's/.*://' |
    awk -v value="$3" '{ error = $1 - value } END { exit !(NR == 1 && error < 0.02 && -error < 0.02) }' ||
    die "$last: the $1 index of $2 is not $3"
}
near_index first p1 0.3139
near_index first p2 0.4424
near_index first p3 0
near_index total p1 0.5576
near_index total p2 0.4424
near_index total p3 0.2437

# A point consists of d + 2 members: a number of members that is not a multiple is refused at its key.
expect 2 run ishigami.toml -s ensemble.members=20479 -o other.nc
complains ensemble.members 20475 20480
absent other.nc
