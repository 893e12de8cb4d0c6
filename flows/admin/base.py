"""What the admin's classes of this app share."""

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.http import HttpRequest

from flows.text import DocumentError, read, write_json

if TYPE_CHECKING:  # generic for the type checker alone: at run time Django's classes take no parameter
    ModelAdmin = admin.ModelAdmin[Any]
    ModelForm = forms.ModelForm[Any]
    TextField = forms.CharField
else:
    ModelAdmin, ModelForm, TextField = admin.ModelAdmin, forms.ModelForm, forms.CharField

STYLES = {"all": ["flows/admin.css"]}


class CodeInput(forms.Textarea):
    """A large field for YAML or JSON in letters of one width."""

    def __init__(self, rows: int) -> None:
        super().__init__({"rows": rows, "class": "flows-code", "spellcheck": "false", "wrap": "off"})


class ReadOnlyAdmin(ModelAdmin):
    """Records: to be looked at, never changed by hand."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False


class JsonObjectField(TextField):
    """A JSON object, edited as indented text; blank is an empty object."""

    widget = CodeInput(rows=12)

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else write_json(value or {})

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value) or "{}"
        try:
            found = read(text, format="json").value
        except DocumentError as error:
            raise ValidationError(str(error)) from error
        if not isinstance(found, dict):
            raise ValidationError('This is a JSON object, such as {"effect": "read"}.')
        return found

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or {}) != self.to_python(data))
        except ValidationError:
            return True


def person(request: HttpRequest) -> User | None:
    """Who does it."""
    return request.user if isinstance(request.user, User) else None
