#!/bin/sh
# Application: GNU Health (hospital and health information system), version 5.0.6
# Package:     PyPI, gnuhealth 5.0.6 with the gnuhealth-* modules of the 5.0 series on trytond 7.0.59 (pinned below)
# Licence:     GPL-3.0-or-later
# Upstream:    https://www.gnuhealth.org/
# usage: make.sh URL-of-an-EMPTY-database     (postgresql://user@host:port/name)
#
# All modules that make tables are activated. Left out are three that only add
# rows of large code lists (ICD-10-PCS, ICD-11, UniProt variants).
set -eu

url=${1:?usage: make.sh URL-of-an-EMPTY-database}
name=${url##*/}
name=${name%%\?*}
server=${url%/*}/

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

# the whole list is given, with the binary build of psycopg2 in place of its source
cat > "$dir/requirements.txt" <<'END'
anyio==4.16.0
certifi==2026.10.19.post1
cffi==2.1.1
charset-normalizer==3.5.3
contourpy==1.3.3
cycler==0.12.1
defusedxml==0.7.1
fonttools==4.68.0
Genshi==0.7.12
gnuhealth==5.0.6
gnuhealth-archives==5.0.4
gnuhealth-caldav==5.0.4
gnuhealth-calendar==5.0.5
gnuhealth-contact-tracing==5.0.4
gnuhealth-crypto==5.0.4
gnuhealth-crypto-lab==5.0.4
gnuhealth-dentistry==5.0.6
gnuhealth-disability==5.0.4
gnuhealth-ems==5.0.4
gnuhealth-federation==5.0.4
gnuhealth-genetics==5.0.4
gnuhealth-gyneco==5.0.4
gnuhealth-history==5.0.4
gnuhealth-icd10==5.0.4
gnuhealth-icd9procs==5.0.4
gnuhealth-icpm==5.0.4
gnuhealth-icu==5.0.4
gnuhealth-imaging==5.0.4
gnuhealth-imaging-worklist==5.0.4
gnuhealth-inpatient==5.0.4
gnuhealth-inpatient-calendar==5.0.4
gnuhealth-insurance==5.0.4
gnuhealth-iss==5.0.4
gnuhealth-lab==5.0.4
gnuhealth-lifestyle==5.0.4
gnuhealth-mdg6==5.0.4
gnuhealth-ntd==5.0.3
gnuhealth-ntd-chagas==5.0.4
gnuhealth-ntd-dengue==5.0.4
gnuhealth-nursing==5.0.4
gnuhealth-ophthalmology==5.0.4
gnuhealth-orthanc==5.0.4
gnuhealth-pediatrics==5.0.4
gnuhealth-pediatrics-growth-charts==5.0.4
gnuhealth-pediatrics-growth-charts-who==5.0.4
gnuhealth-qrcodes==5.0.4
gnuhealth-reporting==5.0.4
gnuhealth-services==5.0.4
gnuhealth-services-imaging==5.0.4
gnuhealth-services-lab==5.0.4
gnuhealth-socioeconomics==5.0.4
gnuhealth-stock==5.0.4
gnuhealth-stock-inpatient==5.0.4
gnuhealth-stock-nursing==5.0.4
gnuhealth-stock-surgery==5.0.4
gnuhealth-surgery==5.0.4
gnuhealth-surgery-protocols==5.0.4
gnuhealth-webdav3-server==5.0.4
gnuhealth-who-essential-medicines==5.0.4
h11==0.16.0
httpcore==1.0.9
httpx==0.28.1
idna==3.20
kiwisolver==1.5.1
lxml==6.1.3
MarkupSafe==3.0.4
matplotlib==3.11.2
numpy==2.4.6
packaging==26.4
passlib==1.7.4
pillow==13.0.0
polib==1.2.0
psycopg2-binary==2.9.13
puremagic==1.30
pycountry==26.2.16
pydicom==3.0.2
pyorthanc==1.23.0
pyparsing==3.3.3
python-barcode==0.16.1
python-dateutil==4.0.0
python-sql==1.8.1
python-stdnum==2.2
pytz==2026.6
PyWebDAV3-GNUHealth==0.13.0
qrcode==8.2
relatorio==1.0.0
requests==2.34.2
simpleeval==1.0.8
six==1.17.0
trytond==7.0.59
trytond_account==7.0.29
trytond_account_invoice==7.0.18
trytond_account_invoice_stock==7.0.2
trytond_account_product==7.0.3
trytond_company==7.0.4
trytond_country==7.0.1
trytond_currency==7.0.1
trytond_party==7.0.8
trytond_product==7.0.6
trytond_purchase==7.0.19
trytond_purchase_request==7.0.1
trytond_stock==7.0.21
trytond_stock_lot==7.0.7
trytond_stock_supply==7.0.5
typing_extensions==4.16.0
tzdata==2026.6
urllib3==2.8.0
vobject==0.9.9
Werkzeug==3.1.9
END

python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --no-deps --requirement "$dir/requirements.txt"

mkdir "$dir/data"
cat > "$dir/trytond.conf" <<END
[database]
uri = $server
path = $dir/data
END
echo gnusolidario > "$dir/password"

modules=$(sed -n -e 's/^gnuhealth==.*/health/p' -e 's/^gnuhealth-\(.*\)==.*/health_\1/p' "$dir/requirements.txt" | tr - _)
# shellcheck disable=SC2086
TRYTONPASSFILE="$dir/password" "$dir/venv/bin/trytond-admin" \
    --config "$dir/trytond.conf" --database "$name" \
    --email admin@example.com --activate-dependencies --update $modules
