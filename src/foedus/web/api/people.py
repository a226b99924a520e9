"""Signing up, in and out."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from litestar import Response, delete, get, post, put
from litestar.params import JSONBody
from litestar.status_codes import HTTP_200_OK

from foedus.table.people import MAX_NAME, MAX_PASSWORD, Person
from foedus.web.access import Forbidden
from foedus.web.problems import language_asked
from foedus.web.signing_in import session_cookie
from foedus.web.site import AnyRequest, person_of, place_of, site_of


class Credentials(msgspec.Struct, forbid_unknown_fields=True):
    """A name and a password."""

    name: Annotated[str, msgspec.Meta(max_length=4 * MAX_NAME)]
    password: Annotated[str, msgspec.Meta(max_length=2 * MAX_PASSWORD)]


class NewPassword(msgspec.Struct, forbid_unknown_fields=True):
    """A new password, and the old one."""

    old: Annotated[str, msgspec.Meta(max_length=2 * MAX_PASSWORD)]
    new: Annotated[str, msgspec.Meta(max_length=2 * MAX_PASSWORD)]


class Me(msgspec.Struct, forbid_unknown_fields=True):
    """What a person says of himself: the language in which he is written to."""

    language: Literal["en", "ru"]


def signed_in(request: AnyRequest) -> Person:
    """Who is signed in. Raises `Forbidden`."""
    person = person_of(request)
    if person is None:
        raise Forbidden("signed_out")
    return person


@post("/people", operation_id="sign_up")
async def sign_up(request: AnyRequest, data: JSONBody[Credentials]) -> Response[dict[str, Any]]:
    """Sign up, and in."""
    site = site_of(request)
    person = await site.people.sign_up(data.name, data.password, language_asked(request))
    token = await site.people.open_session(person.id)
    found = {"person": msgspec.to_builtins(person)}
    return Response(found, status_code=201, cookies=[session_cookie(site.settings, token)])


@post("/session", operation_id="sign_in", status_code=HTTP_200_OK)
async def sign_in(request: AnyRequest, data: JSONBody[Credentials]) -> Response[dict[str, Any]]:
    """Sign in."""
    site = site_of(request)
    person = await site.people.check(data.name, data.password, place_of(request))
    token = await site.people.open_session(person.id)
    found = {"person": msgspec.to_builtins(person)}
    return Response(found, cookies=[session_cookie(site.settings, token)])


@get("/session", operation_id="who_am_i")
async def who_am_i(request: AnyRequest) -> dict[str, Any]:
    """Who is signed in; null if nobody is."""
    return {"person": msgspec.to_builtins(person_of(request))}


@delete("/session", operation_id="sign_out", status_code=HTTP_200_OK)
async def sign_out(request: AnyRequest) -> Response[dict[str, Any]]:
    """Sign out."""
    site = site_of(request)
    token = request.scope.get("auth")
    if token:
        await site.people.close_session(token)
    return Response({"person": None}, cookies=[session_cookie(site.settings, "")])


@put("/me", operation_id="change_me")
async def change_me(request: AnyRequest, data: JSONBody[Me]) -> dict[str, Any]:
    """Change one's language."""
    person = signed_in(request)
    await site_of(request).people.set_language(person.id, data.language)
    return {"person": {**msgspec.to_builtins(person), "language": data.language}}


@put("/me/password", operation_id="change_password")
async def change_password(request: AnyRequest, data: JSONBody[NewPassword]) -> Response[dict[str, Any]]:
    """Change one's password; every other session ends."""
    site, person = site_of(request), signed_in(request)
    await site.people.change_password(person, data.old, data.new, place_of(request))
    token = await site.people.open_session(person.id)
    return Response({"person": msgspec.to_builtins(person)}, cookies=[session_cookie(site.settings, token)])


@delete("/me/sessions", operation_id="sign_out_everywhere", status_code=HTTP_200_OK)
async def sign_out_everywhere(request: AnyRequest) -> Response[dict[str, Any]]:
    """Sign out wherever one is signed in."""
    site = site_of(request)
    await site.people.close_sessions(signed_in(request).id)
    return Response({"person": None}, cookies=[session_cookie(site.settings, "")])


ROUTES = [sign_up, sign_in, who_am_i, sign_out, change_me, change_password, sign_out_everywhere]
