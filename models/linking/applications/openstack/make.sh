#!/bin/sh
# Application: OpenStack (cloud computing platform), release of nova 34.0.0
# Package:     PyPI nova 34.0.0, neutron 29.0.0, cinder 29.0.0, keystone 30.0.0, glance 33.0.0 (with PyMySQL 1.2.4)
# Licence:     Apache-2.0
# Upstream:    https://www.openstack.org/
# usage: make.sh URL-of-an-EMPTY-database
#
# URL: mysql://USER[:PASSWORD]@HOST:PORT/NAME of a MariaDB database; USER must be allowed to create databases.
# Each service is brought to its newest schema by its own sync command in a database NAME_SERVICE of its own; all of
# them are then copied with keys and rows into NAME. A table whose name occurs in several services gets the service's
# name as a prefix (nova_services, cinder_services); all others keep their name. The databases NAME_SERVICE are dropped.
# Needs Python 3.11, sh, and the MariaDB clients mariadb and mariadb-dump.
set -eu
url=${1:?usage: make.sh URL-of-an-EMPTY-database}
url=mysql+pymysql://${url#*://}

tmp=$(mktemp -d)
services="nova_api nova neutron cinder keystone glance"
py=$tmp/venv/bin/python
sql() { "$py" "$tmp/sql.py" "$url" "$@"; }
clean() {
    if [ -f "$tmp/made" ]; then sql drop $services || true; fi
    rm -rf "$tmp"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

python3 -m venv "$tmp/venv"
"$tmp/venv/bin/pip" install -q --disable-pip-version-check \
    nova==34.0.0 neutron==29.0.0 cinder==29.0.0 keystone==30.0.0 glance==33.0.0 PyMySQL==1.2.4

cat > "$tmp/sql.py" <<'PY'
"""sql.py URL check|create|drop|copy SERVICE...: the databases NAME_SERVICE beside NAME, and the copy into NAME."""
import os
import re
import subprocess
import sys

import pymysql
from sqlalchemy.engine import make_url

u = make_url(sys.argv[1])
what, services = sys.argv[2], sys.argv[3:]
host, port = u.host or "127.0.0.1", u.port or 3306
con = pymysql.connect(host=host, port=port, user=u.username, password=u.password or "", charset="utf8mb4",
                      autocommit=True)
cur = con.cursor()


def tables(db):
    cur.execute("SELECT table_name FROM information_schema.tables WHERE table_schema = %s ORDER BY 1", (db,))
    return [r[0] for r in cur.fetchall()]


def constraints(db):
    cur.execute("SELECT constraint_name FROM information_schema.table_constraints WHERE table_schema = %s"
                " AND constraint_type = 'FOREIGN KEY' ORDER BY 1", (db,))
    return [r[0] for r in cur.fetchall()]


def names(s):
    return u.database + "_" + s


def clashes(lists):
    seen, twice = set(), set()
    for names_ in lists:
        for n in set(names_):
            (twice if n in seen else seen).add(n)
    return twice


def copy():
    env = dict(os.environ, MYSQL_PWD=u.password or "")
    base = ["-h", host, "-P", str(port), "-u", u.username]
    twice = clashes([tables(names(s)) for s in services])
    twice_fk = clashes([constraints(names(s)) for s in services])
    for s in services:
        dump = subprocess.run(["mariadb-dump", *base, "--hex-blob", "--skip-add-drop-table", "--skip-comments",
                               "--skip-lock-tables", "--skip-add-locks", "--skip-triggers", names(s)],
                              env=env, check=True, stdout=subprocess.PIPE, text=True).stdout

        def table(m):
            return m.group(1) + "`" + (s + "_" if m.group(2) in twice else "") + m.group(2) + "`"

        def key(m):
            n = m.group(1)
            return "CONSTRAINT `" + (s + "_" if n in twice_fk else "") + n + "` FOREIGN KEY"

        out = []
        for line in dump.splitlines():
            if re.match(r"(CREATE TABLE|INSERT INTO|/\*!\d+ ALTER TABLE) `", line):
                line = re.sub(r"^((?:CREATE TABLE|INSERT INTO|/\*!\d+ ALTER TABLE) )`([^`]+)`", table, line)
            elif line.startswith("  CONSTRAINT `"):
                line = re.sub(r"CONSTRAINT `([^`]+)` FOREIGN KEY", key, line)
                line = re.sub(r"(REFERENCES )`([^`]+)`", table, line)
            out.append(line)
        subprocess.run(["mariadb", *base, u.database], env=env, check=True, text=True, input="\n".join(out) + "\n")


if what == "check":
    if tables(u.database):
        sys.exit("database %s is not empty" % u.database)
elif what == "create":
    for s in services:
        cur.execute("CREATE DATABASE `%s` CHARACTER SET utf8mb3" % names(s))
elif what == "drop":
    for s in services:
        cur.execute("DROP DATABASE IF EXISTS `%s`" % names(s))
elif what == "copy":
    copy()
PY

sql check
sql create $services
: > "$tmp/made"

base=${url%%\?*}
for s in $services; do
    dir=$tmp/etc/$s
    mkdir -p "$dir" "$tmp/state/$s"
done
for s in neutron cinder keystone glance; do
    printf '[DEFAULT]\nstate_path = %s\n[database]\nconnection = %s_%s\n' \
        "$tmp/state/$s" "$base" "$s" > "$tmp/etc/$s/$s.conf"
done
printf '[DEFAULT]\nstate_path = %s\n[database]\nconnection = %s_nova\n[api_database]\nconnection = %s_nova_api\n' \
    "$tmp/state/nova" "$base" "$base" > "$tmp/etc/nova/nova.conf"

export PYTHONWARNINGS=ignore
cd "$tmp"
bin=$tmp/venv/bin
etc=$tmp/etc
"$bin/keystone-manage" --config-file "$etc/keystone/keystone.conf" db_sync
"$bin/glance-manage" --config-file "$etc/glance/glance.conf" db_sync
"$bin/glance-manage" --config-file "$etc/glance/glance.conf" db_load_metadefs "$tmp/venv/etc/glance/metadefs"
"$bin/cinder-manage" --config-file "$etc/cinder/cinder.conf" db sync
"$bin/neutron-db-manage" --config-file "$etc/neutron/neutron.conf" --subproject neutron upgrade heads
"$bin/nova-manage" --config-file "$etc/nova/nova.conf" api_db sync
"$bin/nova-manage" --config-file "$etc/nova/nova.conf" db sync --local_cell

sql copy $services
echo "done: ${base##*/}"
