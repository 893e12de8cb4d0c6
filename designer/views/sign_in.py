"""Signing in and out. django-axes counts the failures and, past its limit, hands over to :func:`locked_out`."""

from typing import Any

from axes.helpers import get_cool_off
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext


class SignInForm(AuthenticationForm):
    error_messages = {
        "invalid_login": _("This user name and password do not belong together. Check both and try again."),
        "inactive": _("This account is switched off. An administrator can switch it on again."),
    }


class SignIn(LoginView):
    template_name = "registration/sign_in.html"
    form_class = SignInForm
    redirect_authenticated_user = True


sign_in = SignIn.as_view()


def locked_out(request: HttpRequest, *details: Any) -> HttpResponse:
    """Too many failed tries: say how long to wait. Called by django-axes (AXES_LOCKOUT_CALLABLE); answers 429."""
    pause = get_cool_off(request)
    minutes = max(1, round(pause.total_seconds() / 60)) if pause else 15
    message = ngettext(
        "Too many tries with this user name. Wait %(n)d minute, then try again.",
        "Too many tries with this user name. Wait %(n)d minutes, then try again.",
        minutes,
    ) % {"n": minutes}
    if not request.accepts("text/html"):
        response: HttpResponse = JsonResponse({"code": "too_many_tries", "message": message}, status=429)
    else:
        context = {"form": SignInForm(request), "locked_out": message, "next": request.POST.get("next", "")}
        response = render(request, "registration/sign_in.html", context, status=429)
    response["Retry-After"] = str(minutes * 60)
    return response
