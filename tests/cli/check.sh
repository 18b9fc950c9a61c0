# Command `check`: comparisons, output and files.
source "$(dirname -- "$0")/harness.sh" "$1"

expect 0 check --help
prints "--long" "--json" "Exit code 1"

expect 0 check chaplygin_sleigh
prints "system " "chaplygin_sleigh  reference" "chaplygin_sleigh  cpu" passed " checks, 0 failed, 0 not run"
[[ ! -s logs/err ]] || die "progress is for terminals"

expect 0 check chaplygin_sleigh --backend cpu --verbose
prints "residual (svd)" "residual (qr)" "reference (svd)" "reference (qr)"
if grep -q '  reference  ' logs/out; then die "only the cpu was requested"; fi

# Without a compiler, models are interpreted on packs, in double precision.
KALABA_CXX=$PWD/none expect 0 check chaplygin_sleigh --backend cpu --verbose
prints "figure" "reference (ldlt)" "interpreted models are in double precision"

# A check that is not run never passes silently, and a check that is run is reported.
expect 0 check iftomm_pendulum --backend cpu
prints "passed, 6 not run" " 0 failed, 6 not run"
expect 0 check iftomm_pendulum --backend cpu --long --verbose
prints "x at 2000 s" " 0 failed, 0 not run"

# A system named twice is checked once.
expect 0 check knife_edge knife_edge iftomm_pendulum --backend cpu --json check.json
[[ $(grep -c '^  knife_edge  ' logs/out) -eq 1 ]] || die "knife_edge: one line"
grep -q '^  "version": "[0-9.]*",$' check.json || die "the version in check.json"
grep -q '^  "commit": "' check.json || die "the commit in check.json"
grep -qE '^  "date": "[0-9-]{10}T[0-9:]{8}Z",$' check.json || die "the date in check.json"
checks=$(awk 'END { print $1 }' logs/out)
[[ $(grep -c '"verdict": ' check.json) -eq $checks ]] || die "check.json lacks some of the $checks checks"
[[ $(grep -c '"verdict": "not run", "error": null' check.json) -eq 6 ]] || die "check.json lacks what was not run"
if command -v python3 >/dev/null; then python3 -m json.tool check.json >/dev/null || die "check.json is not JSON"; fi

expect 2 check knife_ege
complains "there is no system 'knife_ege'; did you mean knife_edge?"
expect 2 check knife_edge --backend cpuu
complains "there is no backend 'cpuu'; did you mean cpu?"
expect 4 check knife_edge --backend cuda
complains cuda
expect 3 check knife_edge --json missing/check.json
complains missing/check.json
[[ ! -s logs/out ]] || die "a bad place is refused before the checks"
mkdir folder.json
expect 3 check knife_edge --json folder.json
complains folder.json
[[ $(ls) == $'check.json\nfolder.json\nlogs' ]] || die "left $(ls)"
