from uuid import UUID

from django.http import HttpRequest, HttpResponse


def inbox(request: HttpRequest) -> HttpResponse:
    return HttpResponse("")


def task(request: HttpRequest, task_id: UUID) -> HttpResponse:
    return HttpResponse("")
