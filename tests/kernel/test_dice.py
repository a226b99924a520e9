"""Dice: fair, unforeseeable, checkable by anyone, and silent about the secret."""

import copy
import hashlib
import inspect
import json
import pickle
import re
import traceback
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foedus.kernel import dice as dice_module
from foedus.kernel.dice import (
    MAX_DICE,
    MAX_SIDES,
    CommittedDice,
    Dice,
    FastDice,
    Mismatch,
    NeedDice,
    NoDice,
    Numbers,
    Roll,
    ToldDice,
    WrongDice,
    commitment,
    verify,
    verify_commitment,
)

SECRET = bytes(range(32))
NUMBERS: Numbers = {"Rome": 1204, "Gauls": 77, "Эпир": b"\x00\xff"}
DOC = Path(__file__).parents[2] / "docs" / "dice.md"


def committed(counter: int = 0, secret: bytes = SECRET, numbers: Numbers = NUMBERS) -> CommittedDice:
    return CommittedDice(secret, numbers, counter)


def all_dice() -> list[Dice]:
    return [committed(), FastDice(1), ToldDice([1] * 10, [0] * 10), NoDice()]


def all_names(dice: Dice) -> str:
    return type(dice).__name__


ROLLING: list[Callable[[], Dice]] = [committed, lambda: FastDice(7)]

purposes = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)
sides_of_dice = st.one_of(st.integers(1, 300), st.integers(1, MAX_SIDES))
seat_numbers = st.dictionaries(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    st.one_of(st.integers(0, 2**256 - 1), st.binary(max_size=64)),
    min_size=1,
    max_size=6,
)


# Every kind


@pytest.mark.parametrize("dice", all_dice(), ids=all_names)
def test_a_draw_that_makes_no_sense_is_refused_and_not_counted(dice: Dice) -> None:
    for purpose, count, sides in [
        ("", 1, 6),
        ("battle", 0, 6),
        ("battle", -1, 6),
        ("battle", MAX_DICE + 1, 6),
        ("battle", 1, 0),
        ("battle", 1, MAX_SIDES + 1),
    ]:
        with pytest.raises(ValueError, match=r"purpose|cannot roll|no die has"):
            dice.roll(purpose, count, sides)
    for purpose, count in [("", 6), ("deck", 0), ("deck", -3), ("deck", MAX_SIDES + 1)]:
        with pytest.raises(ValueError, match=r"purpose|no die has"):
            dice.pick(purpose, count)
    assert dice.counter == 0
    assert dice.told is False


@pytest.mark.parametrize("dice", all_dice(), ids=all_names)
def test_the_counter_and_the_mark_cannot_be_set(dice: Dice) -> None:
    for name in ("counter", "told"):
        with pytest.raises(AttributeError):
            setattr(dice, name, 0)


@pytest.mark.parametrize("make", ROLLING, ids=["committed", "fast"])
def test_every_draw_counts_once_and_is_not_told(make: Callable[[], Dice]) -> None:
    dice = make()
    dice.roll("battle", 5)
    dice.pick("deck", 54)
    dice.roll("siege", 1, 8)
    assert dice.counter == 3
    assert dice.told is False


@pytest.mark.parametrize("make", ROLLING, ids=["committed", "fast"])
def test_the_same_start_gives_the_same_draws(make: Callable[[], Dice]) -> None:
    one, other = make(), make()
    for _ in range(20):
        assert one.roll("battle", 3) == other.roll("battle", 3)
        assert one.pick("deck", 54) == other.pick("deck", 54)


@settings(deadline=None)  # a slow machine is no fault of the dice
@given(purposes, st.integers(1, 40), sides_of_dice)
def test_faces_and_picks_stay_in_range(purpose: str, count: int, sides: int) -> None:
    for make in ROLLING:
        dice = make()
        faces = dice.roll(purpose, count, sides)
        assert len(faces) == count
        assert all(1 <= face <= sides for face in faces)
        assert 0 <= dice.pick(purpose, sides) < sides


@pytest.mark.parametrize("make", ROLLING, ids=["committed", "fast"])
@pytest.mark.parametrize(
    ("sides", "bound"),
    # sides just above half a byte, two thirds of one, nearly one and just above one: where a modulo would show;
    # the bounds are those of chi-square passed once in a thousand times (the draws are fixed: it cannot flake)
    [
        (2, 10.9),
        (6, 20.6),
        (7, 22.5),
        (20, 43.9),
        (129, 182),
        (171, 232),
        (200, 266),
        (255, 328),
        (256, 330),
        (257, 331),
    ],
)
def test_faces_are_uniform(make: Callable[[], Dice], sides: int, bound: float) -> None:
    dice = make()
    seen: Counter[int] = Counter()
    for _ in range(30):
        seen.update(dice.roll("battle", MAX_DICE, sides))
    expected = 30 * MAX_DICE / sides
    assert sum((seen[face] - expected) ** 2 / expected for face in range(1, sides + 1)) < bound


@pytest.mark.parametrize("make", ROLLING, ids=["committed", "fast"])
def test_pairs_within_and_across_rolls_are_uniform(make: Callable[[], Dice]) -> None:
    dice = make()
    rolls = [dice.roll("battle", 2) for _ in range(12_000)]
    within = Counter(rolls)
    across = Counter((first[0], then[0]) for first, then in pairwise(rolls))
    for pairs in (within, across):
        expected = pairs.total() / 36
        assert sum((pairs[a, b] - expected) ** 2 / expected for a in range(1, 7) for b in range(1, 7)) < 66.7


def test_one_side_leaves_no_choice() -> None:
    assert committed().roll("battle", 3, 1) == FastDice(1).roll("battle", 3, 1) == (1, 1, 1)
    assert committed().pick("deck", 1) == FastDice(1).pick("deck", 1) == 0


# Fast


def test_fast_dice_differ_by_seed() -> None:
    assert FastDice(1).roll("battle", 20) != FastDice(2).roll("battle", 20)
    with pytest.raises(ValueError, match="seed"):
        FastDice(-1)


def test_fast_dice_of_a_seed_never_change() -> None:
    assert FastDice(1).roll("battle", 6) == (1, 6, 5, 2, 3, 3)


# Committed


def test_committed_draws_never_change() -> None:
    """Old records are verified with these; a change here needs a new label in the computation."""
    dice = committed(7, numbers={"Rome": 17, "Gauls": 4, "Эпир": b"\x00\xff"})
    assert dice.roll("a", 5, 129) == (40, 6, 55, 42, 36)
    assert dice.roll("битва", 4, 1000) == (832, 722, 157, 806)
    assert dice.pick("c", 2**32) == 1235065169
    assert dice.roll("r", 40)[-4:] == (6, 3, 6, 1)


def test_bytes_too_high_to_divide_evenly_are_thrown_away() -> None:
    """With 129 sides nearly half of the bytes are too high: what is left is the stream without them, in order."""
    shown: dict[str, Any] = {}
    exec(example(), shown)
    text = shown["piece"]("foedus dice roll 1") + shown["piece"](1) + shown["piece"]("Rome") + shown["piece"]("int:5")
    for piece in ("battle", 0, 129, 40):
        text += shown["piece"](piece)
    stream = b"".join(shown["hmac"].digest(SECRET, text + shown["piece"](block), "sha256") for block in range(6))
    kept = [byte + 1 for byte in stream if byte < 129]
    assert len(kept) < len(stream)
    assert list(committed(numbers={"Rome": 5}).roll("battle", 40, 129)) == kept[:40]


def test_purpose_counter_sides_and_count_each_make_another_roll() -> None:
    base = committed(3).roll("battle", 40)
    assert committed(3).roll("siege", 40) != base
    assert committed(4).roll("battle", 40) != base
    assert committed(3).roll("battle", 41)[:40] != base
    assert committed(3).roll("battle", 40, 12) != base
    assert committed(3).roll("battle", 40) == base


def test_purposes_and_counters_do_not_hang_together() -> None:
    """Equal faces come once in six, whether another purpose or another counter is compared."""
    base = [face for n in range(60) for face in committed(n).roll("battle", 100)]
    for other in (
        [face for n in range(60) for face in committed(n).roll("battle ", 100)],
        [face for n in range(1, 61) for face in committed(n).roll("battle", 100)],
    ):
        equal = sum(a == b for a, b in zip(base, other, strict=True))
        assert abs(equal - 1000) < 100  # more than three standard deviations of 29


def test_each_part_of_the_commitment_matters() -> None:
    base = committed().roll("battle", 40)
    changed: list[Numbers] = [
        {**NUMBERS, "Rome": 1205},
        {**NUMBERS, "Gauls": 78},
        {**NUMBERS, "Эпир": b"\x00\xfe"},
        {**NUMBERS, "Эпир": 255},
        {"Rome": 1204, "Gauls": 77},
        {**NUMBERS, "Greeks": 0},
        {"Rome": 77, "Gauls": 1204, "Эпир": b"\x00\xff"},
    ]
    rolls = [committed(numbers=numbers).roll("battle", 40) for numbers in changed]
    rolls.append(committed(secret=bytes(32)).roll("battle", 40))
    assert len({base, *rolls}) == len(rolls) + 1


def test_the_order_in_which_seats_are_listed_does_not_matter() -> None:
    turned = dict(reversed(list(NUMBERS.items())))
    assert committed(numbers=turned).roll("battle", 40) == committed().roll("battle", 40)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": b"", "b": 1}, {"a": b"b", "": 1}),
        ({"ab": b"c"}, {"a": b"bc"}),
        ({"a": 5}, {"a": b"5"}),
        ({"a": 5}, {"a": b"\x05"}),
        ({"a": 12, "b": 3}, {"a": 1, "b": 23}),
    ],
)
def test_no_two_tables_read_alike(one: Numbers, other: Numbers) -> None:
    assert committed(numbers=one).roll("battle", 40) != committed(numbers=other).roll("battle", 40)


@settings(deadline=None)  # a slow machine is no fault of the dice
@given(seat_numbers, st.integers(0, 2**64 - 2), purposes, st.integers(1, 80), sides_of_dice)
def test_the_counter_given_at_the_start_continues_the_game(
    numbers: dict[str, int | bytes], counter: int, purpose: str, count: int, sides: int
) -> None:
    going = committed(counter, numbers=numbers)
    going.roll("before", 1)
    reopened = committed(counter + 1, numbers=numbers)
    assert going.counter == reopened.counter == counter + 1
    if counter + 2 < 2**64:
        assert going.roll(purpose, count, sides) == reopened.roll(purpose, count, sides)


def test_a_pick_is_one_die_less_one() -> None:
    assert committed(5).pick("deck", 54) == committed(5).roll("deck", 1, 54)[0] - 1


def test_a_deck_drawn_lazily_gives_every_card_once() -> None:
    dice, deck, drawn = committed(), list(range(54)), []
    while deck:
        drawn.append(deck.pop(dice.pick("deck", len(deck))))
    assert sorted(drawn) == list(range(54))
    assert drawn != list(range(54))


def test_a_refused_purpose_is_not_counted() -> None:
    dice = committed()
    with pytest.raises(ValueError, match="surrogates"):
        dice.roll("\ud800", 1)
    assert dice.counter == 0


@pytest.mark.parametrize(
    ("numbers", "error", "message"),
    [
        ({}, ValueError, "at least one seat"),
        ({"Rome": -1}, ValueError, "Rome"),
        ({"Rome": 2**256}, ValueError, "Rome"),
        ({"Rome": b"\x07" * 65}, ValueError, "Rome"),
        ({"Rome": True}, TypeError, "Rome"),
        ({"Rome": "17"}, TypeError, "Rome"),
        ({"Rome": 1.5}, TypeError, "Rome"),
        ({"Rome": None}, TypeError, "Rome"),
    ],
)
def test_wrong_numbers_are_refused(numbers: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        CommittedDice(SECRET, numbers)
    with pytest.raises(error, match=message):
        verify(SECRET, numbers, [])


@pytest.mark.parametrize("counter", [-1, 2**64])
def test_wrong_counters_are_refused(counter: int) -> None:
    with pytest.raises(ValueError, match="counter"):
        committed(counter)


# The secret


def forms(secret: bytes) -> list[str]:
    """Ways in which a secret could come to light."""
    return [repr(secret)[2:-1], secret.hex(), str(list(secret))[1:-1], secret.decode("latin-1")]


LOUD = b"this-is-the-secret-of-the-table!"


def test_the_secret_is_not_shown() -> None:
    dice = CommittedDice(LOUD, {"Rome": 987654321})
    dice.roll("battle", 2)
    assert repr(dice) == "<CommittedDice: 1 seats, 1 draws>"
    shown = [repr(dice), str(dice), f"{dice}", repr([dice])]
    for name in CommittedDice.__slots__:
        value = getattr(dice, name)
        shown += [repr(value), str(value)]
        shown += [repr(getattr(value, inner, "")) for inner in getattr(type(value), "__slots__", ())]
    assert not hasattr(dice, "__dict__")
    for text in shown:
        assert not any(form in text for form in forms(LOUD))
        assert "987654321" not in text


def test_the_secret_is_not_in_errors() -> None:
    wrong: list[Callable[[], object]] = [
        lambda: CommittedDice(LOUD[:31], {"Rome": 1}),
        lambda: CommittedDice(LOUD + b"!", {"Rome": 1}),
        lambda: CommittedDice(LOUD.decode(), {"Rome": 1}),  # type: ignore[arg-type]
        lambda: CommittedDice(bytearray(LOUD), {"Rome": 1}),  # type: ignore[arg-type]
        lambda: CommittedDice(LOUD, {}),
        lambda: CommittedDice(LOUD, {"Rome": -987654321}),
        lambda: CommittedDice(LOUD, {"Rome": 1}, -1),
        lambda: CommittedDice(LOUD, {"Rome": 1}).roll("battle", 0),
        lambda: CommittedDice(LOUD, {"Rome": 1}).pick("deck", 0),
        lambda: commitment(LOUD[:31]),
        lambda: commitment(LOUD.decode()),  # type: ignore[arg-type]
        lambda: verify_commitment(LOUD.decode(), ""),  # type: ignore[arg-type]
        lambda: pickle.dumps(CommittedDice(LOUD, {"Rome": 1})),
        lambda: msgspec.json.encode(CommittedDice(LOUD, {"Rome": 1})),
    ]
    for act in wrong:
        with pytest.raises((TypeError, ValueError)) as caught:
            act()
        text = "".join(traceback.format_exception_only(caught.value)) + repr(caught.value.args)
        assert not any(form in text for form in forms(LOUD)), text
        assert LOUD[:31].decode() not in text
        assert "987654321" not in text


@pytest.mark.parametrize(
    "way",
    [
        pickle.dumps,
        lambda dice: pickle.dumps({"dice": dice}, 0),
        copy.copy,
        copy.deepcopy,
        json.dumps,
        msgspec.json.encode,
        msgspec.msgpack.encode,
        msgspec.to_builtins,
    ],
    ids=["pickle", "pickle-0", "copy", "deepcopy", "json", "msgspec", "msgpack", "builtins"],
)
def test_committed_dice_cannot_be_copied_or_written(way: Callable[[object], object]) -> None:
    with pytest.raises(TypeError):
        way(committed())


# The commitment


def test_the_commitment_holds_the_secret_and_no_other() -> None:
    published = commitment(SECRET)
    assert re.fullmatch("[0-9a-f]{64}", published)
    assert published != hashlib.sha256(SECRET).hexdigest()
    assert verify_commitment(SECRET, published)
    assert verify_commitment(SECRET, f" {published.upper()}\n")
    for bit in range(256):
        other = (int.from_bytes(SECRET, "big") ^ 1 << bit).to_bytes(32, "big")
        assert not verify_commitment(other, published)


@pytest.mark.parametrize("published", ["", "0" * 64, "обещание", "\ud800", commitment(SECRET)[:-1]])
def test_another_text_is_not_the_commitment(published: str) -> None:
    assert not verify_commitment(SECRET, published)


def test_a_secret_of_another_length_is_not_the_one() -> None:
    assert not verify_commitment(SECRET[:31], commitment(SECRET))
    assert not verify_commitment(SECRET + b"\x00", commitment(SECRET))


# Verifying


def played(start: int = 0) -> list[Roll]:
    dice = committed(start)
    rolls = []
    for turn in range(4):
        at = dice.counter
        rolls.append(Roll(f"battle {turn}", at, 6, 3, dice.roll(f"battle {turn}", 3)))
        at = dice.counter
        rolls.append(Roll.of_pick("deck", at, 54 - turn, dice.pick("deck", 54 - turn)))
    return rolls


def changed(roll: Roll, **fields: object) -> Roll:
    return msgspec.structs.replace(roll, **fields)


def test_an_honest_record_holds() -> None:
    assert verify(SECRET, NUMBERS, played()) == []
    assert verify(SECRET, NUMBERS, iter(played(40)), start=40) == []
    assert verify(SECRET, NUMBERS, []) == []


def test_a_record_holds_after_being_written_and_read() -> None:
    assert verify(SECRET, NUMBERS, msgspec.json.decode(msgspec.json.encode(played()), type=list[Roll])) == []


def test_a_changed_die_is_named() -> None:
    rolls = played()
    for place in (4, 6):
        first, *rest = rolls[place].result
        rolls[place] = changed(rolls[place], result=(first % 6 + 1, *rest))
    found = verify(SECRET, NUMBERS, rolls)
    assert [(m.place, m.number, m.kind) for m in found] == [(5, 4, "result"), (7, 6, "result")]
    assert found[0].expected == played()[4].result
    recorded, recomputed = (" ".join(map(str, faces)) for faces in (found[0].recorded, found[0].expected))
    assert str(found[0]) == f"draw 4 ('battle 2'): recorded {recorded}, recomputed {recomputed}"


@pytest.mark.parametrize("place", range(8))
def test_every_change_to_a_draw_is_caught(place: int) -> None:
    honest = played()[place]
    one_on = tuple(face % honest.sides + 1 for face in honest.result)
    for fields in (
        {"purpose": honest.purpose + " "},
        {"result": one_on},
        {"result": ()},
        {"result": (*honest.result, 1)},
        {"count": honest.count + 1},
        {"count": honest.count + 1, "result": (*honest.result, 1)},
        {"result": tuple(honest.sides + face for face in honest.result)},
    ):
        rolls = played()
        rolls[place] = changed(honest, **fields)
        found = verify(SECRET, NUMBERS, rolls)
        # a single card may come out the same by luck; the faces here were seen not to
        assert [m.place for m in found] == [place + 1], fields


def test_another_secret_or_another_number_of_a_seat_is_caught() -> None:
    assert verify(bytes(32), NUMBERS, played())[0].number == 0
    assert verify(SECRET, {**NUMBERS, "Gauls": 78}, played())[0].number == 0


def test_a_missing_draw_is_named() -> None:
    rolls = played()
    del rolls[3]
    (gap,) = verify(SECRET, NUMBERS, rolls)
    assert (gap.place, gap.number, gap.kind, gap.expected) == (4, 4, "order", (3,))
    assert str(gap) == "draw 4 ('battle 2'): draw 3 was due here, draws are missing before it"


def test_a_number_used_again_is_named() -> None:
    rolls = played()
    rolls.insert(5, Roll("siege", 2, 6, 1, committed(2).roll("siege", 1)))
    (again,) = verify(SECRET, NUMBERS, rolls)
    assert (again.place, again.number, again.kind, again.expected) == (6, 2, "order", (5,))
    assert str(again) == "draw 2 ('siege'): draw 5 was due here, its number was used before"


def test_a_record_that_begins_too_late_is_named() -> None:
    assert verify(SECRET, NUMBERS, played()[2:])[0].kind == "order"
    assert verify(SECRET, NUMBERS, played(1))[0].kind == "order"


@pytest.mark.parametrize(
    "fields",
    [
        {"sides": 0},
        {"sides": -6},
        {"sides": MAX_SIDES + 1},
        {"count": 0, "result": ()},
        {"count": 10**12},
        {"count": MAX_DICE + 1, "result": (1,) * (MAX_DICE + 1)},
        {"purpose": ""},
        {"purpose": "\ud800"},
    ],
)
def test_draws_no_dice_could_make_are_reported_not_raised(fields: dict[str, object]) -> None:
    rolls = played()
    rolls[2] = changed(rolls[2], **fields)
    (found,) = verify(SECRET, NUMBERS, rolls)
    assert (found.place, found.number, found.kind, found.expected) == (3, 2, "malformed", ())
    assert "draw 2" in str(found)
    str(found).encode()


@pytest.mark.parametrize("number", [-1, 2**64, 10**30])
def test_impossible_numbers_are_reported_not_raised(number: int) -> None:
    found = verify(SECRET, NUMBERS, [Roll("battle", number, 6, 1, (1,))])
    assert [m.kind for m in found] == ["order", "malformed"]


def test_a_mismatch_cannot_draw_on_the_screen() -> None:
    found = Mismatch(1, 0, "\x1b[2J", "malformed", (), ())
    assert "\x1b" not in str(found)


@pytest.mark.parametrize("secret", [b"", SECRET[:31]])
def test_verifying_needs_a_whole_secret(secret: bytes) -> None:
    with pytest.raises(ValueError, match="exactly 32 bytes"):
        verify(secret, NUMBERS, played())


# Told


def test_told_dice_are_taken_in_order() -> None:
    dice = ToldDice()
    dice.tell([6, 4, 4])
    dice.tell_picks([53])
    dice.tell([1])
    assert dice.told is False
    assert dice.roll("battle", 2) == (6, 4)
    assert dice.told is True
    assert dice.pick("deck", 54) == 53
    assert dice.roll("siege", 2) == (4, 1)
    assert dice.counter == 3
    assert not dice.unused()


def test_told_dice_go_on_from_a_counter() -> None:
    dice = ToldDice([3], counter=9)
    dice.roll("battle", 1)
    assert dice.counter == 10
    with pytest.raises(ValueError, match="counter"):
        ToldDice(counter=-1)


def test_nothing_told_asks_for_what_must_be_rolled() -> None:
    dice = ToldDice()
    with pytest.raises(NeedDice) as caught:
        dice.roll("battle: Rome", 3)
    need = caught.value
    assert (need.purpose, need.count, need.sides, need.is_pick, need.have) == ("battle: Rome", 3, 6, False, 0)
    assert str(need) == "battle: Rome: roll 3 dice of 6 sides"
    with pytest.raises(NeedDice) as caught:
        dice.pick("deck", 54)
    need = caught.value
    assert (need.purpose, need.count, need.sides, need.is_pick) == ("deck", 1, 54, True)
    assert str(need) == "deck: pick one of 54, a number from 0 to 53"
    assert dice.counter == 0


def test_too_few_told_asks_and_takes_nothing() -> None:
    dice = ToldDice([6, 4])
    with pytest.raises(NeedDice, match=r"^battle: roll 3 dice of 6 sides \(only 2 told\)$"):
        dice.roll("battle", 3)
    assert dice.unused() == ((6, 4), ())
    dice.tell([2])
    assert dice.roll("battle", 3) == (6, 4, 2)


def test_a_face_the_die_does_not_have_is_refused_and_takes_nothing() -> None:
    dice = ToldDice([2, 7], [54])
    with pytest.raises(WrongDice, match="battle: a die of 6 sides cannot show 7"):
        dice.roll("battle", 2)
    with pytest.raises(WrongDice, match="cannot show 7"):
        dice.roll("battle", 3)
    with pytest.raises(WrongDice, match="deck: cannot pick 54 of 54, only 0 to 53"):
        dice.pick("deck", 54)
    assert dice.counter == 0
    assert dice.told is False
    assert dice.unused() == ((2, 7), (54,))
    assert dice.forget() == ((2, 7), (54,))
    assert not dice.unused()


@pytest.mark.parametrize("wrong", [0, -1, True, 2.0, "6", None])
def test_only_whole_numbers_are_told(wrong: Any) -> None:
    dice = ToldDice()
    with pytest.raises(WrongDice, match="die told must be a whole number from 1"):
        dice.tell([3, wrong])
    with pytest.raises(WrongDice, match="pick told must be a whole number from 0"):
        dice.tell_picks([3, -1 if wrong == 0 and wrong is not True else wrong])
    assert not dice.unused()


def test_dice_do_not_serve_as_picks_nor_picks_as_dice() -> None:
    with pytest.raises(NeedDice):
        ToldDice([1]).pick("deck", 6)
    with pytest.raises(NeedDice):
        ToldDice([], [1]).roll("battle", 1)


def test_what_is_left_over_is_true() -> None:
    assert ToldDice([1]).unused()
    assert ToldDice([], [0]).unused()
    assert not ToldDice().unused()


@settings(deadline=None)  # a slow machine is no fault of the dice
@given(st.lists(st.integers(1, 6), max_size=30), st.data())
def test_told_dice_come_back_as_told(faces: list[int], data: st.DataObject) -> None:
    dice = ToldDice(faces)
    taken: list[int] = []
    while left := len(dice.unused().dice):
        taken += dice.roll("battle", data.draw(st.integers(1, left)))
    assert taken == faces


# None


def test_a_trial_stops_before_chance() -> None:
    dice = NoDice(12)
    with pytest.raises(NeedDice, match=r"^battle: roll 1 die of 6 sides$"):
        dice.roll("battle", 1)
    with pytest.raises(NeedDice, match=r"^deck: pick one of 5"):
        dice.pick("deck", 5)
    assert dice.counter == 12


def test_the_need_for_dice_survives_being_passed_between_processes() -> None:
    need = pickle.loads(pickle.dumps(NeedDice("deck", 1, 54, is_pick=True)))
    assert (need.purpose, need.count, need.sides, need.is_pick, need.have) == ("deck", 1, 54, True, 0)
    assert str(need) == "deck: pick one of 54, a number from 0 to 53"


# What players are told


def example() -> str:
    (block,) = re.findall(r"^```python\n(.*?)^```$", DOC.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return str(block)


def test_the_documented_example_runs_and_needs_nothing_of_ours() -> None:
    assert "foedus." not in example()
    shown: dict[str, Any] = {}
    exec(example(), shown)
    assert shown["commitment"] == commitment(shown["secret"])


@settings(deadline=None)  # a slow machine is no fault of the dice
@given(st.binary(min_size=32, max_size=32), seat_numbers, st.integers(0, 2**64 - 1), st.integers(1, 70), sides_of_dice)
def test_the_documented_way_is_the_way(
    secret: bytes, numbers: dict[str, int | bytes], counter: int, count: int, sides: int
) -> None:
    shown: dict[str, Any] = {}
    exec(example(), shown)
    for purpose in ("battle", "битва: Рим"):
        ours = CommittedDice(secret, numbers, counter).roll(purpose, count, sides)
        assert shown["recompute"](secret, numbers, purpose, counter, count, sides) == ours


def test_the_dice_read_no_clock_and_no_chance_of_the_machine() -> None:
    source = inspect.getsource(dice_module)
    assert not re.search(r"^\s*(?:import|from) (?:os|time|datetime|secrets|uuid|pathlib)\b", source, re.MULTILINE)
