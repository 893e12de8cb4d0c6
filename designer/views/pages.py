"""Pages about the product itself: how a person likes it, and the style guide."""

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_POST

from designer.frame import TASTES
from designer.style_guide import examples

YEAR = 365 * 86400


@require_POST
def tastes(request: HttpRequest) -> HttpResponse:
    """Keep the theme and the rail's width in cookies, for browsers without scripts; ``next`` is the way back."""
    response = redirect(_way_back(request))
    for name, allowed in TASTES.items():
        value = request.POST.get(name)
        if value is None:
            continue
        if value not in allowed:
            return HttpResponseBadRequest(gettext("%(name)s: this choice does not exist.") % {"name": name})
        response.set_cookie(name, value, max_age=YEAR, samesite="Lax", secure=request.is_secure())
    return response


def _way_back(request: HttpRequest) -> str:
    url = request.POST.get("next", "")
    allowed = url_has_allowed_host_and_scheme(url, {request.get_host()}, require_https=request.is_secure())
    return url if allowed else "/"


@require_GET
def style_guide(request: HttpRequest) -> HttpResponse:
    """Every component in every state. For staff, and for everyone while developing."""
    if not (settings.DEBUG or request.user.is_staff):
        raise Http404
    return render(request, "style_guide.html", examples(request))
