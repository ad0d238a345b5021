#!/bin/sh
# Makes an application's schema in an empty database and writes the snapshot that `periplus eval link` reads:
#
#     models/linking/applications/snapshot.sh APPLICATION URL
#
# `periplus` has to be on the path, or named by PERIPLUS. Takes some minutes, most of them to install the application.
set -eu
application=$(realpath "$(dirname "$0")/$1")
url=$2
periplus=${PERIPLUS:-periplus}
sh "$application/make.sh" "$url"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
"$periplus" init "$url"
"$periplus" index
mkdir -p "$application/snapshots"
"$periplus" snapshot --values snapshot.json
# Tables of the main schema are asked for by their bare names.
python3 - snapshot.json "$application/snapshots/$1.json" <<'PYTHON'
import json
import sys

snapshot = json.load(open(sys.argv[1]))
for table in snapshot["tables"]:
    if table.get("schema") == "public":
        del table["schema"]
    for key in table.get("foreign_keys", []):
        if key.get("ref_schema") == "public":
            del key["ref_schema"]
json.dump(snapshot, open(sys.argv[2], "w"), indent=1, ensure_ascii=False)
PYTHON
