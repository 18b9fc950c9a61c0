#!/usr/bin/env bash
# bench/gpu_peers.py on a machine without a GPU: every peer that is installed agrees with Kalaba:
# gpu_peers.sh SOURCE_DIR KALABA
set -euo pipefail
python3 -c 'import numpy' 2>/dev/null || { echo "SKIPPED: there is no numpy"; exit 0; }
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
python3 "$1/bench/gpu_peers.py" --on cpu --kalaba "$2" --json "$rows"
python3 - "$rows" <<'EOF'
import json
import sys

rows = json.load(open(sys.argv[1]))["rows"]
measured = {(row["case"], row["who"]) for row in rows if "rate" in row}
assert {("pendulum", "kalaba"), ("pendulum", "expert"), ("matrices", "batched_svd"), ("swarm", "kalaba")} <= measured, rows
assert all(row["difference"] < 1e-8 for row in rows if "difference" in row), rows
EOF
