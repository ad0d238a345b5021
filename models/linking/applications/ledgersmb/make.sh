#!/bin/sh
# Application: LedgerSMB (accounting and ERP), version 1.6.33
# Package:     Debian 12 "ledgersmb" 1.6.33+ds-2.1
# Licence:     GPL-2.0-or-later
# Upstream:    https://github.com/ledgersmb/LedgerSMB
#
# usage: make.sh postgresql://user@host:port/EMPTY_DATABASE
# Loads, as the setup program does: the base schema, the change scripts and
# modules in their LOADORDER, and the US "General" chart of accounts.
# Roles.sql makes NOLOGIN roles named lsmb_<database>__* in the cluster.
set -eu
url=$1
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
chmod 755 "$work"; cd "$work"
apt-get download -q ledgersmb=1.6.33+ds-2.1 >/dev/null 2>&1
dpkg -x ledgersmb_*.deb x
cd x/usr/share/ledgersmb
sql() { psql -X -q -d "$url" "$@" >>"$work/log" 2>&1; }
strict() { sql -v ON_ERROR_STOP=1 "$@" || { tail -5 "$work/log" >&2; exit 1; }; }

strict -f sql/Pg-database.sql
strict -c "CREATE TABLE db_patches (sha text primary key, path text not null,
             last_updated timestamp not null);
           CREATE TABLE db_patch_log (when_applied timestamp primary key,
             path text not null, sha text not null, sqlstate text not null,
             error text)"
# each change is one transaction; in lines starting with "!" errors are allowed,
# each statement on its own
sed -e 's/#.*//' -e '/^[[:space:]]*$/d' sql/changes/LOADORDER | while read -r f; do
  g=${f#!}
  grep -vi '^ *\(begin\|commit\)\( work\| transaction\)\{0,1\} *; *$' \
    "sql/changes/$g" >"$work/one.sql"
  case $f in
    !*) sql -f "$work/one.sql" || true ;;
    *)  strict -1 -f "$work/one.sql" ;;
  esac
  sha=$(sha512sum "sql/changes/$g" | cut -d' ' -f1)
  strict -c "INSERT INTO db_patches VALUES ('$sha', '$g', now()) ON CONFLICT DO NOTHING"
done
sed -e 's/#.*//' -e '/^[[:space:]]*$/d' sql/modules/LOADORDER | while read -r f; do
  strict -f "sql/modules/$f"
done
strict -f sql/coa/us/chart/General.sql
strict -c "UPDATE defaults SET value = '1.6.33' WHERE setting_key = 'version'"
