#!/bin/sh
# Application: Zabbix (network and server monitoring), version 6.0.14
# Package:     Debian 12 "zabbix-server-mysql" 1:6.0.14+dfsg-1+b1
# Licence:     GPL-2.0-or-later
# Upstream:    https://github.com/zabbix/zabbix
#
# usage: make.sh mysql://user[:password]@host:port/EMPTY_DATABASE
# Loads the package's own schema, images and data (templates, media types,
# roles, actions, dashboards). The database should be utf8mb4 / utf8mb4_bin.
set -eu
rest=${1#*://}; cred=${rest%%@*}; rest=${rest#*@}
hp=${rest%%/*}; db=${rest#*/}
user=${cred%%:*}; case $cred in *:*) pass=${cred#*:} ;; *) pass= ;; esac
host=${hp%%:*}; case $hp in *:*) port=${hp#*:} ;; *) port=3306 ;; esac
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
chmod 755 "$work"; cd "$work"
apt-get download -q zabbix-server-mysql=1:6.0.14+dfsg-1+b1 >/dev/null 2>&1
dpkg -x zabbix-server-mysql_*.deb x
cd x/usr/share/zabbix-server-mysql
zcat schema.sql.gz images.sql.gz data.sql.gz |
  MYSQL_PWD=$pass mysql -h "$host" -P "$port" -u "$user" \
    --default-character-set=utf8mb4 "$db"
