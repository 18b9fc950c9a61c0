#!/usr/bin/env bash
# Comments are standard technical English, in the folders listed here: ./english.sh SOURCE_DIR
# english.pl rejects headless clauses ("What …", "Of …", "Where …", "The same …", "That …", "Whether …") and private words, the
# latter in messages and pages too.
# First it must find the faults of a sample.
set -euo pipefail
cd -- "$1"
clean=(CMakeLists.txt bench dev include kernels python src/CMakeLists.txt src/backend src/bench src/check src/cli src/compare src/engine src/fit src/formula src/mechanism src/output
  src/package src/report src/scenario src/swarm src/text tests tools)

sample=$(mktemp --suffix=.cpp)
trap 'rm -f "$sample"' EXIT
cat >"$sample" <<'EOF'
/// What a run came to.
int a;  ///< whether it is told
/// Value of a number. Of a mask nothing.
/// The end: what follows is "What" in quotes.
const char* b = "// What is no comment";  // a comment
const char* c = "the driver tells its version";
EOF
found=$(perl tests/layout/english.pl "$sample" | cut -d : -f 2,3 | tr '\n' ';' || true)
[[ $found == '1: headless clause;2: headless clause;2: private word "told";3: headless clause;6: private word "tells" in a message;' ]] || {
  echo "english.pl finds other faults in its sample: $found"
  exit 1
}

git ls-files --cached --others --exclude-standard -- "${clean[@]}" |
  grep -E '(\.(cpp|hpp|cu|cuh|py|pyi|sh|pl|cmake|in)|CMakeLists\.txt|^dev)$' |
  xargs perl tests/layout/english.pl README.md CONTRIBUTING.md docs/*.md
