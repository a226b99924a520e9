"""Talks beside the game: the channels of a seat, what is said in one of them, and what the house rule says to it."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.response import Redirect

from foedus.table import talks
from foedus.table.live import TableState
from foedus.web.access import Act, allow
from foedus.web.api.tables import keyed
from foedus.web.pages.site import AnyRequest, form_of, page, tell
from foedus.web.pages.table import Seen, common_of, seen
from foedus.web.pages.times import moment
from foedus.web.problems import problem_of
from foedus.web.site import id_of

_MOST = 100


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 9 else None


@get("/tables/{id:str}/talks")
async def show_talks(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """The channels of the viewer, and one of them opened."""
    found = await seen(request, id)
    channel = _number(request.query_params.get("channel", "0"))
    return await _show(request, found, channel or 0, before=_number(request.query_params.get("before", "")))


async def _show(
    request: AnyRequest,
    found: Seen,
    channel: int,
    *,
    before: int | None = None,
    typed: str = "",
    faults: dict[str, list[str]] | None = None,
) -> Response[Any]:
    live, language = found.live, found.language
    common = await common_of(request, found)
    told = await talks.channels(live, found.viewer, live.clock())
    open_ = next((one for one in told["channels"] if one["channel"] == channel), None)
    if open_ is None:
        raise NotFoundException(str(channel))
    messages = await talks.messages(live, found.viewer, channel, before, _MOST)
    if found.acts and messages and before is None and open_["read"] < open_["said"]:
        await live.do(talks.mark_read(found.viewer, id_of(request) or 0, channel, open_["said"]))
    rule = told.get("secret")
    others = [name for name in live.seats if name != found.viewer]
    return page(
        request,
        "talks.html",
        422 if faults else 200,
        **common,
        channel=channel,
        channels=[
            (
                one["channel"],
                _title(found, one["seats"], one["channel"]),
                max(0, one["said"] - one["read"]) if found.acts and one["channel"] != channel else 0,
            )
            for one in told["channels"]
        ],
        heading=_title(found, open_["seats"], channel),
        messages=[
            (one["number"], found.seat_name(one["seat"]), moment(one["time"]), one["text"], one["seat"] == found.viewer)
            for one in messages
        ],
        earlier=messages[0]["number"] if messages and messages[0]["number"] > 1 else None,
        companions=[(name, found.seat_name(name)) for name in others] if found.acts else [],
        rule=_rule(rule, language),
        may_speak=found.acts and (channel == talks.TABLE or bool(rule and rule["now"])),
        typed=typed,
        faults=faults or {},
        most=talks.MAX_TEXT,
    )


def _title(found: Seen, seats: list[str], channel: int) -> str:
    if channel == talks.TABLE:
        return tell("talk.table", found.language)
    return ", ".join(found.seat_said(seat) for seat in seats if seat != found.viewer)


def _rule(rule: dict[str, Any] | None, language: str) -> list[str]:
    """What the house rule on secret talks says, in sentences."""
    if rule is None:
        return []
    said = [tell(f"talk.rule_{rule['rule']}", language)]
    if not rule["now"] and rule.get("why"):
        said.append(tell(f"problem.{rule['why']}", language))
    if rule.get("until"):
        said.append(tell("talk.until", language, moment=moment(rule["until"])))
    if rule.get("left") is not None:
        said.append(tell("talk.left", language, count=int(rule["left"])))
    return said


@post("/tables/{id:str}/talks")
async def say(request: AnyRequest, id: FromPath[str]) -> Response[Any]:
    """A seat says something in a channel, or opens one with others."""
    form = await request.form()
    plain = await form_of(request)
    found = await seen(request, id, plain.get("seat") or "-")
    person = id_of(request)
    allow(found.live, person, Act.PLAY, found.viewer)
    channel = _number(plain.get("channel", "0")) or 0
    try:
        if plain.get("open"):
            others = [one for one in form.getall("with", []) if isinstance(one, str)][:40]
            opened = await found.live.do(talks.open_channel(found.viewer, person or 0, others))
            return Redirect(found.at("talks", channel=opened["channel"]), status_code=303)
        text = plain.get("text", "")
        if len(text) > talks.MAX_TEXT:
            fault = tell("talk.too_long", found.language, count=len(text), most=talks.MAX_TEXT)
            return await _show(request, found, channel, typed=text[:20_000], faults={"text": [fault]})
        key = keyed(plain.get("key", "")[:100], found.viewer, f"say {channel}", text)
        await found.live.do(talks.say(found.viewer, person or 0, channel, text), key)
    except TableState as error:
        fault = problem_of(error, found.language).title
        where = "with" if plain.get("open") else "text"
        known = channel if error.code != "no_such_channel" else 0
        return await _show(request, found, known, typed=plain.get("text", ""), faults={where: [fault]})
    return Redirect(found.at("talks", channel=channel) + "#last", status_code=303)


ROUTES = (show_talks, say)
