"""The product's URLs with a stand-in for each page of the rail, so that the frame is seen whole."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from designer.urls import urlpatterns as product


def stand_in(request: HttpRequest) -> HttpResponse:
    return render(request, "404.html", {"inbox_count": 3, "workspace_name": "Harbour Theatre"})


NAMES = ("flow-list", "run-list", "inbox", "library", "trigger-list", "settings", "search")
_others = [pattern for pattern in product if getattr(pattern, "name", None) not in NAMES]
urlpatterns = [*(path(f"{name}/", stand_in, name=name) for name in NAMES), *_others]
