#!/bin/sh
# Application: MediaWiki, Debian package mediawiki 1:1.39.17-1+deb12u2 (bookworm), with the extensions it ships
# Licence: GPL-2.0-or-later
# Upstream: https://gerrit.wikimedia.org/g/mediawiki/core (https://github.com/wikimedia/mediawiki)
# Usage: make.sh mysql://user[:password]@host:port/database   (an empty MariaDB database)
# Makes the core tables and those of AbuseFilter, OATHAuth and Math from the shipped SQL files, without a
# table prefix, and adds the rows that the installer puts into an empty wiki
# (without the Main Page and the first account).
set -eu
URL=$1
VERSION=1:1.39.17-1+deb12u2
REST=${URL#*://}
CRED=${REST%@*}
HOSTDB=${REST##*@}
HOSTPORT=${HOSTDB%%/*}
DB=${HOSTDB#*/}
USR=${CRED%%:*}
case $CRED in *:*) MYSQL_PWD=${CRED#*:}; export MYSQL_PWD ;; esac
HOST=${HOSTPORT%%:*}
case $HOSTPORT in *:*) PORT=${HOSTPORT#*:} ;; *) PORT=3306 ;; esac
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK"
apt-get download -q "mediawiki=$VERSION" >/dev/null 2>&1
dpkg -x mediawiki_*.deb x
W=x/usr/share/mediawiki
E=$W/extensions-core
{
  for f in "$W/maintenance/tables-generated.sql" \
    "$E/AbuseFilter/db_patches/mysql/tables-generated.sql" \
    "$E/OATHAuth/sql/mysql/tables-generated.sql" \
    "$E/Math/sql/mysql/mathoid.sql" \
    "$E/Math/sql/mysql/mathlatexml.sql"
  do
    # placeholders: no prefix, the installer's default table options
    sed -e 's,/\*_\*/,,g' -e 's,/\*i\*/,,g' \
        -e 's,/\*\$wgDBprefix\*/,,g' -e 's,/\*\$wgDBTableOptions\*/,ENGINE=InnoDB DEFAULT CHARSET=binary,g' "$f"
    echo
  done
  # seed rows of the installer: default interwiki prefixes (maintenance/interwiki.list), the site_stats row,
  # the main slot role and the wikitext content model
  sed -e 's/^[[:space:]]*#.*$//' -e "s/'/''/g" "$W/maintenance/interwiki.list" | awk -F'|' 'NF > 2 {
    printf "INSERT INTO interwiki (iw_prefix, iw_url, iw_local, iw_api, iw_wikiid) VALUES (\047%s\047, \047%s\047, %d, \047%s\047, \047\047);\n", $1, $2, $3, $4 }'
  echo "INSERT INTO site_stats (ss_row_id, ss_total_edits, ss_good_articles, ss_total_pages, ss_users, ss_active_users, ss_images) VALUES (1, 0, 0, 0, 0, 0, 0);"
  echo "INSERT INTO slot_roles (role_name) VALUES ('main');"
  echo "INSERT INTO content_models (model_name) VALUES ('wikitext');"
} > all.sql
mariadb -h "$HOST" -P "$PORT" -u "$USR" "$DB" < all.sql
