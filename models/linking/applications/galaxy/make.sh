#!/bin/sh
# Application: Galaxy (data analysis platform), galaxy-data 26.1.2
# Licence: MIT
# Upstream: https://github.com/galaxyproject/galaxy
# Usage: make.sh postgresql://user@host:port/database   (an empty PostgreSQL database)
# Makes the galaxy model and the tool_shed_install model in one database, with the trigger functions
# and the alembic revision rows that the application stamps on a new database.
set -eu
URL=$1
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
python3 -m venv venv
venv/bin/pip install -q galaxy-data==26.1.2 psycopg2-binary==2.9.10
venv/bin/python - "$URL" <<'PY'
import sys
from galaxy.model.migrations import DatabaseConfig, verify_databases_via_script
c = DatabaseConfig(sys.argv[1], "", "")
verify_databases_via_script(c, c)
PY
