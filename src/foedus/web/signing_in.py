"""How a request is known to come from somebody: a cookie with the token of a session."""

from __future__ import annotations

from typing import Any, Final

from litestar.connection import ASGIConnection
from litestar.datastructures import Cookie
from litestar.middleware import AbstractAuthenticationMiddleware, AuthenticationResult

from foedus.table.people import SESSION_DAYS
from foedus.web.settings import Settings

COOKIE: Final = "foedus_session"


class SessionMiddleware(AbstractAuthenticationMiddleware):
    """Puts the person into the scope as `user` (None: nobody is signed in) and the token as `auth`."""

    async def authenticate_request(self, connection: ASGIConnection[Any, Any, Any, Any]) -> AuthenticationResult:
        """Look the session up."""
        token = connection.cookies.get(COOKIE)
        if not token or len(token) > 100:
            return AuthenticationResult(user=None, auth=None)
        person = await connection.app.state["site"].people.of_session(token)
        return AuthenticationResult(user=person, auth=token if person is not None else None)


def session_cookie(settings: Settings, token: str) -> Cookie:
    """The cookie of a session; "" ends it."""
    return Cookie(
        COOKIE,
        value=token,
        max_age=SESSION_DAYS * 86_400 if token else 0,
        path="/",
        httponly=True,
        samesite="lax",
        secure=settings.secure,
    )


__all__ = ["COOKIE", "SessionMiddleware", "session_cookie"]
