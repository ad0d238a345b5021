#!/bin/sh
# Makes the schema of a real application in an empty database.
#
#   application  Ghost: publishing with newsletters, members, paid subscriptions
#   version      6.65.0
#   package      npm `ghost` 6.65.0 (its own knex-migrator init: schema.js, views.js, fixtures)
#   licence      MIT
#   upstream     https://github.com/TryGhost/Ghost
#   needs        npm with the npm registry in reach, about 1 GB in $TMPDIR;
#                Node 22.23+ or 24.20+ (where `node` is another one, the npm package `node@22`
#                is put in the temporary folder); MariaDB 10.11 or MySQL 8.
#                No native modules are built (--ignore-scripts, without optional ones).
#                The dependencies' versions come from npm, not from Ghost's pnpm-lock.yaml;
#                the schema depends on the ghost package alone.
#
# use: make.sh mysql://root@127.0.0.1:3306/NAME      (NAME exists and is empty)
set -eu

VERSION=6.65.0

[ $# -eq 1 ] || { echo "use: $0 mysql://USER[:PASSWORD]@HOST[:PORT]/EMPTY_DATABASE" >&2; exit 2; }
URL=$1
case $URL in
  mysql://*|mariadb://*) ;;
  *) echo "$0: a mysql:// or mariadb:// address is needed" >&2; exit 2 ;;
esac

T=$(mktemp -d)
trap 'rm -rf "$T"' EXIT
trap 'exit 1' HUP INT TERM
cd "$T"

NODE=node
if ! node -e 'const [a, b] = process.versions.node.split(".").map(Number);
  process.exit((a === 22 && b >= 23) || (a === 24 && b >= 20) ? 0 : 1)'; then
  mkdir node22
  (cd node22 && npm init -y >/dev/null && npm install --no-audit --no-fund --loglevel=error node@22 >&2)
  NODE=$T/node22/node_modules/.bin/node
  "$NODE" -e 'process.exit(process.versions.node.startsWith("22.") ? 0 : 1)'
fi

npm pack --silent "ghost@$VERSION" >/dev/null
tar xzf "ghost-$VERSION.tgz"
cd package
npm install --omit=dev --omit=optional --ignore-scripts --legacy-peer-deps \
  --no-audit --no-fund --loglevel=error >&2

# the address taken apart; refuses a database that isn't empty
cat >../open.js <<'JS'
const u = new URL(process.argv[2]);
const c = {
  host: u.hostname, port: Number(u.port || 3306),
  user: decodeURIComponent(u.username), password: decodeURIComponent(u.password),
  database: decodeURIComponent(u.pathname.slice(1)),
};
if (!c.database) throw new Error('no database in the address');
require(process.cwd() + '/node_modules/mysql2').createConnection(c).query(
  'select count(*) n from information_schema.tables where table_schema = ?', [c.database],
  function (err, rows) {
    if (err) throw err;
    if (rows[0].n) { console.error('the database ' + c.database + ' is not empty'); process.exit(1); }
    require('fs').writeFileSync('config.production.json', JSON.stringify({
      url: 'http://localhost:2368/',
      database: { client: 'mysql', connection: c },
      logging: { transports: ['stdout'], level: 'error' },
    }));
    process.exit(0);
  });
JS
"$NODE" ../open.js "$URL"

NODE_ENV=production "$NODE" node_modules/.bin/knex-migrator-init --mgpath . >&2
