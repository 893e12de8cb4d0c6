"""The product's URLs with a stand-in for each page of the rail, so that the frame is seen whole."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path

from designer.urls import urlpatterns as product


def stand_in(request: HttpRequest) -> HttpResponse:
    return render(request, "404.html", {"inbox_count": 3, "workspace_name": "Harbour Theatre"})


NAMES = ("flow-list", "run-list", "inbox", "library", "trigger-list", "settings", "search")
_known = {pattern.name for pattern in product if hasattr(pattern, "name")}
urlpatterns = [*product, *(path(f"{name}/", stand_in, name=name) for name in NAMES if name not in _known)]
