#!/bin/sh
# Application: Oscar (django-oscar, an online shop framework for Django), version 4.2.1
# Package:     django-oscar 4.2.1 from PyPI, with Django 5.2.19
# Licence:     BSD-3-Clause
# Upstream:    https://github.com/django-oscar/django-oscar
# usage: make.sh URL-of-an-EMPTY-database      (PostgreSQL, e.g. postgresql://user@host:5432/name)
#
# Writes a minimal Django project (all of Oscar's own apps, the default e-mail user of Django, the default
# thumbnailer), migrates it, and fills in the list of countries with Oscar's own command.
set -eu

[ $# -eq 1 ] || { echo "usage: $0 URL-of-an-EMPTY-database" >&2; exit 2; }
DATABASE_URL=$1
export DATABASE_URL

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
trap 'exit 1' HUP INT TERM
cd "$dir"

python3 -m venv venv
./venv/bin/python -m pip install --quiet --disable-pip-version-check \
    'django-oscar==4.2.1' 'Django==5.2.19' 'psycopg2-binary==2.9.13' \
    'sorl-thumbnail==12.11.0' 'pycountry==26.2.16' \
    'django-treebeard==7.0.3' 'django-haystack==3.4.0' 'django-tables2==2.7.0' \
    'django-extra-views==0.16.0' 'django-phonenumber-field==8.5.0' 'phonenumbers==9.0.43' \
    'django-widget-tweaks==1.5.1' 'pillow==13.0.0' 'babel==2.19.0' 'purl==1.6' 'factory_boy==3.3.3'

cat >settings.py <<'PY'
import os
from urllib.parse import parse_qsl, unquote, urlsplit

from oscar import INSTALLED_APPS as OSCAR_APPS
from oscar.defaults import *  # noqa: F401,F403

url = urlsplit(os.environ["DATABASE_URL"])
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(url.path.lstrip("/")),
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": url.hostname or "",
        "PORT": str(url.port or ""),
        "OPTIONS": dict(parse_qsl(url.query)),
        "ATOMIC_REQUESTS": True,
    }
}
BASE_DIR = os.path.dirname(os.path.abspath(__file__))
SECRET_KEY = "only-for-the-migrations"
SITE_ID = 1
USE_TZ = True
TIME_ZONE = "UTC"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = OSCAR_APPS + ["sorl.thumbnail"]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.contrib.flatpages.middleware.FlatpageFallbackMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTHENTICATION_BACKENDS = (
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
)
HAYSTACK_CONNECTIONS = {"default": {"ENGINE": "haystack.backends.simple_backend.SimpleEngine"}}
STATIC_URL = "/static/"
MEDIA_ROOT = os.path.join(BASE_DIR, "media")
MEDIA_URL = "/media/"
ROOT_URLCONF = "urls"
OSCAR_INITIAL_ORDER_STATUS = "Pending"
OSCAR_INITIAL_LINE_STATUS = "Pending"
PY

cat >urls.py <<'PY'
from django.apps import apps
from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include(apps.get_app_config("oscar").urls[0])),
]
PY

DJANGO_SETTINGS_MODULE=settings
PYTHONPATH=$dir
export DJANGO_SETTINGS_MODULE PYTHONPATH

./venv/bin/python -m django migrate --no-input --verbosity 0
./venv/bin/python -m django oscar_populate_countries --initial-only
