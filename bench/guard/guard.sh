#!/usr/bin/env bash
# Counts the instructions of the kernels, which do not depend on the machine's load, and compares them with the figures
# beside this script: guard.sh KERNELS COMPILER [--update]. Exit code 77 if they cannot be counted or compared.
set -euo pipefail
kernels=$1 compiler=$2
figures=$(dirname -- "${BASH_SOURCE[0]}")/instructions.txt
tolerance=5 # per cent

skip() {
  printf 'skipped: %s\n' "$*" >&2
  exit 77
}

command -v valgrind >/dev/null && command -v callgrind_annotate >/dev/null ||
  skip "valgrind is not installed, and nothing else counts instructions everywhere"
expected_compiler=$(sed -n 's/^# compiler: //p' "$figures")
[[ ${3-} == --update || $compiler == "$expected_compiler" ]] ||
  skip "the figures are of $expected_compiler, this is $compiler"

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# counts STABILIZATION: prints a line "STABILIZATION/MODEL/INVERSE INSTRUCTIONS" per kernel.
counts() {
  valgrind --tool=callgrind --callgrind-out-file="$folder/$1" --toggle-collect='*counted_kernel*' "$kernels" "$1" \
    >"$folder/log" 2>&1 || { cat "$folder/log"; skip "valgrind cannot run the kernels here"; }
  callgrind_annotate --inclusive=yes --threshold=100 "$folder/$1" |
    sed -nE "s#^ *([0-9,]+) .*counted_kernel<kalaba::([^,]+), kalaba::([A-Za-z]+)>\(.*#$1/\2/\3 \1#p" | tr -d , | sort
}
measured=$(counts none; counts projection)

if [[ ${3-} == --update ]]; then
  { sed -n '/^#/p' "$figures" | sed "s/^# compiler: .*/# compiler: $compiler/"; printf '%s\n' "$measured"; } >"$folder/new"
  cp "$folder/new" "$figures"
  exit
fi
# A kernel without a figure, and a figure without a kernel, are failures too.
join -a 1 -a 2 -e 0 -o 0,1.2,2.2 <(grep -v '^#' "$figures" | sort) <(printf '%s\n' "$measured" | sort) |
  awk -v tolerance=$tolerance '
    { change = $2 > 0 && $3 > 0 ? 100 * ($3 / $2 - 1) : 1e9
      printf "%-45s %10d expected, %10d now (%+.1f %%)\n", $1, $2, $3, change
      if (change > tolerance) slower = 1
      if (change < -tolerance) faster = 1 }
    END { if (slower) print "more instructions than the figures allow; where that is meant, guard.sh ... --update"
          if (faster) print "fewer than the figures say: guard.sh ... --update keeps what was won"
          exit slower }'
