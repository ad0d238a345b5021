#!/bin/sh
# Application: Kolibri (offline-first learning platform: channels, classes, lessons, quizzes, sync), version 0.19.5
# Package:     PyPI kolibri 0.19.5 (with psycopg2-binary 2.9.13 as the database driver)
# Licence:     MIT
# Upstream:    https://learningequality.org/kolibri/
# usage: make.sh URL-of-an-EMPTY-database
#
# The URL is postgresql://USER[:PASSWORD]@HOST[:PORT]/NAME; Kolibri supports PostgreSQL itself, all tables go into one database.
# Needed: Python 3.6 to 3.14 with venv (set PYTHON to choose it).
set -eu

url=${1:?usage: make.sh URL-of-an-EMPTY-database}
python=${PYTHON:-python3}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

"$python" -m venv venv
./venv/bin/pip install -q --disable-pip-version-check kolibri==0.19.5 psycopg2-binary==2.9.13

part() { ./venv/bin/python -c 'import sys, urllib.parse as p; u = p.urlparse(sys.argv[1]); print(p.unquote(str(eval(sys.argv[2]) or "")))' "$url" "$1"; }
KOLIBRI_DATABASE_ENGINE=postgres
KOLIBRI_DATABASE_NAME=$(part 'u.path[1:]')
KOLIBRI_DATABASE_USER=$(part 'u.username')
KOLIBRI_DATABASE_PASSWORD=$(part 'u.password')
KOLIBRI_DATABASE_HOST=$(part 'u.hostname')
KOLIBRI_DATABASE_PORT=$(part 'u.port or 5432')
KOLIBRI_HOME=$work/home
export KOLIBRI_DATABASE_ENGINE KOLIBRI_DATABASE_NAME KOLIBRI_DATABASE_USER KOLIBRI_DATABASE_PASSWORD
export KOLIBRI_DATABASE_HOST KOLIBRI_DATABASE_PORT KOLIBRI_HOME

./venv/bin/kolibri manage migrate --noinput

# what it notes of the machine that it is installed on is nobody's business
./venv/bin/python - "$url" <<'PY'
import sys

import psycopg2

with psycopg2.connect(sys.argv[1]) as connection:
    connection.cursor().execute("DELETE FROM morango_instanceidmodel; DELETE FROM morango_databaseidmodel")
PY
