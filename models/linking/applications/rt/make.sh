#!/bin/sh
# Application: Request Tracker (RT: tickets and service desk, with assets and articles), version 5.0.3
# Package:     request-tracker5 5.0.3+dfsg-3~deb12u* from Debian 12 (bookworm), the newest security release that apt
#              offers; its Perl modules from the same release
# Licence:     GPL-2.0-only
# Upstream:    https://github.com/bestpractical/rt
# usage: make.sh URL-of-an-EMPTY-database      (MariaDB, e.g. mysql://user:password@host:3306/name)
#
# Unpacks the packages without installing them (only those the machine lacks), and lets RT's own rt-setup-database
# make the tables (etc/schema.mysql) and put in the core data and the initial data (etc/initialdata).
set -eu

[ $# -eq 1 ] || { echo "usage: $0 URL-of-an-EMPTY-database" >&2; exit 2; }
DATABASE_URL=$1
export DATABASE_URL

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"

# a pattern, of which apt takes the newest: an older one doesn't go with rt5-clients, which apt takes the newest of
version='5.0.3+dfsg-3~deb12u*'
mkdir debs x var
apt-get -s --no-install-recommends install "request-tracker5=$version" "rt5-db-mysql=$version" |
    sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -E '^(lib|perl)' | grep -v '^perl-doc' >list
(
    cd debs
    # shellcheck disable=SC2046
    apt-get -qq -o APT::Sandbox::User=root download "request-tracker5=$version" $(cat ../list)
)
for deb in debs/*.deb; do
    dpkg -x "$deb" x
done
rm -rf debs

# the packages' fixed paths, moved into this folder
rt=$dir/x/usr/share/request-tracker5
sed -i -e "s|'/usr/share/request-tracker5|'$rt|" -e "s|'/usr/s\{0,1\}bin'|'$dir/x/usr/bin'|" \
    -e "s|'/usr/local/share|'$dir/x/usr/local/share|" \
    -e "s|'/etc/request-tracker5|'$dir/x/etc/request-tracker5|" \
    -e "s|'/var/|'$dir/var/|" "$rt/lib/RT/Generated.pm"

cat >RT_SiteConfig.pm <<'PL'
use utf8;
my ($user, $password, $host, $port, $name) =
    $ENV{DATABASE_URL} =~ m{^(?:mysql|mariadb)[^:]*://(?:([^:\@/]*)(?::([^\@/]*))?\@)?([^:/]+)(?::(\d+))?/([^?]+)}
    or die "URL not understood, expected mysql://user:password\@host:port/name\n";
for ($user, $password, $name) { $_ = '' unless defined; s/%([0-9A-Fa-f]{2})/chr hex $1/ge; }
Set($DatabaseType, 'mysql');
Set($DatabaseHost, $host);
Set($DatabaseRTHost, $host);
Set($DatabasePort, $port || 3306);
Set($DatabaseName, $name);
Set($DatabaseUser, $user || 'root');
Set($DatabasePassword, $password);
Set($DatabaseAdmin, $user || 'root');
Set($rtname, 'example.com');
Set($Organization, 'example.com');
Set($LogToSyslog, undef);
Set($LogToSTDERR, 'error');
Set(%GnuPG, Enable => 0);
Set(%SMIME, Enable => 0);
1;
PL

arch=$(perl -MConfig -e 'print $Config{archname}')
multi=${arch%-gnu*}-gnu
PERL5LIB=$rt/lib:$(perl -MConfig -e 'print join ":", map { "$ARGV[0]$_" } @Config{qw(vendorarch vendorlib)}, "/usr/lib/$ARGV[1]/perl-base"' "$dir/x" "$multi")
LD_LIBRARY_PATH=$dir/x/usr/lib/$multi
RT_SITE_CONFIG=$dir/RT_SiteConfig.pm
export PERL5LIB LD_LIBRARY_PATH RT_SITE_CONFIG
RT_DBA_PASSWORD=$(perl -e '$ENV{DATABASE_URL} =~ m{://[^:\@/]*:([^\@/]*)\@} or exit; $_ = $1; s/%([0-9A-Fa-f]{2})/chr hex $1/ge; print')
dba=$(perl -e '$ENV{DATABASE_URL} =~ m{://([^:\@/]+)(?::[^\@/]*)?\@} or (print "root"), exit; $_ = $1; s/%([0-9A-Fa-f]{2})/chr hex $1/ge; print')
export RT_DBA_PASSWORD

# "init" without "create" (the database exists) and without "acl" (the user exists)
setup="perl x/usr/sbin/rt-setup-database-5 --dba $dba"
$setup --action schema
$setup --action coredata
$setup --action insert --datafile "$rt/etc/initialdata"
