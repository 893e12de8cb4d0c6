"""Types of requests that views take."""

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.http import HttpRequest

if TYPE_CHECKING:

    class SignedIn(HttpRequest):
        """A request behind ``login_required``: somebody is signed in."""

        user: User

else:
    SignedIn = HttpRequest
