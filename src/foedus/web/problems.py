"""What goes wrong, as problem+json (RFC 9457): a reason that a person can use, in the language of the request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec
import structlog
from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from foedus.kernel.codec import CodecError
from foedus.kernel.dice import WrongDice
from foedus.kernel.faults import said
from foedus.kernel.game import UnknownGame
from foedus.kernel.notation import NotationError
from foedus.kernel.record import RecordError
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.sketch import SketchError
from foedus.kernel.verdict import NotYours
from foedus.table.acting import NotAllowed
from foedus.table.ledger import LedgerError
from foedus.table.live import KeyUsed, NoSuchTable, TableState
from foedus.table.notices import NoticeError
from foedus.table.people import PersonError, TooManyTries
from foedus.table.seats import NoSuchInvitation
from foedus.table.store.engine import StoreDown
from foedus.table.tables import SpecError
from foedus.web.access import Forbidden

MEDIA: Final = "application/problem+json"
_log = structlog.get_logger("foedus.web")


class Problem(msgspec.Struct, omit_defaults=True):
    """A problem: `type` names its kind for programs, `detail` says it for people."""

    type: str
    status: int
    title: str
    detail: str = ""
    field: str = ""
    ruling: Any = None
    errors: Any = None


def _words(key: str, language: str, **facts: Any) -> str:
    from foedus.web.pages.site import tell, texts

    return tell(key, language, **facts) if key in texts() else key.rpartition(".")[2].replace("_", " ")


def _coded(status: int) -> Callable[[Any, str], Problem]:
    def make(error: Any, language: str) -> Problem:
        facts = getattr(error, "facts", {})
        detail = _words(f"problem.{error.code}", language, **facts)
        return Problem(error.code, status, detail, field=getattr(error, "field", ""))

    return make


def _said(type: str, status: int) -> Callable[[Any, str], Problem]:
    def make(error: Any, language: str) -> Problem:
        text = said(error, language)
        return Problem(type, status, _words(f"problem.{type}", language), text, getattr(error, "field", ""))

    return make


def _plain(type: str, status: int) -> Callable[[Any, str], Problem]:
    return lambda error, language: Problem(type, status, _words(f"problem.{type}", language))


def _not_allowed(error: NotAllowed, language: str) -> Problem:
    ruling = error.ruling
    if ruling.verdict.allowed:  # what stands against it is not for this seat to know
        return Problem("hidden", 409, _words("problem.hidden", language))
    return Problem("refused", 409, _words("problem.refused", language), ruling.text, ruling=ruling.data)


def _validation(error: ValidationException, language: str) -> Problem:
    errors = [
        {"field": str(one.get("key", "")), "text": str(one.get("message", ""))[:300]}
        for one in (error.extra if isinstance(error.extra, list) else [])
        if isinstance(one, dict)
    ]
    return Problem("invalid", 400, _words("problem.invalid", language), errors=errors or None)


_KINDS: Final[dict[type[Exception], Callable[[Any, str], Problem]]] = {
    NoSuchTable: _plain("no_such_table", 404),
    NoSuchInvitation: _plain("no_such_invitation", 404),
    Forbidden: lambda error, language: _coded(401 if error.code == "signed_out" else 403)(error, language),
    TableState: _coded(409),
    PersonError: _coded(422),
    NoticeError: _coded(422),
    TooManyTries: _plain("too_many_tries", 429),
    SpecError: _said("spec", 422),
    UnknownGame: _said("unknown_game", 422),
    NotationError: _said("notation", 422),
    CodecError: _said("command", 422),
    LedgerError: _said("ledger", 422),
    WrongDice: _said("dice", 422),
    RulebookError: _said("ruling", 422),
    SketchError: _said("sketch", 422),
    RecordError: _said("record", 422),
    KeyUsed: _plain("key_used", 422),
    NotYours: _plain("not_yours", 409),
    NotAllowed: _not_allowed,
    ValidationException: _validation,
    StoreDown: _plain("store_down", 503),
    RecursionError: _plain("invalid", 400),  # a body nested too deep
}


def problem_of(error: Exception, language: str) -> Problem:
    """The problem that an exception is."""
    for kind in type(error).__mro__:
        make = _KINDS.get(kind)
        if make is not None:
            return make(error, language)
    if isinstance(error, HTTPException) and error.status_code < 500:
        type_ = f"http_{error.status_code}"
        return Problem(type_, error.status_code, _words(f"problem.{type_}", language), str(error.detail)[:300])
    return Problem("fault", 500, _words("problem.fault", language))


def language_asked(request: Request[Any, Any, Any]) -> str:
    """The language of an answer: the parameter `lang`, else what the caller likes."""
    told = request.query_params.get("lang")
    if told in ("en", "ru"):
        return str(told)
    for part in request.headers.get("accept-language", "").lower().split(","):
        code = part.split(";")[0].strip().split("-")[0]
        if code in ("en", "ru"):
            return code
    return "en"


def answer(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The answer to a request that failed."""
    found = problem_of(error, language_asked(request))
    if found.status >= 500:
        # neither words nor commands of anybody may stand in a log
        place = error.__traceback__
        while place is not None and place.tb_next is not None:
            place = place.tb_next
        where = f"{place.tb_frame.f_code.co_filename}:{place.tb_lineno}" if place is not None else ""
        _log.error("failed", kind=type(error).__name__, where=where)
    headers = dict(getattr(error, "headers", None) or {})
    if found.status == 503:
        headers["Retry-After"] = "2"
    return Response(msgspec.json.encode(found), status_code=found.status, media_type=MEDIA, headers=headers)


__all__ = ["MEDIA", "Problem", "answer", "language_asked", "problem_of"]
