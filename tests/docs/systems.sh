#!/usr/bin/env bash
# docs/systems.md agrees with the program's description of its systems: ./systems.sh SOURCE_DIR KALABA
set -euo pipefail
if ! diff -u "$1/docs/systems.md" <("$1/docs/write_systems.sh" "$2"); then
  echo "docs/systems.md is out of date: docs/write_systems.sh KALABA >docs/systems.md"
  exit 1
fi
