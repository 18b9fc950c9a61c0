# End-to-end fits: the example, several starts, errors, and messages for data that do not determine all parameters.
source "$(dirname -- "$0")/harness.sh" "$1"
cp "${2:?}"/examples/fits/* .

# near_estimate NAME VALUE TOLERANCE: checks an estimate in the last --json.
near_estimate() {
  tr -d ' \n' <logs/out | grep -oE "\"name\":\"$1\"[^}]*\"estimate\":[-+0-9.e]+" | sed 's/.*://' |
    awk -v value="$2" -v tolerance="$3" '{ error = $1 - value } END { exit !(NR == 1 && error < tolerance && -error < tolerance) }' ||
    die "$last: $1 is not $2 within $3"
}

# Lengths of the linkage, as in the example's first lines; measured.csv was made with 0.4, 0.9 and 0.7 m.
lengths=(--free parameters.a,parameters.b,parameters.c)
expect 0 fit four_bar.toml --data measured.csv "${lengths[@]}" --sigma x2=1e-3,y2=1e-3 \
  -o fit.svg -o fit.html -o fit.json --fitted fitted.toml
prints "four_bar: 3 variables from 202 numbers of x2, y2 at 101 times" "standard error" "95 % interval" "parameters.b" \
  "chi-square" "199 degrees of freedom" "1: 1 agrees" "singular values" "correlation" fit.svg fit.html fit.json fitted.toml
grep -q 'fitted less measured' fit.svg || die "the picture shows no residuals"
grep -q 'parameters.a' fit.svg || die "the picture does not name what was found"
grep -q '<svg' fit.html || die "the page has no picture"
grep -q '"correlation"' fit.json || die "fit.json has no correlations"
expect 0 fit four_bar.toml --data measured.csv "${lengths[@]}" --sigma x2=1e-3,y2=1e-3 --json
[[ ! -s logs/err ]] || die "$last: says more than its JSON"
near_estimate parameters.a 0.4 3e-4
near_estimate parameters.b 0.9 3e-4
near_estimate parameters.c 0.7 3e-4

# The written scenario starts from the estimate: another fit does not improve it.
expect 0 fit fitted.toml --data measured.csv "${lengths[@]}" --sigma x2=1e-3,y2=1e-3 --json
near_estimate parameters.a 0.4 3e-4
tr -d ' \n' <logs/out | grep -qE '"iterations":[012],' || die "$last: iterates on from its own answer"

# A run's CSV output is valid data; its other columns are excluded by name.
expect 0 run four_bar.toml -s parameters.a=0.4 -s time.end=0.4 -o exact.csv --quiet
expect 2 fit four_bar.toml --data exact.csv --free parameters.a
complains 'exact.csv:1: column "member": expected a coordinate or rate of four_bar' "--columns A,B names those to read"
expect 0 fit four_bar.toml --data exact.csv --columns x1,y2 --free parameters.a --json
near_estimate parameters.a 0.4 1e-8

# Only runs of one member can be fitted: two members have two motions.
expect 0 run four_bar.toml -s 'parameters.a={values=[0.4, 0.5]}' -s ensemble.members=2 -s time.end=0.4 -o two.csv --quiet
expect 2 fit four_bar.toml --data two.csv --columns x1,y2 --free parameters.a
complains ": column member: expected one member, as a fit is of one motion, found 1 behind 0; keep the rows of one"
{ sed -n 1p two.csv; grep '^1,' two.csv; } >second.csv
expect 0 fit four_bar.toml --data second.csv --columns x1,y2 --free parameters.a --json
near_estimate parameters.a 0.5 1e-8

# Several starts, some of them linkages that cannot be assembled.
expect 0 fit four_bar.toml --data measured.csv "${lengths[@]}" --starts 60 \
  --bounds parameters.a=0.2:0.8,parameters.b=0.6:1.2,parameters.c=0.4:1
prints "starts       60: " "agree" "fail"

# Parameters that the data do not determine are reported with their direction; the exit code is nonzero.
expect 1 fit four_bar.toml --data measured.csv --free parameters.a,parameters.m1,parameters.m2
prints "not determined by these data"
complains "kalaba: four_bar: these data do not determine all variables: to change parameters.m1 by " \
  " and parameters.m2 by " " together changes no residual"

# No start converges, because none can be integrated.
expect 1 fit four_bar.toml --data measured.csv "${lengths[@]}" --iterations 1
complains "kalaba: four_bar: no start converges (1: 0 agree, 1 out of iterations): the values are those to which"
expect 1 fit four_bar.toml --data measured.csv --free parameters.a -s parameters.b=0.1 -o none.svg -o none.json
complains "kalaba: four_bar: no motion goes through: that of the first values fails: "
absent none.svg
exists none.json
printf 't,x2\n0.1,1e160\n0.2,1\n' >large.csv
expect 1 fit four_bar.toml --data large.csv --free parameters.a
complains "that of the first values fails: the sum of its squared residuals overflows"

# Errors are reported before any integration.
fit() { expect 2 fit four_bar.toml --data measured.csv "$@"; }
fit --free parameters.e
complains '--free: unknown variable "parameters.e"'
fit --free a
complains '--free: unknown variable "a"; did you mean parameters.a?'
fit --free parameters.a --bounds parameters.a=0.2-0.6
complains "--bounds: expected NAME=LOW:HIGH, such as parameters.L=0.5:2, found parameters.a=0.2-0.6"
fit --free parameters.a --bounds parameters.a=0.5:0.6
complains "--bounds: parameters.a: expected the scenario's own value"
fit --free parameters.a --sigma x2
complains "--sigma: expected COLUMN=NUMBER, such as x=0.01, found x2"
fit --free parameters.a --starts 5
complains "--starts: expected bounds of every free variable to draw from, parameters.a has none"
fit --free parameters.a -o fit.pdf
complains "fit.pdf: expected a name that ends in .png, .svg, .html or .json, found .pdf"
fit --free parameters.a -s time.end=1
complains "--data: expected times from 0 s to 1 s, as the scenario's time.start and time.end are, found 2 s"
fit --free parameters.a -s 'parameters.b="2*c"'
complains "four_bar: a fit does not go through formulas of members yet, found that of parameters.b"
fit --free parameters.a -s 'initial.project="refuse"'
complains 'four_bar: a fit goes with initial.project = true or false, found "refuse"'
fit --free parameters.a --fitted ./four_bar.toml
complains "SCENARIO: expected a file that the fit does not write, found ./four_bar.toml"
cmp four_bar.toml "${2:?}"/examples/fits/four_bar.toml || die "a fit wrote over its scenario"
cp "${2:?}"/examples/models/bead.toml .
printf 'system = "bead.toml"\n' >wire.toml
printf 't,x\n0.1,1\n0.2,1\n' >bead.csv
expect 2 fit wire.toml --data bead.csv --free parameters.c --fitted bead.toml
complains "expected a file that the fit does not write, found bead.toml"
cmp bead.toml "${2:?}"/examples/models/bead.toml || die "a fit wrote over its model"
printf 't,x2\n0,\n0.1,nan\n' >missing.csv
expect 2 fit four_bar.toml --data missing.csv --free parameters.a
complains "missing.csv: expected measured numbers of x2, found every one of them missing"
printf 't,x2\n0,1\n0.1,far\n' >text.csv
expect 2 fit four_bar.toml --data text.csv --free parameters.a
complains "text.csv:3: column x2: expected a finite number, or nan or nothing where it is missing, found \"far\""
printf 't,x2\n0.1,0.9\n' >few.csv
expect 2 fit four_bar.toml --data few.csv --free parameters.a,parameters.b
complains "--data: expected at least as many numbers as free variables, 2, found 1"
expect 3 fit four_bar.toml --data none.csv --free parameters.a
complains "none.csv"
expect 3 fit four_bar.toml --data measured.csv --free parameters.a -o nowhere/fit.svg
complains "nowhere/fit.svg"
