"""API tokens: who is signed in as what, and the button that ends it."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import ngettext

from designer.models import ApiToken
from designer.tokens import revoke


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # the stubs alone know it
    """Read-only: a token is made by signing in through the API, and only its digest is known here."""

    list_display = ("user", "created_at", "expires_at", "refresh_expires_at", "used_at", "revoked_at")
    list_filter = ["revoked_at", "expires_at"]
    search_fields = ["user__username"]
    list_select_related = ["user"]
    actions = ["revoke_selected"]
    fields = list_display
    readonly_fields = list_display

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @admin.action(description="Revoke selected API tokens", permissions=["change"])
    def revoke_selected(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        """Ends them now; the programs that hold them have to sign in again."""
        count = revoke(queryset)
        self.message_user(
            request,
            ngettext("%d API token was revoked.", "%d API tokens were revoked.", count) % count,
            messages.SUCCESS,
        )
