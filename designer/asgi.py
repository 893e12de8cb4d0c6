"""The ASGI entry point: uvicorn serves pages, API and live events from it."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "designer.settings")
application = get_asgi_application()
