"""Notation: one line of text and one command, both ways."""

from __future__ import annotations

import time
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from foedus.kernel.notation import MAX_LINE, MAX_TIMES, Names, Notation, NotationError, fold
from foedus.kernel.unknown import UNKNOWN
from foedus.kernel.values import Command, Powers

from . import toy
from .toy import A, B, L, N

NOTATION, NAMES = toy.NOTATION, toy.NAMES
TABLES = {"power": toy.POWERS, "goods": toy.GOODS}
calm = settings(max_examples=300, deadline=None, database=None)

powers = st.integers(0, 3)
plain = st.text(st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters='"'), max_size=30)
commands: st.SearchStrategy[Command] = st.one_of(
    st.builds(toy.Propose, powers, powers, st.integers(0, 999_999)),
    st.builds(toy.Accept, powers, powers),
    st.builds(toy.Decline, powers, powers, plain),
    st.builds(toy.Withdraw, powers, powers),
    st.builds(toy.Send, powers, powers, st.lists(st.integers(0, 3), min_size=1, max_size=9).map(tuple)),
    st.builds(toy.Tour, powers, powers, powers),
    st.builds(toy.Rest, powers),
    st.builds(toy.Ambush, powers, powers),
    st.builds(toy.Wait, powers),
)


def read(line: str) -> Command:
    return NOTATION.read(line, NAMES)


def wrong(line: str) -> NotationError:
    with pytest.raises(NotationError) as error:
        read(line)
    return error.value


@calm
@given(commands)
@example(toy.Decline(A, B, "salt , please"))
@example(toy.Decline(A, B, " "))
@example(toy.Send(A, B, (1, 2, 2, 1, 1)))
def test_what_is_written_is_read_again(command: Command) -> None:
    assert read(NOTATION.write(command, TABLES)) == command


def test_every_command_of_the_universe_goes_round() -> None:
    lines: dict[str, Command] = {}
    for command in toy.universe():
        line = NOTATION.write(command, TABLES)
        assert read(line) == command
        assert lines.setdefault(line, command) == command


@pytest.mark.parametrize(
    "line, command",
    [
        ("AMB sends salt to BIR", toy.Send(A, B, (0,))),
        ("amb SENDS salt to Birch", toy.Send(A, B, (0,))),
        ("AMB gives BIR salt", toy.Send(A, B, (0,))),
        ("AMB sends iron ore, iron 2, and silk to the Nomads", toy.Send(A, N, (1, 2, 2, 3))),
        ("AMB sends iron iron ore to NOM", toy.Send(A, N, (2, 1))),
        ("AMB sends iron_ore to NOM", toy.Send(A, N, (1,))),
        ("Янтарь sends соль 2, железная руда и ШЕЛК to люди степи", toy.Send(A, N, (0, 0, 1, 3))),
        ("берёза ambushes озеро", toy.Ambush(B, L)),
        ("Береза ambushes Озеро", toy.Ambush(B, L)),
        ("  AMB\toffers  BIR a pact ,paying 3 ", toy.Propose(A, B, 3)),
        ('BIR declines AMB saying "no, never; not for , salt"', toy.Decline(B, A, "no, never; not for , salt")),
        ('BIR declines AMB saying ""', toy.Decline(B, A, "")),
        ("the Lake tours the Nomads Nomads", toy.Tour(L, N, N)),
    ],
)
def test_lines_people_type(line: str, command: Command) -> None:
    assert read(line) == command


def test_the_first_pattern_that_says_all_writes() -> None:
    assert NOTATION.write(toy.Propose(A, B), TABLES) == "AMB offers BIR a pact"
    assert NOTATION.write(toy.Propose(A, B, 3), TABLES) == "AMB offers BIR a pact, paying 3"
    assert NOTATION.write(toy.Send(A, B, (2, 2, 0)), TABLES) == "AMB sends iron 2, salt to BIR"


def test_a_list_is_counted() -> None:
    command = read(f"AMB sends salt {MAX_TIMES} to BIR")
    assert isinstance(command, toy.Send)
    assert command.load == (0,) * MAX_TIMES
    for count in ("0", "101", "999"):
        assert str(wrong(f"AMB sends salt {count} to BIR")).startswith(f"'{count}' is not understood here")
        assert f"a number from 1 to {MAX_TIMES}" in str(wrong(f"AMB sends salt {count} to BIR"))
        assert wrong(f"AMB sends salt {count} to BIR").word == 4
    wrong("AMB sends salt 1000 to BIR")
    wrong("AMB sends salt -1 to BIR")
    wrong("AMB sends salt ² to BIR")


# errors


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    error = wrong("AMD ambushes BIR")
    assert error.word == 1
    assert str(error) == "unknown power 'AMD'; did you mean AMB?"
    error = wrong("AMB sends silc to BIR")
    assert (error.word, str(error)) == (3, "unknown goods 'silc'; did you mean silk?")
    error = wrong("AMB ambushes Nobody")
    assert (error.word, str(error)) == (3, "unknown power 'Nobody'")


def test_an_unknown_word_is_told_with_the_nearest() -> None:
    error = wrong("AMB ambushs BIR")
    assert error.word == 2
    assert "'ambushs' is not understood here" in str(error)
    assert "did you mean ambushes?" in str(error)


def test_too_little_and_too_much() -> None:
    error = wrong("AMB ambushes")
    assert (error.word, str(error)) == (3, "the line ends too early; next could come a power")
    assert "'from'" in str(wrong("AMB withdraws"))
    error = wrong("AMB rests well")
    assert (error.word, str(error)) == (3, "'well' is more than the line needs")
    assert wrong("").message == "the line is empty"
    assert wrong(" \t ").message == "the line is empty"


def test_a_line_number_stands_before_the_message() -> None:
    assert str(NotationError("what", 2, 7)) == "line 7: what"


@pytest.mark.parametrize(
    "line", [",", ",,,,", "; , ;", "- - -", "and", "и", '"', '""', '"""', "{power}", "AMB", "\x00"]
)
def test_lines_of_nothing(line: str) -> None:
    wrong(line)


@pytest.mark.parametrize("line", ['"', '"no', 'no"', '"no" "', '"no" never', "no"])
def test_a_text_needs_both_its_quotes(line: str) -> None:
    wrong(f"BIR declines AMB saying {line}")


@pytest.mark.parametrize("number", ["-1", "1.5", "9999999", "١", "²", "1_0", "0x1", "one"])
def test_numbers_are_plain(number: str) -> None:
    assert wrong(f"AMB offers BIR a pact, paying {number}").word > 5


def test_lists_need_names_between_their_separators() -> None:
    wrong("AMB sends , salt to BIR")
    wrong("AMB sends to BIR")
    wrong("AMB sends salt, to BIR x")
    with pytest.raises(NotationError):
        read("AMB sends salt")


def test_long_lines_are_refused_at_once() -> None:
    assert f"longer than {MAX_LINE}" in wrong("AMB " * MAX_LINE).message
    assert len(str(wrong("x" * MAX_LINE))) < 400


@pytest.mark.parametrize("piece", ["salt ", "salt, ", "iron ", "iron ore ", "AMB sends ", '" ', ", ", "1 ", "и "])
def test_no_line_takes_long(piece: str) -> None:
    for start in ("AMB sends ", "", "AMB tours "):
        began = time.perf_counter()
        wrong((start + piece * MAX_LINE)[:MAX_LINE])
        assert time.perf_counter() - began < 1


@calm
@given(
    st.text(max_size=60) | st.lists(st.sampled_from(["AMB", "sends", "salt", "to", ",", "2", '"', "и"])).map(" ".join)
)
def test_any_text_is_a_command_or_a_clear_error(line: str) -> None:
    with suppress(NotationError):
        command = read(line)
        assert read(NOTATION.write(command, TABLES)) == command


def test_what_cannot_be_said_is_not_written() -> None:
    with pytest.raises(NotationError, match="no notation says Ambush"):
        NOTATION.write(toy.Ambush(A, UNKNOWN), TABLES)
    with pytest.raises(NotationError, match="no notation says Send"):
        NOTATION.write(toy.Send(A, B, ()), TABLES)
    only = Notation({toy.Propose: ("{power} offers {to} a pact",)})
    with pytest.raises(NotationError, match="no notation says Propose"):
        only.write(toy.Propose(A, B, 1), TABLES)


def test_fixed_fields_are_read_and_written() -> None:
    only = Notation({toy.Send: (("{power} gives {to} silk", {"load": (3,)}),)})
    assert only.write(toy.Send(A, B, (3,)), TABLES) == "AMB gives BIR silk"
    assert only.read("AMB gives BIR silk", NAMES) == toy.Send(A, B, (3,))
    with pytest.raises(NotationError):
        only.write(toy.Send(A, B, (2,)), TABLES)


def test_folding() -> None:
    assert fold("Ёлка_’Х’ ") == "елка 'х'"
    names = Names({"Santa Cruz": 1, "Santa": 2}, ("Santa Cruz",))
    assert list(names.read(["santa", "CRUZ", "x"], 0)) == [(1, 2), (2, 1)]
    assert list(names.read(["x"], 0)) == []
    assert list(names.read(["santa"], 1)) == []


def test_patterns_that_cannot_be_read_are_faults_of_the_game() -> None:
    class Marks(Command, frozen=True):
        which: Powers

    with pytest.raises(ValueError, match="Rest has no field 'powr'"):
        Notation({toy.Rest: ("{powr} rests",)})
    with pytest.raises(ValueError, match="does not say by"):
        Notation({toy.Accept: ("{power} accepts",)})
    with pytest.raises(ValueError, match="a hole twice"):
        Notation({toy.Accept: ("{power} accepts {power} of {by}",)})
    Marks.__annotations__ = {"which": Powers}
    with pytest.raises(ValueError, match="a mask for a hole"):
        Notation({Marks: ("{power} marks {which}",)})
