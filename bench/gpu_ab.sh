#!/usr/bin/env bash
# Compares ways to compute the same members on a GPU: threads per member (1 or a tile) and pseudo-inverses (svd, ldlt).
#
#   bench/gpu_ab.sh KALABA [FOLDER]
#
# Prints a table of steps/s and writes FOLDER/ab.tsv (FOLDER: .) with the clock of the multiprocessors after each figure.
# A combination that cannot run has its reason in place of a figure. KALABA_AB_SECONDS (0.5) is the time for each.
set -euo pipefail

kalaba=$1
folder=${2:-.}
seconds=${KALABA_AB_SECONDS:-0.5}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

systems=("rolling_disk" "swarm_matrix -s structure.agents=2" "chain -s structure.links=4" "chain -s structure.links=8"
  "chain -s structure.links=16")

clock() { nvidia-smi --query-gpu=clocks.sm --format=csv,noheader,nounits 2>/dev/null | head -n 1 || true; }

printf 'system\tpseudo_inverse\tthreads\tmembers\tsteps_per_second\tclock_MHz\tnote\n' | tee "$folder/ab.tsv"
for system in "${systems[@]}"; do
  for inverse in svd ldlt; do
    for threads in 1 4 8; do
      members='' rate='' note=''
      # shellcheck disable=SC2086 # words of the system
      if "$kalaba" bench $system --backend cuda --seconds "$seconds" -s solver.pseudo_inverse="$inverse" \
        -s solver.threads_per_member="$threads" --json "$scratch/row.json" >"$scratch/out" 2>"$scratch/err"; then
        rate=$(sed -n 's/.*"member_steps_per_second": \([^,]*\),.*/\1/p' "$scratch/row.json")
        members=$(sed -n 's/.*"members": \([0-9]*\),.*/\1/p' "$scratch/row.json")
      else
        note=$(tail -n 1 "$scratch/err" | tr '\t' ' ' | cut -c 1-160)
      fi
      name=${system/ -s structure./ }
      printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "${name//=/ }" "$inverse" "$threads" "$members" "$rate" "$(clock)" "$note" |
        tee -a "$folder/ab.tsv"
    done
  done
done
