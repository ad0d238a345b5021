#!/bin/sh
# Application: Indico (conference, meeting and event management with room booking), version 3.3.14
# Package:     PyPI indico 3.3.14 (core, no plugins)
# Licence:     MIT
# Upstream:    https://getindico.io
# usage: make.sh URL-of-an-EMPTY-database
#
# The URL is postgresql://USER@HOST:PORT/NAME of a PostgreSQL 14 or newer database in UTF8; USER must be allowed
# to create the extensions unaccent and pg_trgm (Debian: package postgresql-contrib).
# Needed: psql, Python 3.12 with venv (set PYTHON to choose it), and, as psycopg2 is compiled, a C compiler
# with PostgreSQL's client headers (Debian: gcc, libpq-dev).
set -eu

url=${1:?usage: make.sh URL-of-an-EMPTY-database}
python=${PYTHON:-python3.12}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

"$python" -m venv venv
# The package asks for 3.12.2 or newer; to make the schema any 3.12 will do.
./venv/bin/pip install -q --disable-pip-version-check --ignore-requires-python indico==3.3.14

mkdir cache tmp log archive
cat > indico.conf <<CONF
SQLALCHEMY_DATABASE_URI = '$url'
SECRET_KEY = 'not-a-secret-only-for-making-the-schema'
BASE_URL = 'http://localhost'
CELERY_BROKER = 'redis://localhost:6379/0'
REDIS_CACHE_URL = 'redis://localhost:6379/1'
DEFAULT_TIMEZONE = 'UTC'
DEFAULT_LOCALE = 'en_GB'
ENABLE_ROOMBOOKING = True
CACHE_DIR = '$work/cache'
TEMP_DIR = '$work/tmp'
LOG_DIR = '$work/log'
STORAGE_BACKENDS = {'default': 'fs:$work/archive'}
ATTACHMENT_STORAGE = 'default'
SUPPORT_EMAIL = 'support@example.com'
NO_REPLY_EMAIL = 'noreply@example.com'
CONF
cat > logging.yaml <<'CONF'
version: 1
root: {level: WARNING, handlers: [stderr]}
handlers:
  stderr: {class: logging.StreamHandler, formatter: default}
formatters:
  default: {format: '%(levelname)s %(name)s %(message)s'}
CONF

psql -v ON_ERROR_STOP=1 -q "$url" -c 'CREATE EXTENSION IF NOT EXISTS unaccent' -c 'CREATE EXTENSION IF NOT EXISTS pg_trgm'
INDICO_CONFIG="$work/indico.conf" ./venv/bin/indico db prepare
