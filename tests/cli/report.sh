# Report of a run as one HTML page.
source "$(dirname -- "$0")/harness.sh" "$1"

run=(run spherical_pendulum -s time.end=0.5 -s ensemble.members=60 -s 'parameters.L={uniform=[0.5, 2]}')
expect 0 "${run[@]}" -s 'parameters.m={uniform=[1, 2]}' -s 'initial.p_y={normal=[0, 0.1]}' -o 'a<b>&.nc' --quiet
expect 0 report 'a<b>&.nc' -o page.html
prints page.html
page() { grep -qF -- "$1" page.html || die "page.html lacks $1"; }
page '<h1>spherical_pendulum</h1>'
page 'p_y at the start'
page 'L = { uniform = [0.5, 2.0] }'
page 'a&lt;b&gt;&amp;.nc'
if grep -E '<(script|link|img|iframe)|src=|@import' page.html; then die "page.html refers to other files"; fi
if command -v python3 >/dev/null; then
  python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("page.html")' || die "page.html is not well-formed"
fi
# If a browser is installed: the page fits the screen of a phone without horizontal scrolling.
browser=$(command -v chromium chromium-browser google-chrome chromium-headless-shell | head -n 1 || true)
if [[ -n $browser ]]; then
  sed 's|</body>|<script>document.title = "w" + document.documentElement.scrollWidth + "f" + document.images.length + "s" + [...document.querySelectorAll("figure svg")].filter(e => e.getBoundingClientRect().width > 200).length</script></body>|' \
    page.html >probe.html
  timeout 60 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir=profile --window-size=600,900 \
    --dump-dom "file://$PWD/probe.html" >dom.html 2>logs/browser || die "the browser failed: $(tail -n 3 logs/browser)"
  figures=$(grep -c '<figure>' page.html)
  grep -q "<title>w600f0s$figures</title>" dom.html || die "in a browser: $(grep -om 1 '<title>.*</title>' dom.html)"
else
  echo "skipped: no Chromium is installed, so no browser opens the page"
fi

# The drawn inputs are known even if the start is not saved, in shards too.
ends=("${run[@]}" -s 'initial.p_y={normal=[0, 0.1]}' -s 'initial.z={values=[0.3, 0.4]}' --quiet)
expect 0 "${ends[@]}" -o first.csv -s initial.project=false
ends+=(-s time.save_every=final)
expect 0 "${ends[@]}" -o last.nc
for shard in 1 2; do expect 0 "${ends[@]}" -o parts.nc --shard $shard/2; done
expect 0 merge parts.*-of-2.nc -o merged.nc
for file in last merged; do
  expect 0 info $file.nc
  prints initial_p_y initial_z
  expect 0 export $file.nc --csv $file
  near $file/members.csv initial_p_y "$(awk -F, -v name=p_y '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) at = i }
    $1 == 59 && $2 == 0 { print $at }' first.csv)" 1e-15
  expect 0 report $file.nc -o page.html
  page '<th class="n">p_y at the start</th>'
done

# The numbers of steps of an adaptive integrator are results of the inputs, not inputs.
expect 0 "${run[@]}" -s 'parameters.m={uniform=[1, 2]}' -s solver.integrator=dopri5 -o adaptive.nc --quiet
expect 0 report adaptive.nc -o page.html
page '<th class="n">m</th>'
! grep -q accepted_steps page.html || die "page.html takes accepted_steps for an input"

expect 0 "${run[@]}" -s 'output.statistics=["correlation"]' -s output.trajectories=false -o alone.nc --quiet
expect 0 report alone.nc -o page.html
page '<h2>Correlation</h2>'
page '<th class="n">parameters.L</th>'

# Swarms with statistics per agent are reported, exported, shown and drawn like other files.
swarms=(run swarm -s structure.agents=4 -s 'parameters.c={values=[1, 2, 3]}' -s time.dt=0.1 -s time.end=0.2 --quiet
  -s 'output.statistics=["mean", "std", "quantiles", "correlation", "histogram"]' -s output.group_by=parameters.c
  -s 'output.histogram={bins=4, x=[-1, 1]}')
expect 0 "${swarms[@]}" -s ensemble.members=3 -o swarms.nc
for i in 1 2; do expect 0 "${swarms[@]}" -s ensemble.members=4200 --shard "$i/2" -o parts.nc; done
expect 0 merge parts.*-of-2.nc -o merged.nc
for file in swarms.nc merged.nc; do
  expect 0 report "$file" -o page.html
  page '<td>y_dot[2] (m/s)</td>'
  page 'Values of 3 of 4 agents'
  expect 0 info "$file"
  expect 0 export "$file" --csv tables
  grep -q '^time,ok_members,x\[0\]_count,.*,x\[3\]_above_1,y\[0\]_count' tables/statistics.csv || die "statistics.csv: its header"
  expect 0 plot "$file" -o swarms.png
  rm -r tables page.html swarms.png
done

expect 0 report 'a<b>&.nc'
exists 'a<b>&.html'
expect 2 report 'a<b>&.nc' -o page.pdf
complains "page.pdf" ".html"
expect 3 report missing.nc
complains "missing.nc: there is no such file"
expect 3 report 'a<b>&.nc' -o missing/page.html
complains "missing"
expect 2 report page.html
complains ".nc or .csv"
absent page.pdf

# The page of CSV tables is that of the netCDF file of the run but for units and what tables do not contain.
cat >events.toml <<'END'
system = "spherical_pendulum"
time = { end = 2 }
ensemble = { members = 60 }
parameters.L = { uniform = [0.5, 2] }
parameters.m = { uniform = [1, 2] }
initial.p_y = { normal = [0, 0.5] }
sensitivities = { of = ["parameters.L"] }
events = [{ name = "low", when = "x + 0.2", action = "record" }, { name = "far", when = "y - 0.3", action = "stop" }]
output = { statistics = ["mean", "std", "quantiles", "correlation", "gradient"] }
END
expect 0 run events.toml -o both.nc --quiet
expect 0 run events.toml -o both.csv --quiet
expect 0 report both.nc -o from_nc.html
expect 0 report both.csv
prints both.html
expect 0 export both.nc --csv folder
expect 0 report folder/trajectories.csv -o folder.html
# Captions of pictures and cells of tables, with headings, without units and conditions of events.
content() {
  grep -oE '<h2>.*</h2>|<figcaption>.*</figcaption>|^<tr>.*</tr>' "$1" |
    sed -E 's/ \([a-zA-Z0-9\/^ ²]*\)<\/td>/<\/td>/g; s/ \([a-zA-Z0-9\/^ ²]*\)"/"/g; s/<td>[^<]*, (record|stop)<\/td>/<td>–<\/td>/' |
    sed -n '/<h2>Members/,/<h2>\(Equations\|Origin\)/p' | sed -E '/<h2>(Motion|Equations|Origin)/d; /^<figcaption>Member 0 of/d; /<td>files?</d'
}
content from_nc.html >expected.txt
content both.html >found.txt
content folder.html >exported.txt
[[ $(grep -c '<figcaption>' expected.txt) -ge 20 ]] || die "both.nc: few pictures"
[[ $(grep -c '<h2>' expected.txt) -ge 10 ]] || die "both.nc: few sections"
same expected.txt found.txt
same expected.txt exported.txt
grep -qF 'CSV tables do not contain units, the scenario and its seed' both.html || die "both.html: nothing is missing"
expect 0 report both.csv --json
prints '"gradients"'

# A million rows take little memory beside the mapped file: the heap is limited to 1 GiB.
expect 0 run spherical_pendulum -s ensemble.members=10000 -s 'parameters.L={uniform=[0.5, 2]}' -o many.csv --quiet
[[ $(wc -l <many.csv) -eq 1010001 ]] || die "many.csv: $(wc -l <many.csv) lines"
(ulimit -d 1048576 && expect 0 report many.csv) || exit 1
exists many.html
rm many.*

# Tables that lack what another one has, and tables of other programs, are refused.
mkdir bad
spoil() { # spoil TABLE SED-SCRIPT MESSAGE...
  rm -f bad/* && cp both.csv both.members.csv both.events.csv both.statistics.csv bad/
  sed -i "$2" "bad/$1"
  expect 3 report bad/both.csv
  complains "${@:3}"
}
spoil both.csv '$d' 'both.csv' 'the last line' 'the file was cut off'
spoil both.csv '60d' 'both.csv: line 60: expected the time 0.85, that of row 18 of the first member, found 0.9'
spoil both.csv 's/,/;/g' 'line 1' 'expected a header that begins member,time' 'columns are separated by commas'
spoil both.csv '1s/energy/enrgy/' 'expected the column energy, of which both.statistics.csv has statistics' 'did you mean'
spoil both.members.csv '5d' 'both.members.csv: line 5: expected member 3, found "4"'
spoil both.events.csv '4d' 'both.events.csv: line 4: expected the event low, found "far"'
