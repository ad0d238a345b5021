#!/bin/sh
# Learns again how like personal columns a column is:
#
#     models/personal/make.sh [PUBLIC [HELD_BACK]]
#
# PUBLIC is a folder of public SQLite databases, whose columns are taken for harmless where the rules find nothing (Spider's
# training databases were used); HELD_BACK a file of labelled columns to be judged by at the end. A minute on two cores.
set -eu
work=$(dirname "$0")/build
mkdir -p "$work"
if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q -r "$(dirname "$0")/requirements.txt"
fi
cargo build --release -p privacy --example judge
"$work/venv/bin/python" "$(dirname "$0")/learn.py" ${1:+--public "$1"} ${2:+--held-back "$2"} \
    --judge "${CARGO_TARGET_DIR:-target}/release/examples/judge" --out "$(dirname "$0")/periplus-personal.bin"
