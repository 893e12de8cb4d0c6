"""Telling people by mail."""

import smtplib
from collections.abc import Iterable

from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend

from engine.models import Notice
from engine.notices.result import SENT, Tried, not_now, refused, unknown
from engine.notices.words import Words, message_id
from flows.models import NotificationTarget

FOR_GOOD = 500
"""Replies from here on are final (RFC 5321, 4.2.1)."""


def send(target: NotificationTarget, notice: Notice) -> Tried:
    """Send one mail to all addresses. Before the connection stands nothing can have arrived; behind it only a reply of the server
    says that nothing has."""
    words = Words(notice, target.language)
    headers = {"Message-ID": message_id(notice), "Auto-Submitted": "auto-generated"}
    mail = EmailMessage(words.subject(), words.body(), to=target.recipients, headers=headers)
    connection = get_connection()
    try:
        connection.open()
    except smtplib.SMTPAuthenticationError as error:
        return refused(f"The mail server lets nobody in: {error}")
    except (OSError, smtplib.SMTPException) as error:
        return not_now(f"The mail server cannot be reached: {error}")
    try:
        connection.send_messages([mail])
    except smtplib.SMTPRecipientsRefused as error:
        return _refused((code for code, _ in error.recipients.values()), error)
    except smtplib.SMTPResponseException as error:
        return _refused([error.smtp_code], error)
    except (OSError, smtplib.SMTPException) as error:
        return unknown(f"The connection to the mail server broke: {error}")
    finally:
        _leave(connection)
    return SENT


def _refused(codes: Iterable[int], error: Exception) -> Tried:
    is_final = all(code >= FOR_GOOD for code in codes)
    return (refused if is_final else not_now)(f"The mail server refuses: {error}")


def _leave(connection: BaseEmailBackend) -> None:
    """A server that hangs up before the good-bye has had the mail all the same."""
    try:
        connection.close()
    except (OSError, smtplib.SMTPException):
        return
