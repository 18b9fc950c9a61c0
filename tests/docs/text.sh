#!/usr/bin/env bash
# The documents: valid links, bibliography entries for all citations, a README of limited length.
# ./text.sh SOURCE_DIR
set -euo pipefail
cd -- "$1"
broken=0
complain() {
  printf '%s\n' "$*"
  broken=1
}

# Every relative link of a page, to a file and to a heading of it.
anchors() { sed -nE 's/^#+ +(.*)$/\1/p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'; }
for page in README.md CONTRIBUTING.md docs/*.md; do
  while read -r link; do
    file=${link%%#*}
    target=$page
    [[ -z $file ]] || target=$(dirname "$page")/$file
    [[ -e $target ]] || { complain "$page: the link $link leads nowhere" && continue; }
    [[ $link != *'#'* ]] || anchors "$target" | grep -qxF -- "${link#*#}" || complain "$page: $link names no heading"
  done < <(grep -oE '\]\([^)]+\)' "$page" | sed -E 's/^\]\(//; s/\)$//' | grep -vE '^[a-z]+:' || true)
done

# Every file that the pages for maintainers name, by its path or the end of it; NAME stands for a new one.
files=$(git ls-files --cached --others --exclude-standard)
for page in docs/architecture.md CONTRIBUTING.md; do
  while read -r name; do
    [[ $name == *NAME* ]] || grep -qE "(^|/)${name//./\\.}$" <<<"$files" || complain "$page names $name, and there is no such file"
  done < <(grep -oE '`[A-Za-z0-9_./-]+\.(hpp|cpp|cuh|cu|sh|pyi?|pl|txt|cmake)`' "$page" | tr -d '`' | sort -u)
done
table=$(awk '/^## / { inside = $0 == "## Where to find" } inside && /^\| /' docs/architecture.md | tail -n +2)
[[ $(wc -l <<<"$table") -ge 8 ]] || complain 'docs/architecture.md has no table "Where to find"'
while read -r row; do
  [[ $(grep -o '`' <<<"$row" | wc -l) -le 10 ]] || complain "docs/architecture.md names more than five files: $row"
done <<<"$table"

# Every [key] that the sources cite is in the bibliography, and every entry is cited.
cited=$(grep -rhoE '\[(U16|UK02|UP06|ZCZD|BC18|RH|HNW|Marle|IFToMM|IVP|SUNDIALS|Bloch)[] ,]' include src kernels tests docs --include='*.hpp' \
  --include='*.cpp' --include='*.md' | tr -d '[] ,' | sort -u)
listed=$(sed -nE 's/^- \*\*\[([A-Za-z0-9]+)\]\*\*.*/\1/p' docs/mechanics.md | sort -u)
for key in $cited; do grep -qx "$key" <<<"$listed" || complain "docs/mechanics.md has no entry [$key]"; done
others=$(grep -rhoE '\[[A-Z]{1,4}[0-9]{2}[] ,]' include src kernels tests --include='*.hpp' --include='*.cpp' | tr -d '[] ,' | sort -u)
for key in $others; do grep -qx "$key" <<<"$listed" || complain "docs/mechanics.md has no entry [$key], which a source cites"; done

lines=$(wc -l <README.md)
[[ $lines -le 150 ]] || complain "README.md has $lines lines: expected at most 150; the rest is for docs/"
for page in docs/*.md; do
  [[ $page != docs/index.md ]] || continue  # the first page of the site
  grep -qF "$(basename "$page")" README.md docs/*.md || complain "no page links to $page"
done
exit $broken
