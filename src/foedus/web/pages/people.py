"""People: signing up, in and out, and one's own page."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec
from litestar import Response, get, post
from litestar.datastructures import Cookie
from litestar.exceptions import NotFoundException
from litestar.response import Redirect

from foedus.kernel.rulebook import LANGUAGES
from foedus.table.notices import Kind, NoticeError, NoticeSettings
from foedus.table.people import MIN_PASSWORD, PersonError, TooManyTries
from foedus.web.api.people import signed_in
from foedus.web.pages.games import games, title_of
from foedus.web.pages.site import COLOURS, COLOURS_COOKIE, LANGUAGE_COOKIE, AnyRequest, form_of, language_of, page, tell
from foedus.web.signing_in import session_cookie
from foedus.web.site import person_of, place_of, site_of


def safe_next(told: str) -> str:
    """Where to go on: a path of this site only."""
    return told if told.startswith("/") and not told.startswith(("//", "/\\")) and "\n" not in told else "/tables"


def _form(request: AnyRequest, fault: PersonError | None = None, **typed: str) -> Response[Any]:
    language = language_of(request)
    faults = {}
    if fault is not None:
        faults[fault.field] = [tell(f"problem.{fault.code}", language, **fault.facts)]
    return page(
        request,
        "sign-in.html",
        422 if fault is not None else 200,
        faults=faults,
        name=typed.get("name", ""),
        next=typed.get("next", ""),
        new=typed.get("new", ""),
        least=MIN_PASSWORD,
    )


@get("/sign-in", sync_to_thread=False)
def show_sign_in(request: AnyRequest) -> Response[Any]:
    """The form to sign in, or up."""
    if person_of(request) is not None:
        return Redirect("/me", status_code=303)
    return _form(request, next=request.query_params.get("next", ""), new=request.query_params.get("new", ""))


@post("/sign-in")
async def sign_in(request: AnyRequest) -> Response[Any]:
    """Sign in, or up."""
    form = await form_of(request)
    name, password, new = form.get("name", ""), form.get("password", ""), form.get("new", "")
    site = site_of(request)
    try:
        if new:
            person = await site.people.sign_up(name[:400], password[:1000], language_of(request))
        else:
            person = await site.people.check(name[:400], password[:1000], place_of(request))
    except TooManyTries:
        return _form(
            request, PersonError("too_many_tries", "password"), name=name[:400], next=form.get("next", ""), new=new
        )
    except PersonError as error:
        return _form(request, error, name=name[:400], next=form.get("next", ""), new=new)
    token = await site.people.open_session(person.id)
    cookies = [session_cookie(site.settings, token)]
    if LANGUAGE_COOKIE not in request.cookies:
        cookies.append(Cookie(LANGUAGE_COOKIE, value=person.language, path="/", max_age=31_536_000, samesite="lax"))
    return Redirect(safe_next(form.get("next", "")), status_code=303, cookies=cookies)


@post("/sign-out")
async def sign_out(request: AnyRequest) -> Response[Any]:
    """Sign out."""
    site = site_of(request)
    token = request.scope.get("auth")
    if isinstance(token, str) and token:
        await site.people.close_session(token)
    return Redirect("/", status_code=303, cookies=[session_cookie(site.settings, "")])


@get("/me")
async def show_me(request: AnyRequest) -> Response[Any]:
    """One's own page."""
    return await _me(request)


async def _me(
    request: AnyRequest, typed: dict[str, str] | None = None, faults: dict[str, list[str]] | None = None, done: str = ""
) -> Response[Any]:
    person, site = person_of(request), site_of(request)
    if person is None:
        return Redirect("/sign-in?next=%2Fme", status_code=303)
    settings = await site.notices.settings(person.id)
    quiet = settings.quiet
    known = {
        "to": "\n".join(settings.to),
        "begin": quiet.begin if quiet else "",
        "end": quiet.end if quiet else "",
        "zone": quiet.zone if quiet else "UTC",
        "digest": str(settings.digest or ""),
    }
    return page(
        request,
        "me.html",
        422 if faults else 200,
        tables=await site.tables.listed(person.id),
        titles={game.id: title_of(game.id, language_of(request)) for game in games()},
        schemes=site.notices.schemes,
        kinds=[(kind, kind not in settings.off) for kind in _KINDS],
        typed={**known, **(typed or {})},
        faults=faults or {},
        done=done,
        least=MIN_PASSWORD,
    )


@post("/me")
async def change_me(request: AnyRequest) -> Response[Any]:
    """Change one's language, how one is told, or one's password; or sign out everywhere."""
    person, site, language = signed_in(request), site_of(request), language_of(request)
    form = await form_of(request)
    what = form.get("what")
    if what == "language" and form.get("language") in LANGUAGES:
        await site.people.set_language(person.id, form["language"])
        cookie = Cookie(LANGUAGE_COOKIE, value=form["language"], path="/", max_age=31_536_000, samesite="lax")
        return Redirect("/me", status_code=303, cookies=[cookie])
    if what == "everywhere":
        await site.people.close_sessions(person.id)
        return Redirect("/", status_code=303, cookies=[session_cookie(site.settings, "")])
    if what == "password":
        try:
            await site.people.change_password(
                person, form.get("old", "")[:1000], form.get("new", "")[:1000], place_of(request)
            )
        except TooManyTries:
            return await _me(request, faults={"password": [tell("problem.too_many_tries", language)]})
        except PersonError as error:
            return await _me(request, faults={"password": [tell(f"problem.{error.code}", language, **error.facts)]})
        token = await site.people.open_session(person.id)
        return Redirect("/me", status_code=303, cookies=[session_cookie(site.settings, token)])
    if what == "try":
        fine = await site.notices.try_out(person.id, language)
        if fine:
            return await _me(request, done=tell("people.tried", language))
        return await _me(request, faults={"to": [tell("problem.notice_failed", language)]})
    if what == "notices":
        try:
            await site.notices.change(person.id, _notices(form))
        except NoticeError as error:
            field = error.field.split(".")[-1]
            return await _me(request, form, {field: [tell(f"problem.{error.code}", language, **error.facts)]})
        except msgspec.ValidationError as error:
            found = re.search(r"`\$\.(?:quiet\.)?(\w+)", str(error))
            return await _me(request, form, {found[1] if found else "to": [tell("people.unclear", language)]})
        return await _me(request, done=tell("people.saved", language))
    raise NotFoundException(str(what)[:20])


@post("/colours")
async def set_colours(request: AnyRequest) -> Response[Any]:
    """The colours that a reader likes, remembered in a cookie; nobody has to be signed in for it."""
    form = await form_of(request)
    if form.get("colours") not in COLOURS:
        raise NotFoundException("colours")
    cookie = Cookie(COLOURS_COOKIE, value=form["colours"], path="/", max_age=31_536_000, samesite="lax", httponly=True)
    return Redirect(safe_next(form.get("back", "/")), status_code=303, cookies=[cookie])


def _notices(form: dict[str, str]) -> NoticeSettings:
    """The settings that a form says. Raises `msgspec.ValidationError`."""
    digest = form.get("digest", "").strip() or "0"
    told: dict[str, Any] = {
        "to": [one.strip() for one in form.get("to", "").split("\n") if one.strip()],
        "off": [kind for kind in _KINDS if not form.get(f"kind.{kind}")],
        "digest": int(digest) if digest.isascii() and digest.isdigit() and len(digest) < 7 else digest,
    }
    if form.get("begin") or form.get("end"):
        quiet = {key: form.get(key, "").strip() for key in ("begin", "end")}
        told["quiet"] = {**quiet, "zone": form.get("zone", "").strip() or "UTC"}
    return msgspec.convert(told, NoticeSettings)


_KINDS: tuple[str, ...] = get_args(Kind)
ROUTES = (show_sign_in, sign_in, sign_out, show_me, change_me, set_colours)
