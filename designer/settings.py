"""Settings of the whole project, read from the environment once, at the start.

Every value has a default that is safe for a first try on one machine. A value that makes no sense stops the
start with a message that names the variable.
"""

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import environ
from csp import constants as csp
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from engine.cluster.config import cluster_logging, cluster_settings

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()

DEBUG = env.bool("SULTANA_DEBUG", default=False)
VAR_DIR = Path(env.str("SULTANA_VAR_DIR", default=str(BASE_DIR / "var")))


def _secret_key() -> str:
    """The signing key: from the environment, else made once and kept beside the data."""
    from django.core.management.utils import get_random_secret_key

    given: str = env.str("SULTANA_SECRET_KEY", default="")
    if given:
        return given
    file = VAR_DIR / "secret_key"
    if not file.exists():
        VAR_DIR.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(get_random_secret_key())
    return file.read_text().strip()


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = env.list("SULTANA_ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("SULTANA_TRUSTED_ORIGINS", default=[])

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "django_filters",
    "django_q",
    "flows",
    "engine",
    "designer",
    "demo",
]

MIDDLEWARE = [
    "designer.api.middleware.json_errors",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "designer.middleware.reader_time_zone",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "designer.urls"
ASGI_APPLICATION = "designer.asgi.application"
SULTANA_WEB_THREADS = env.int("SULTANA_WEB_THREADS", default=8)
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "designer.frame.frame",
            ]
        },
    }
]

# --- the database: SQLite in WAL mode unless SULTANA_DATABASE_URL names a PostgreSQL -----------------------------


def database(url: str) -> dict[str, Any]:
    """Django's settings for one database URL, with what durable runs need on each engine."""
    config: dict[str, Any] = dict(env.db_url_config(url))
    config["CONN_MAX_AGE"] = None
    if "sqlite" in config["ENGINE"]:
        # IMMEDIATE: a read that turns into a write fails at once in a deferred transaction, whatever the time-out.
        config["OPTIONS"] = {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-16000",
        }
    else:
        config["CONN_HEALTH_CHECKS"] = True
        options = config.setdefault("OPTIONS", {})
        options["prepare_threshold"] = 5  # used by the engine's own statements
        # The default is for disks that turn; with it a list walks through all runs where an index has the wanted ones.
        options.setdefault("options", "-c random_page_cost=1.1")
    return config


DATABASES = {"default": database(env.str("SULTANA_DATABASE_URL", default=f"sqlite:///{VAR_DIR / 'sultana.sqlite3'}"))}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- runs --------------------------------------------------------------------------------------------------------

SULTANA_DRIVE_SECONDS = env.float("SULTANA_DRIVE_SECONDS", default=10.0)
"""After this long a drive hands its run back to the queue, if others wait for a worker."""
SULTANA_CALL_LIMIT_MS = env.float("SULTANA_CALL_LIMIT_MS", default=600_000.0)
"""Deadline of a call whose step sets no ``timeout_ms``; compensations too."""
SULTANA_OUTPUT_LIMIT = env.int("SULTANA_OUTPUT_LIMIT", default=1_048_576)
"""Largest input of a run and largest output of a step, in bytes of JSON."""
SULTANA_HTTP_ALLOWED_HOSTS = env.list("SULTANA_HTTP_ALLOWED_HOSTS", default=["*"])
"""Hosts that HTTP functions may call: ``*`` for every public address; names, ``.example.org`` for all below one, addresses and
networks for those behind the firewall, which are refused unless they stand here."""

SULTANA_RESUME_WAIT_SECONDS = env.float("SULTANA_RESUME_WAIT_SECONDS", default=5.0)
"""How long a request to resume a run waits for what must be undone first, to tell whether that failed."""


def _public_url() -> str:
    """Where people reach the site, for links in mails; without a slash at its end."""
    given: str = env.str("SULTANA_PUBLIC_URL", default="http://localhost:8000").rstrip("/")
    try:
        parts = urlsplit(given)
        is_fine = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_fine = False
    if not is_fine or parts.query or parts.fragment:
        raise ImproperlyConfigured("SULTANA_PUBLIC_URL is an address such as https://flows.example.org.")
    return given


SULTANA_PUBLIC_URL = _public_url()

SULTANA_TEMPLATE_FOLDERS = env.list("SULTANA_TEMPLATE_FOLDERS", default=[str(BASE_DIR / "demo" / "flows")])
"""Folders whose flows are offered as a start for new ones."""

# --- mail --------------------------------------------------------------------------------------------------------


def _mail() -> dict[str, Any]:
    """Django's settings for the mail server. Until there is one, the workers print what they would send."""
    try:
        return dict(env.email_url("SULTANA_EMAIL_URL", default="consolemail://"))
    except (ImproperlyConfigured, ValueError) as error:
        raise ImproperlyConfigured(
            f"SULTANA_EMAIL_URL is no address such as smtp+tls://user:pw@host:587: {error}"
        ) from error


mail = _mail()
EMAIL_BACKEND = mail["EMAIL_BACKEND"]
EMAIL_FILE_PATH = mail["EMAIL_FILE_PATH"] or None
EMAIL_HOST, EMAIL_PORT = mail["EMAIL_HOST"] or "localhost", mail["EMAIL_PORT"] or 25
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = mail["EMAIL_HOST_USER"] or "", mail["EMAIL_HOST_PASSWORD"] or ""
EMAIL_USE_TLS, EMAIL_USE_SSL = mail.get("EMAIL_USE_TLS", False), mail.get("EMAIL_USE_SSL", False)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = env.str("SULTANA_EMAIL_FROM", default=f"sultana@{urlsplit(SULTANA_PUBLIC_URL).hostname}")

# --- people ------------------------------------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = 0.25  # hours
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_LOCKOUT_CALLABLE = "designer.views.sign_in.locked_out"
API_TOKEN_LIFETIME = timedelta(hours=1)
API_REFRESH_LIFETIME = timedelta(days=14)
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "sign-in"

# --- the API -----------------------------------------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "designer.api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_PARSER_CLASSES": ["designer.api.parsers.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "designer.api.errors.handle",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Sultana",
    "DESCRIPTION": "Start flows, follow their runs, answer tasks. Errors have one shape: see the schema `Error`.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "ENUM_NAME_OVERRIDES": {
        "InstanceStatus": "engine.states.Status",
        "TaskStatus": "engine.states.TaskStatus",
        "WaitKind": "engine.states.WaitKind",
    },
}

# --- language and time -------------------------------------------------------------------------------------------

LANGUAGE_CODE = "en"
LANGUAGES = [("en", _("English")), ("de", _("German"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True

# --- files -------------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = VAR_DIR / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # whitenoise warns about a missing one
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True  # served from where they are: no collectstatic before the first start

# --- the queue and its worker processes --------------------------------------------------------------------------

Q_CLUSTER = cluster_settings(env.int("SULTANA_WORKERS", default=2))
LOGGING = cluster_logging()

# --- what a page may load: only what we serve; nothing inline, nothing from elsewhere ----------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [csp.SELF],
        "script-src": [csp.SELF],
        "style-src": [csp.SELF],
        "img-src": [csp.SELF, "data:"],
        "object-src": [csp.NONE],
        "base-uri": [csp.SELF],
        "form-action": [csp.SELF],
        "frame-ancestors": [csp.NONE],
    }
}
