#!/bin/sh
# Application: Tryton (business management / ERP), version 8.0
# Package:     PyPI, trytond 8.0.12 with the official modules of the 8.0 series (pinned below)
# Licence:     GPL-3.0-or-later
# Upstream:    https://www.tryton.org/
# usage: make.sh URL-of-an-EMPTY-database     (postgresql://user@host:port/name)
set -eu

url=${1:?usage: make.sh URL-of-an-EMPTY-database}
name=${url##*/}
name=${name%%\?*}
server=${url%/*}/

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM

cat > "$dir/requirements.txt" <<'END'
trytond-account-asset==8.0.0
trytond-account-budget==8.0.0
trytond-account-credit-limit==8.0.0
trytond-account-deposit==8.0.0
trytond-account-dunning-fee==8.0.0
trytond-account-dunning-letter==8.0.0
trytond-account-dunning==8.0.0
trytond-account-invoice-history==8.0.1
trytond-account-invoice-stock==8.0.0
trytond-account-invoice==8.0.2
trytond-account-payment-clearing==8.0.0
trytond-account-payment-sepa==8.0.5
trytond-account-payment==8.0.2
trytond-account-product==8.0.1
trytond-account-statement==8.0.1
trytond-account-stock-landed-cost==8.0.0
trytond-account-tax-rule-country==8.0.0
trytond-account==8.0.4
trytond-analytic-account==8.0.1
trytond-analytic-invoice==8.0.0
trytond-analytic-purchase==8.0.0
trytond-analytic-sale==8.0.0
trytond-attendance==8.0.0
trytond-bank==8.0.0
trytond-carrier==8.0.0
trytond-commission==8.0.1
trytond-company-work-time==8.0.0
trytond-company==8.0.1
trytond-country==8.0.0
trytond-currency==8.0.0
trytond-incoterm==8.0.1
trytond-marketing-email==8.0.1
trytond-marketing==8.0.0
trytond-notification-email==8.0.0
trytond-party-relationship==8.0.0
trytond-party==8.0.4
trytond-product-attribute==8.0.0
trytond-product-classification==8.0.0
trytond-product-cost-history==8.0.0
trytond-product-kit==8.0.4
trytond-product-measurements==8.0.0
trytond-product-price-list==8.0.0
trytond-product==8.0.2
trytond-production-routing==8.0.0
trytond-production-work-timesheet==8.0.1
trytond-production-work==8.0.0
trytond-production==8.0.2
trytond-project-invoice==8.0.0
trytond-project-plan==8.0.0
trytond-project-revenue==8.0.0
trytond-project==8.0.4
trytond-purchase-request-quotation==8.0.2
trytond-purchase-request==8.0.1
trytond-purchase-requisition==8.0.0
trytond-purchase==8.0.3
trytond-quality==8.0.1
trytond-sale-advance-payment==8.0.1
trytond-sale-blanket-agreement==8.0.2
trytond-sale-complaint==8.0.1
trytond-sale-credit-limit==8.0.0
trytond-sale-discount==8.0.0
trytond-sale-gift-card==8.0.0
trytond-sale-opportunity==8.0.1
trytond-sale-point==8.0.0
trytond-sale-price-list==8.0.0
trytond-sale-promotion==8.0.0
trytond-sale-shipment-cost==8.0.0
trytond-sale-shipment-grouping==8.0.0
trytond-sale-stock-quantity==8.0.0
trytond-sale-subscription==8.0.1
trytond-sale-supply==8.0.1
trytond-sale==8.0.5
trytond-stock-assign-manual==8.0.0
trytond-stock-forecast==8.0.0
trytond-stock-inventory-location==8.0.0
trytond-stock-location-sequence==8.0.0
trytond-stock-lot==8.0.3
trytond-stock-package==8.0.0
trytond-stock-product-location==8.0.0
trytond-stock-quantity-early-planning==8.0.0
trytond-stock-quantity-issue==8.0.0
trytond-stock-shipment-cost==8.0.0
trytond-stock-shipment-measurements==8.0.0
trytond-stock-split==8.0.0
trytond-stock-supply-forecast==8.0.0
trytond-stock-supply-production==8.0.0
trytond-stock-supply==8.0.0
trytond-stock==8.0.5
trytond-timesheet-cost==8.0.0
trytond-timesheet==8.0.0
trytond-user-role==8.0.2
trytond-web-shortener==8.0.0
trytond-web-user==8.0.1
trytond==8.0.12
argon2-cffi==25.1.0
argon2-cffi-bindings==26.2.0
cffi==2.1.1
defusedxml==0.7.1
Genshi==0.7.12
lxml==6.1.3
MarkupSafe==3.0.4
polib==1.2.0
psycopg==3.3.9
psycopg-binary==3.3.9
psycopg-pool==3.3.3
puremagic==1.30
pwdlib==0.3.1
pycparser==3.12
python-dateutil==4.0.0
python-sql==1.8.1
python-stdnum==2.2
relatorio==1.0.0
simpleeval==1.0.8
tzdata==2026.6
Werkzeug==3.1.9
END

python3 -m venv "$dir/venv"
"$dir/venv/bin/pip" install --quiet --requirement "$dir/requirements.txt"

mkdir "$dir/data"
cat > "$dir/trytond.conf" <<END
[database]
uri = $server
path = $dir/data
END
echo admin > "$dir/password"

modules=$(sed -n 's/^trytond-\(.*\)==.*/\1/p' "$dir/requirements.txt" | tr - _)
# shellcheck disable=SC2086
TRYTONPASSFILE="$dir/password" "$dir/venv/bin/trytond-admin" \
    --config "$dir/trytond.conf" --database "$name" \
    --email admin@example.com --activate-dependencies --update $modules
