"""What every page shares: language, words, templates, headers, and answers to what goes wrong."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import structlog
from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.runtime import Context
from litestar import Request, Response
from litestar.datastructures import Cookie, UploadFile
from litestar.response import Redirect
from markupsafe import Markup, escape

from foedus.kernel.rulebook import LANGUAGES
from foedus.kernel.words import Words, capital

LANGUAGE_COOKIE: Final = "language"
COLOURS_COOKIE: Final = "colours"
COLOURS: Final = ("usual", "strong", "grey")
"""How a reader likes the pages: as they are, with the strongest contrast, or without colours (patterns and letters tell
the powers apart)."""
_YEAR: Final = 365 * 24 * 3600
_WEB: Final = Path(str(files("foedus.web")))
STATIC: Final = _WEB / "static"
TEMPLATES: Final = _WEB / "templates"
SECURITY_HEADERS: Final[Mapping[str, str]] = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "interest-cohort=()",
}
"""Nothing inline, nothing from elsewhere."""

AnyRequest = Request[Any, Any, Any]
_LOG: Final = structlog.get_logger("foedus.web.pages")


@cache
def texts() -> Mapping[str, Mapping[str, str]]:
    """The words of the pages: "section.key" -> {language: text}."""
    found: dict[str, Mapping[str, str]] = {}
    for file in sorted((_WEB / "texts").glob("*.toml")):
        for section, rows in tomllib.loads(file.read_text(encoding="utf-8")).items():
            for key, row in rows.items():
                if set(row) != set(LANGUAGES):
                    raise ValueError(f"{file.name}: {section}.{key} needs words in {' and '.join(LANGUAGES)}")
                found[f"{section}.{key}"] = row
    return found


@cache
def _words() -> Words:
    return Words({}, {}, texts())


def tell(key: str, language: str, **facts: Any) -> str:
    """The text of a key with its holes filled; numbers agree by `{count#one|few|many}`. Raises `KeyError`."""
    template = texts()[key][language]
    if "{" not in template:
        return template
    kinds = {name: "number" if isinstance(value, int) else "text" for name, value in facts.items()}
    return _words().fill(template, facts, language, kinds)


def language_of(request: AnyRequest) -> str:
    """The language of a page: what the address asks for, else what was chosen before, else what the browser likes."""
    for said in (request.query_params.get("lang"), request.cookies.get(LANGUAGE_COOKIE)):
        if said in LANGUAGES:
            return str(said)
    for part in request.headers.get("accept-language", "").lower().split(","):
        code = part.split(";")[0].strip().split("-")[0]
        if code in LANGUAGES:
            return code
    return LANGUAGES[0]


def colours_of(request: AnyRequest) -> str:
    """The colours that a reader has chosen."""
    told = request.cookies.get(COLOURS_COOKIE, "")
    return told if told in COLOURS else COLOURS[0]


@cache
def version() -> str:
    """A fingerprint of the static files: part of their addresses, so that browsers may keep them for good."""
    digest = hashlib.sha256()
    for file in sorted(STATIC.rglob("*")):
        if file.is_file():
            digest.update(file.read_bytes())
    return digest.hexdigest()[:10]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )

    @pass_context
    def t(context: Context, key: str, **facts: Any) -> str:
        return tell(key, context["language"], **facts)

    @pass_context
    def label(context: Context, section: str, key: str) -> str:
        """The words of a key that a game names; the key itself where the pages have none."""
        name = f"{section}.{key.replace('.', '_')}"
        return tell(name, context["language"]) if name in texts() else capital(key.replace("_", " ").replace(".", " "))

    environment.globals |= {
        "label": label,
        "t": t,
        "asset": lambda name: f"/static/{version()}/{name}",
        "languages": LANGUAGES,
    }
    environment.filters["query"] = lambda found: urlencode(found, doseq=True)
    return environment


def other_language(request: AnyRequest, language: str) -> str:
    """The address of this page in another language."""
    pairs = [(key, value) for key, value in request.query_params.multi_items() if key != "lang"]
    return f"{request.url.path}?{urlencode([*pairs, ('lang', language)])}"


def page(
    request: AnyRequest, template: str, status: int = 200, cookies: Sequence[Cookie] = (), **context: Any
) -> Response[str]:
    """A page: the template filled, in the language of the request, with the headers that keep it safe."""
    language = language_of(request)
    # a page that is not found was asked for by an address that is not to be sent on
    others = [(one, other_language(request, one)) for one in LANGUAGES] if request.method == "GET" else []
    found = {
        "language": language,
        "tongues": others,
        "colours": colours_of(request),
        "path": request.url.path,
        "person": person_of(request),
        "csrf": csrf_of(request),
        **context,
    }
    html = _environment().get_template(template).render(found)
    remembered = list(cookies)
    if request.query_params.get("lang") in LANGUAGES:
        remembered.append(
            Cookie(LANGUAGE_COOKIE, value=language, max_age=_YEAR, path="/", samesite="lax", httponly=True)
        )
    headers = {
        **SECURITY_HEADERS,
        "Vary": "Cookie, Accept-Language",
        "Content-Language": language,
        "Cache-Control": "private, no-cache",
    }
    return Response(
        html, status_code=status, media_type="text/html; charset=utf-8", headers=headers, cookies=remembered
    )


def person_of(request: AnyRequest) -> Any:
    """Who is signed in, or None."""
    return request.scope.get("user")


async def form_of(request: AnyRequest) -> dict[str, str]:
    """What was sent by a form; of several fields of one name the last."""
    found = await request.form()
    return {key: value for key, value in found.multi_items() if isinstance(value, str)}


async def files_of(request: AnyRequest) -> dict[str, tuple[str, bytes]]:
    """The files that were sent by a form: the field -> the file's name and what is in it."""
    found = {}
    for key, value in (await request.form()).multi_items():
        if isinstance(value, UploadFile) and value.filename:
            found[key] = (value.filename[:200], await value.read())
    return found


def csrf_of(request: AnyRequest) -> str:
    """The token that every form with a write carries; "" where the site has none."""
    from litestar.utils.scope.state import ScopeState

    token = ScopeState.from_scope(request.scope).csrf_token
    return token if isinstance(token, str) else ""


def wrong(request: AnyRequest, error: Exception) -> Response[Any]:
    """The page that tells what went wrong: never a trace, always a way on. Who is signed out is sent to sign in."""
    from foedus.web.problems import problem_of

    language = language_of(request)
    problem = problem_of(error, language)
    if problem.status == 401 and request.method == "GET":
        return Redirect(f"/sign-in?{urlencode({'next': request.url.path})}", status_code=303)
    if problem.status >= 500:
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        # neither words nor commands of anybody may stand in a log
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place is not None else ""
        _LOG.error("a page failed", kind=type(error).__name__, where=where, path=request.scope["path"])
    known = problem.status if f"wrong.{problem.status}" in texts() else 400 if problem.status < 500 else 500
    said = "" if problem.type.startswith("http_") or problem.status >= 500 else problem.detail or problem.title
    return page(
        request, "wrong.html", problem.status, code=problem.status, heading=f"wrong.{known}", detail=said[:2000]
    )


__all__ = [
    "COLOURS",
    "COLOURS_COOKIE",
    "LANGUAGES",
    "SECURITY_HEADERS",
    "STATIC",
    "AnyRequest",
    "Markup",
    "escape",
    "files_of",
    "form_of",
    "language_of",
    "page",
    "tell",
    "texts",
    "version",
    "wrong",
]
