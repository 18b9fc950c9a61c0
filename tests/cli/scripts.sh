# Options for scripts: cost estimates, JSON, a single member, and protection of existing results.
source "$(dirname -- "$0")/harness.sh" "$1"

json() { # json EXPRESSION: of the last standard output, as `it`
  command -v python3 >/dev/null || return 0
  python3 -c "import json, sys; it = json.load(open('logs/out')); sys.exit(not ($1))" || die "$last: not $1"
}

grid=(run spherical_pendulum -s 'initial.x={linspace=[0.1, 0.5, 3]}' -s 'parameters.L={values=[1, 2]}'
  -s ensemble.members=12 -s time.end=1 -s time.save_every=100)

# --dry-run writes nothing.
expect 0 "${grid[@]}" -o grid.nc --dry-run
prints "members      12, a grid of 3 initial.x by 2 parameters.L" "1,000 each, 12 k member-steps" "11 times" \
  "grid.nc, about" "memory       about" "time         about"
[[ $(ls) == logs ]] || die "--dry-run left $(ls)"
expect 0 "${grid[@]}" -o grid.nc --dry-run --json
json 'it["members"] == 12 and it["steps"] == 1000 and it["saved_times"] == 11 and it["seconds"] > 0'
json 'it["grid"] == [{"name": "initial.x", "points": 3}, {"name": "parameters.L", "points": 2}]'
bytes=$(sed 's/.*"file_bytes": \([0-9]*\).*/\1/' logs/out)
expect 0 "${grid[@]}" -o grid.csv --dry-run
expect 0 run swarm -s structure.agents=64 --dry-run -s 'output.statistics=["mean"]'
prints "for statistics" "none was requested"
expect 0 run spherical_pendulum -s solver.integrator=dopri5 -s 'events=[{name="a", when="x"}]' --dry-run
prints "as the tolerances require"

# --json prints one object, also for a run that fails.
expect 0 "${grid[@]}" -o grid.nc --json
json 'it["by_status"]["ok"] == 12 and it["files"] == ["grid.nc"] and it["exit_code"] == 0 and it["replaced"] == []'
[[ ! -s logs/err ]] || die "--json: words beside the object"
size=$(stat -c %s grid.nc)
[[ $bytes -le $size && $size -le $((bytes + 40000)) ]] || die "--dry-run foretold $bytes bytes of $size"
expect 1 run spherical_pendulum -s 'parameters.m={values=[1, 0]}' -s time.end=0.1 --json
json 'it["failed_members"] == 1 and it["exit_code"] == 1'
expect 0 info grid.nc --json
json 'it["dimensions"]["member"] == 12 and it["members"]["ok"] == 12 and it["attributes"]["system"] == "spherical_pendulum"'
expect 0 list --json
json 'any(each["name"] == "chain" and 8 in each["sizes"]["links"] for each in it)'
expect 0 describe spherical_pendulum --json
json '[each["name"] for each in it["coordinates"]] == ["x", "y", "z"] and it["has_energy"]'
expect 0 check knife_edge --backend cpu --json -
json 'all(each["verdict"] != "failed" for each in it["verdicts"])'
expect 0 "${grid[@]}" -o grid.csv --quiet
expect 0 info grid.csv --json
json 'it["members"] == 12 and it["columns"][0]["name"] == "x"'

# A single member: all its steps, bitwise identical to the ensemble's saved ones; the ensemble's file is kept.
cp grid.nc before.nc
expect 0 "${grid[@]}" -o grid.nc --member 7
prints "grid.member-7.nc" "1 ok"
same grid.nc before.nc
expect 0 export grid.nc --csv all.csv
expect 0 export grid.member-7.nc --csv seven.csv
[[ $(wc -l <seven.csv) -eq 1002 ]] || die "seven.csv: every step"
awk -F, 'NR == FNR { if ($1 == 7) { sub(/^7,/, ""); all[$0] = 1; ++wanted } next }
  FNR > 1 { sub(/^0,/, ""); if ($0 in all) ++found } END { exit !(wanted == 11 && found == 11) }' all.csv seven.csv ||
  die "the member alone has other bits"
expect 0 info grid.member-7.nc
prints "from member 7 on"
expect 0 "${grid[@]}" -o grid.csv --member 7 --quiet
[[ $(sed -n 2p grid.member-7.csv | cut -d, -f1) == 7 ]] || die "the table does not say which member it is of"
expect 0 plot grid.member-7.csv -o seven.png
expect 0 "${grid[@]}" -o grid.nc --member 3 -s 'output.statistics=["mean"]' -s output.trajectories=false --quiet
exists grid.member-3.nc
expect 2 "${grid[@]}" -o grid.nc --member 12
complains "--member: expected one of the 12 members, 0 to 11, found 12"
expect 2 "${grid[@]}" -o grid.nc --member -1
complains "--member: expected a number from 0 on, found -1"
expect 2 "${grid[@]}" --member 1
complains "--member: expected an output"
expect 2 "${grid[@]}" -o grid.nc --member 1 --shard 1/2
complains "--member and --shard exclude each other"
expect 3 merge grid.member-7.nc -o merged.nc
complains "expected a shard"

# Existing files are reported as replaced, or kept.
expect 0 "${grid[@]}" -o grid.nc
prints "in place of what was there"
expect 0 "${grid[@]}" -o grid.nc --dry-run
prints "grid.nc is there and would be replaced"
cp grid.nc before.nc
expect 3 "${grid[@]}" -o grid.nc --no-clobber
complains "grid.nc: is there already, and --no-clobber leaves it"
same grid.nc before.nc
rm grid.csv
expect 3 "${grid[@]}" -o grid.csv --no-clobber
complains "grid.members.csv: is there already"
expect 0 "${grid[@]}" -o new.nc --no-clobber --quiet
