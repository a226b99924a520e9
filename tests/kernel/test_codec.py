"""The codec: structs and plain data, both ways, and errors that name the place."""

from __future__ import annotations

import json
import typing
from contextlib import suppress
from types import UnionType
from typing import Annotated, Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foedus.kernel.codec import Codec, CodecError, hidden, kind_of_field
from foedus.kernel.dice import FastDice
from foedus.kernel.flow import KERNEL_EVENTS, Changes, FrameChanged, FramePushed, Rolled, Sealed, SealedFrame
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import Answer, Command, Event, Frame, Power, Powers, bits

from . import toy
from .toy import A, B, L, N

REFEREE = toy.referee()
CODEC = REFEREE.codec
SIZES = {kind: len(names) for kind, names in REFEREE.world.names.items()}
calm = settings(max_examples=60, deadline=None, database=None)


def values(annotation: Any) -> st.SearchStrategy[Any]:
    """Anything that a field of that annotation may hold."""
    kind = kind_of_field(annotation)
    if kind is not None:
        if any(meta.extra.get("mask") for meta in annotation.__metadata__):
            return st.integers(-1, 2 ** SIZES[kind] - 1)
        return st.sampled_from([UNKNOWN, NONE, *range(SIZES[kind])])
    if annotation is Changes:
        return st.lists(changes(), max_size=4).map(tuple)
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is tuple and arguments[-1] is Ellipsis:
        return st.lists(values(arguments[0]), max_size=4).map(tuple)
    if origin is tuple:
        return st.tuples(*(values(one) for one in arguments))
    if origin in (typing.Union, UnionType):
        return st.one_of(*(st.none() if one is type(None) else values(one) for one in arguments))
    plain = {int: st.integers(-(2**40), 2**40), bool: st.booleans(), str: st.text(max_size=8)}
    if annotation in plain:
        return plain[annotation]
    members = {Command: toy.COMMANDS, Frame: toy.FRAMES}.get(annotation, (annotation,))
    return st.one_of(*(structs(one) for one in members))


def changes() -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(toy.State, include_extras=True)
    found = []
    for name, annotation in hints.items():
        if hidden(annotation):
            continue
        found.append(st.tuples(st.just(name), st.just(-1), values(annotation)))
        if typing.get_origin(annotation) is tuple:
            found.append(st.tuples(st.just(name), st.integers(0, 3), values(typing.get_args(annotation)[0])))
    return st.one_of(*found)


def structs(cls: type) -> st.SearchStrategy[Any]:
    hints = typing.get_type_hints(cls, include_extras=True)
    given_: dict[str, st.SearchStrategy[Any]] = {
        field.name: st.just(REFEREE.world) if hidden(hints[field.name]) else values(hints[field.name])
        for field in msgspec.structs.fields(cls)
    }
    return st.builds(cls, **given_)


BASES: dict[type, type] = {
    **dict.fromkeys(toy.COMMANDS, Command),
    **dict.fromkeys((*KERNEL_EVENTS, *toy.EVENTS), Event),
    **dict.fromkeys((SealedFrame, *toy.FRAMES), Frame),
}


@pytest.mark.parametrize("cls", BASES, ids=lambda cls: cls.__name__)
def test_every_struct_goes_round(cls: type) -> None:
    @calm
    @given(structs(cls))
    def goes_round(value: Any) -> None:
        data = CODEC.encode(value)
        assert data["do"] == cls.__name__
        again = CODEC.decode(json.loads(json.dumps(data)), BASES[cls])
        assert again == value
        assert type(again) is cls

    goes_round()


@calm
@given(structs(toy.State))
def test_every_state_goes_round(state: toy.State) -> None:
    data = CODEC.encode(state)
    assert "world" not in data
    assert CODEC.decode(json.loads(json.dumps(data)), toy.State) == state


def test_what_it_looks_like() -> None:
    assert CODEC.encode(toy.Send(A, B, (1, 2))) == {
        "do": "Send",
        "power": "AMB",
        "to": "BIR",
        "load": ["iron ore", "iron"],
    }
    assert CODEC.encode(toy.Propose(A, B)) == {"do": "Propose", "power": "AMB", "to": "BIR"}
    assert CODEC.encode(toy.BorderSet(1 << B | 1 << N)) == {"do": "BorderSet", "closed": ["BIR", "NOM"]}
    assert CODEC.encode(toy.BorderSet(0)) == {"do": "BorderSet", "closed": []}
    assert CODEC.encode(toy.BorderSet(UNKNOWN)) == {"do": "BorderSet", "closed": "?"}
    assert CODEC.encode(toy.Drawn(A, UNKNOWN)) == {"do": "Drawn", "power": "AMB", "card": "?"}
    assert CODEC.encode(toy.Drawn(A, NONE)) == {"do": "Drawn", "power": "AMB", "card": None}
    assert CODEC.encode(Rolled("duel", 3, 6, 2, (4, 1), True)) == {
        "do": "Rolled",
        "purpose": "duel",
        "counter": 3,
        "sides": 6,
        "count": 2,
        "result": [4, 1],
        "told": True,
    }


def test_a_frame_within_an_event_says_what_it_is() -> None:
    frame = toy.Caravan(1 << L | 1 << N, (Answer(N, 2, toy.Ambush(N, A)), Answer(L, 2, None)), A, B, (3,))
    data = CODEC.encode(FramePushed(frame))
    assert data == {
        "do": "FramePushed",
        "frame": {
            "do": "Caravan",
            "asked": ["LAK", "NOM"],
            "answers": [
                {"power": "NOM", "seat": "LN", "command": {"do": "Ambush", "power": "NOM", "on": "AMB"}},
                {"power": "LAK", "seat": "LN", "command": None},
            ],
            "owner": "AMB",
            "to": "BIR",
            "load": ["silk"],
        },
    }
    assert CODEC.decode(data, Event) == FramePushed(frame)
    assert CODEC.decode(CODEC.encode(FrameChanged(frame)), Event) == FrameChanged(frame)
    sealed = Sealed(Answer(N, 2, toy.Wait(N)))
    assert CODEC.decode(CODEC.encode(sealed), Event) == sealed


def test_a_whole_position_goes_round() -> None:
    state = REFEREE.start(dice=FastDice(3)).state
    state = REFEREE.act(state, toy.Propose(A, B, 1)).state
    state = REFEREE.act(state, toy.Send(A, B, (0,))).state
    again = CODEC.decode(json.loads(json.dumps(CODEC.encode(state))), toy.State)
    assert again == state
    view = REFEREE.view(state, 1)
    assert CODEC.decode(CODEC.encode(view), toy.State) == view


@pytest.mark.parametrize(
    "data, base, message",
    [
        ({"do": "Sent"}, Command, "Command: unknown command 'Sent'; did you mean Send?"),
        ({"do": 1}, Command, "Command: an object with the key 'do' is needed"),
        ({}, Event, "Event: an object with the key 'do' is needed"),
        ([], Event, "Event: an object with the key 'do' is needed"),
        (None, Event, "Event: an object with the key 'do' is needed"),
        ({"do": "Rest"}, Event, "Event: unknown event 'Rest'"),
        ({"do": "Rest"}, Command, "Rest: 'power' is missing"),
        ({"do": "Rest", "power": "AMD"}, Command, "Rest.power: unknown power 'AMD'; did you mean AMB?"),
        ({"do": "Rest", "power": 1}, Command, "Rest.power: unknown power '1'"),
        ({"do": "Rest", "power": ["AMB"]}, Command, "Rest.power: unknown power"),
        ({"do": "Rest", "power": "AMB", "powr": 1}, Command, "Rest: unknown key 'powr'; did you mean power?"),
        ({"do": "Accept", "power": "AMB", "of": "BIR"}, Command, "Accept: unknown key 'of'"),
        ({"do": "Propose", "power": "AMB", "to": "BIR", "gold": "1"}, Command, "Propose.gold: int is needed, not '1'"),
        ({"do": "Propose", "power": "AMB", "to": "BIR", "gold": True}, Command, "Propose.gold: int is needed"),
        ({"do": "Propose", "power": "AMB", "to": "BIR", "gold": 1.0}, Command, "Propose.gold: int is needed"),
        ({"do": "Decline", "power": "AMB", "by": "BIR", "words": 1}, Command, "Decline.words: str is needed"),
        ({"do": "Send", "power": "AMB", "to": "BIR", "load": "salt"}, Command, "Send.load: a list is needed"),
        ({"do": "Send", "power": "AMB", "to": "BIR", "load": ["salt", "sild"]}, Command, "Send.load[1]: unknown goods"),
        ({"do": "BorderSet", "closed": "AMB"}, Event, "BorderSet.closed: a list of names of power is needed"),
        ({"do": "BorderSet", "closed": ["AMB", "?"]}, Event, "BorderSet.closed[1]: the name of a power is needed"),
        ({"do": "BorderSet", "closed": [None]}, Event, "BorderSet.closed[0]: the name of a power is needed"),
        ({"do": "BorderSet", "closed": ["AMB", "BIRR"]}, Event, "BorderSet.closed[1]: unknown power 'BIRR'"),
        (
            {"do": "FramePushed", "frame": {"do": "Dual"}},
            Event,
            "FramePushed.frame: unknown frame 'Dual'; did you mean Duel",
        ),
        (
            {"do": "Sealed", "answer": {"power": "AMB", "seat": "SA", "command": {"do": "Rest", "power": "X"}}},
            Event,
            "Sealed.answer.command.power: unknown power 'X'",
        ),
        ({"do": "Sealed", "answer": 1}, Event, "Sealed.answer: an object is needed"),
        ({"rulings": [], "turn": "x"}, toy.State, "turn: int is needed"),
        ({"trun": 1}, toy.State, "State: unknown key 'trun'; did you mean turn?"),
        ({"rulings": [], "frames": [{"do": "Turn"}, {"do": "Duel"}]}, toy.State, "frames[1]: 'attacker' is missing"),
        ({"turn": 1}, toy.State, "State: 'rulings' is missing"),
        ({"world": 1, "rulings": []}, toy.State, "State: unknown key 'world'"),
        (7, toy.State, "State: an object is needed"),
    ],
)
def test_errors_name_the_place_and_the_nearest(data: Any, base: type, message: str) -> None:
    with pytest.raises(CodecError) as error:
        CODEC.decode(data, base)
    assert str(error.value).startswith(message)


@calm
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.text(max_size=5)
        | st.sampled_from(["AMB", "?", "Turn", "Sealed"]),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["do", "power", "frame", "answer", "load", "closed"]), inner, max_size=4)
        ),
        max_leaves=10,
    ),
    st.sampled_from([Command, Event, Frame, toy.State]),
)
def test_any_data_is_read_or_refused_clearly(data: Any, base: type) -> None:
    with suppress(CodecError):
        value = CODEC.decode(data, base)
        assert CODEC.decode(CODEC.encode(value), base) == value


def test_other_shapes() -> None:
    class Inner(msgspec.Struct, frozen=True):
        who: Power
        also: tuple[int, str] = (0, "")

    class Outer(msgspec.Struct, frozen=True):
        pairs: tuple[tuple[Power, Power], ...] = ()
        one: Inner | None = None
        many: Powers = 0
        rest: Any = None
        secret: Annotated[int, msgspec.Meta(extra={"hidden": True})] = 5

    Outer.__annotations__ = {
        "pairs": tuple[tuple[Power, Power], ...],
        "one": Inner | None,
        "many": Powers,
        "rest": Any,
        "secret": Annotated[int, msgspec.Meta(extra={"hidden": True})],
    }
    Inner.__annotations__ = {"who": Power, "also": tuple[int, str]}
    codec = Codec({"power": toy.POWERS}, {})
    value = Outer(((A, B), (L, UNKNOWN)), Inner(N, (3, "x")), 5, {"x": [1]})
    data = codec.encode(value)
    assert data == {
        "pairs": [["AMB", "BIR"], ["LAK", "?"]],
        "one": {"who": "NOM", "also": [3, "x"]},
        "many": ["AMB", "LAK"],
        "rest": {"x": [1]},
    }
    assert codec.decode(data, Outer) == value
    assert codec.encode(Outer()) == {}
    with pytest.raises(CodecError, match="2 values are needed"):
        codec.decode({"one": {"who": "AMB", "also": [1]}}, Outer)


def test_bits_of_a_mask() -> None:
    assert bits(0) == ()
    assert bits(0b1011) == (0, 1, 3)
    assert bits(1 << 200) == (200,)
    with pytest.raises(ValueError, match="unknown"):
        bits(UNKNOWN)


def test_two_of_one_name_are_a_fault() -> None:
    with pytest.raises(ValueError, match="two kinds of event are named Sealed"):
        Codec({}, {Event: (Sealed, type("Sealed", (Event,), {}, frozen=True))})
