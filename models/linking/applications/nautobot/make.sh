#!/bin/sh
# Application: Nautobot - network source of truth (sites, racks, devices, cables,
#              IP addresses, circuits, VLANs, virtual machines, jobs)
# Version:     3.2.7
# Package:     PyPI `nautobot`  (https://pypi.org/project/nautobot/3.2.7/)
# Licence:     Apache-2.0
# Upstream:    https://github.com/nautobot/nautobot
# Needs:       python3 (3.10 - 3.13) with venv, PyPI reachable, `git` on the PATH,
#              an EMPTY PostgreSQL database (12 or newer). No Redis is needed:
#              caches are set to local memory for the migrations.
# Usage:       make.sh postgresql://postgres@127.0.0.1:5432/app_nautobot
# Makes:       the core schema by the package's own Django migrations
#              (`nautobot-server migrate`), no plugin apps, no sample data.
set -eu

VERSION=3.2.7
PYTHON=${PYTHON:-python3}

if [ $# -ne 1 ]; then
    echo "usage: $0 postgresql://USER[:PASSWORD]@HOST[:PORT]/DATABASE" >&2
    exit 2
fi
case $1 in
    postgresql://*|postgres://*) ;;
    *) echo "$0: not a PostgreSQL URL: $1" >&2; exit 2 ;;
esac

DB_URL=$1
export DB_URL
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
trap 'exit 1' HUP INT TERM
cd "$WORK"

"$PYTHON" -m venv "$WORK/venv"
"$WORK/venv/bin/pip" install -q --disable-pip-version-check "nautobot==$VERSION"

cat >"$WORK/nautobot_config.py" <<'CONFIG'
import os
from urllib.parse import unquote, urlsplit

from nautobot.core.settings import *  # noqa: F401,F403

_url = urlsplit(os.environ["DB_URL"])
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(_url.path.lstrip("/")),
        "USER": unquote(_url.username or ""),
        "PASSWORD": unquote(_url.password or ""),
        "HOST": _url.hostname or "",
        "PORT": str(_url.port or ""),
        "CONN_MAX_AGE": 0,
    }
}
SECRET_KEY = "only-for-making-an-empty-schema-0123456789-abcdefghijklmnop"
ALLOWED_HOSTS = ["*"]
PLUGINS = []
INSTALLATION_METRICS_ENABLED = False
# no Redis while migrating
CACHES = {"default": {"BACKEND": "schema_cache.Cache"}}
CONSTANCE_DATABASE_CACHE_BACKEND = None
CONTENT_TYPE_CACHE_TIMEOUT = 0
CELERY_BROKER_URL = "memory://"
CELERY_RESULT_BACKEND = "cache+memory://"
CONFIG

cat >"$WORK/schema_cache.py" <<'CACHE'
from django.core.cache.backends.locmem import LocMemCache


class Cache(LocMemCache):
    """Memory cache with the one django-redis call that Nautobot's signals make."""

    def delete_pattern(self, pattern, **kwargs):
        self.clear()
        return 0
CACHE

PYTHONPATH=$WORK
export PYTHONPATH
NAUTOBOT_ROOT=$WORK
NAUTOBOT_CONFIG=$WORK/nautobot_config.py
export NAUTOBOT_ROOT NAUTOBOT_CONFIG

# refuse a database that already holds tables
"$WORK/venv/bin/python" - <<'PY'
import os, sys, psycopg2
with psycopg2.connect(os.environ["DB_URL"]) as c, c.cursor() as k:
    k.execute("select count(*) from pg_tables where schemaname not in ('pg_catalog','information_schema')")
    if k.fetchone()[0]:
        sys.exit("the database is not empty")
PY

"$WORK/venv/bin/nautobot-server" migrate --no-input
