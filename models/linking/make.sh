#!/bin/sh
# Trains the ranker again:
#
#     models/linking/make.sh PACK EMBEDDINGS [FOLDER]
#
# PACK is Spider's training split as a pack, EMBEDDINGS the folder in which models/embedding/make.sh left fold-even.bin and
# fold-odd.bin; FOLDER, by default `build` beside this script, takes what comes in between. Over half an hour on two cores.
set -eu
pack=$(realpath "$1")
embeddings=$(realpath "$2")
work=${3:-$(dirname "$0")/build}
mkdir -p "$work"
work=$(realpath "$work")
cd "$(dirname "$0")"

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q -r requirements.txt
fi
cargo build --release -p eval --example link_rows
"$work/venv/bin/python" packs.py --pack "$pack" --out "$work/packs"
"$work/venv/bin/python" fit.py --packs "$work/packs" --embeddings "$embeddings" --work "$work" \
    --rows "${CARGO_TARGET_DIR:-../../target}/release/examples/link_rows" --out periplus-rank.bin
