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


class JsonField(TextField):
    """A JSON value, edited as indented text; blank is ``empty``."""

    widget = CodeInput(rows=12)

    def __init__(self, *, empty: Any = None, **options: Any) -> None:
        super().__init__(**options)
        self.empty = empty

    def prepare_value(self, value: Any) -> Any:
        if value is None:
            return ""
        return value if isinstance(value, str) else write_json(value)

    def to_python(self, value: Any) -> Any:
        text = super().to_python(value)
        try:
            return read(text, format="json").value if text else self.empty
        except DocumentError as error:
            raise ValidationError(str(error)) from error

    def has_changed(self, initial: Any, data: Any) -> bool:
        try:
            return bool((initial or self.empty) != self.to_python(data))
        except ValidationError:
            return True


class JsonObjectField(JsonField):
    """A JSON object; blank is an empty one."""

    def __init__(self, **options: Any) -> None:
        super().__init__(empty={}, **options)

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(value or {})

    def to_python(self, value: Any) -> Any:
        found = super().to_python(value)
        if not isinstance(found, dict):
            raise ValidationError('This is a JSON object, such as {"effect": "read"}.')
        return found


def person(request: HttpRequest) -> User | None:
    """Who does it."""
    return request.user if isinstance(request.user, User) else None
