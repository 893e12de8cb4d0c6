"""The settings of django-q2 that the cluster is built for; pure, so that the project's settings may call it."""

from typing import Any

QUEUE_NAME = "sultana"


def cluster_settings(workers: int, *, recycle: int = 5000, using: str = "default") -> dict[str, Any]:
    """The value of ``Q_CLUSTER``.

    ``workers``: worker processes of one cluster. ``recycle``: tasks after which a worker is replaced by a fresh one.
    ``using``: the database alias that holds the queue; it must be the one that holds the runs, so that a message
    commits together with what it announces.
    """
    return {
        "name": QUEUE_NAME,
        "broker_class": "engine.cluster.broker.FlowBroker",
        "orm": using,
        "workers": workers,
        "recycle": recycle,
        # The engine retries, django-q2 never does: a failed message counts as delivered.
        "ack_failures": True,
        "max_attempts": 1,
        # Hints carry timeout=-1; these two only keep a message that is being worked on from being delivered again.
        "timeout": 300,
        "retry": 3600,
        # Success rows would cost a transaction each; nothing reads them.
        "save_limit": -1,
        # Its scheduler is up to 30 s late and one bad row blocks the others: the engine's timekeeper does that work.
        "scheduler": False,
        "catch_up": False,
        # A small prefetch: few messages wait behind a long body, few come twice after a crash.
        "queue_limit": 4,
        "bulk": 2,
        "guard_cycle": 0.5,
        "poll": 0.05,
    }


def cluster_logging() -> dict[str, Any]:
    """The value of ``LOGGING``: one line an event on standard error, warnings only from django-q2.

    django-q2 adds a handler of its own to a logger without one, hence an explicit handler for "django-q".
    """
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": {"format": "{asctime} {levelname:<7} {name}: {message}", "style": "{"}},
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {
            "django-q": {"handlers": ["console"], "level": "WARNING", "propagate": False},
            "django.request": {"level": "ERROR"},  # a page that is not found is an everyday thing
            **{
                name: {"level": "WARNING"} for name in ("httpx", "httpcore")
            },  # else they tell what is sent and answered
            **{name: {"level": "INFO"} for name in ("flows", "engine", "designer")},
        },
    }
