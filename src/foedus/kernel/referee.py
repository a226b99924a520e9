"""The referee: judges, lists choices, carries out, replays, and shows each seat what it may know."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from foedus.kernel.codec import Codec
from foedus.kernel.dice import Dice, NeedDice, NoDice, ToldDice
from foedus.kernel.flow import (
    KERNEL_EVENTS,
    Action,
    Corrected,
    Decision,
    Group,
    Kept,
    Sealed,
    SealedFrame,
    differences,
    veil,
    veil_event,
)
from foedus.kernel.game import Game
from foedus.kernel.notation import Names
from foedus.kernel.rules import Facts, Guard
from foedus.kernel.unknown import Unknown
from foedus.kernel.values import Answer, Command, Event
from foedus.kernel.verdict import (
    ALLOWED,
    DEPENDS,
    REFUSED,
    Consequences,
    NotYours,
    Open,
    Reason,
    Refused,
    Remedy,
    Verdict,
)

_MOST_TRIES = 400
"""How many completions of an unknown position a rule or a course is tried on before it is said to depend."""
_MOST_TRIALS = 256
"""How many positions are remembered on which acts were tried."""
_MOST_STEPS = 100_000
"""How many steps a flow may take by itself; more is a fault of the game."""


Sifter = tuple[Callable[[Any, Any], Any], tuple[Callable[[Any, Any], Any], ...], Guard]
"""A guard as lists ask it: its function, the functions of the exceptions to it, and itself."""
Sifters = tuple[Sifter, ...]
Shelved = tuple[Any, tuple[Any, ...], list[Command], tuple[Command, ...], dict[Command, int]]
"""A kept part of a list: world, key, allowed commands, those it was less then, and where each command stands."""
Sieve = tuple[Sifters, Sifters, Sifters]


class EndlessFlow(RuntimeError):
    """A game's flow goes on without awaiting anybody: a fault of its code."""


class Outcome(msgspec.Struct, frozen=True):
    """What an act gave: the state after it and the events that led there."""

    state: Any
    events: tuple[Event, ...]


def _it_bites(state: Any, act: Any) -> bool:
    """A wide guard of which a list knows that it bites."""
    return True


def _excused(state: Any, act: Any, exceptions: tuple[Callable[[Any, Any], Any], ...]) -> bool:
    """Does one of the exceptions to a guard that bites apply?"""
    return any(exception(state, act) is not None for exception in exceptions)


class Referee:
    """Applies one game's rules on one board with one number of players.

    Holds no position: every method takes a state and none changes it. `knocked_out` clauses are left out of the
    rules, which shows what they do (coverage).
    """

    def __init__(self, game: Game, world: Any, names: Mapping[str, Names], knocked_out: Iterable[str] = ()) -> None:
        off = frozenset(knocked_out)
        self.game = game
        self.world = world.without(off) if off else world
        self.names = names
        rules = game.rules.without(off) if off else game.rules
        self._guards, self._exceptions, self._plain = rules.by_act()
        self._sieves: tuple[Any, dict[type, Sieve]] = (None, {})
        self._sieves_by_rulings: dict[Any, dict[type, Sieve]] = {}
        self._shelf: dict[Any, Shelved] = {}
        self._drafts: dict[Any, tuple[Any, tuple[Any, ...], Sequence[Command]]] = {}
        self._tried: dict[int, tuple[Any, dict[Any, bool]]] = {}
        self._awaited: tuple[Any, tuple[Decision, ...]] = (None, ())
        self._codec: Codec | None = None

    @property
    def codec(self) -> Codec:
        """The codec for this world's names."""
        if self._codec is None:
            self._codec = self.game.codec(self.world)
        return self._codec

    # positions

    def start(self, rulings: Mapping[str, str] | None = None, dice: Dice | None = None) -> Outcome:
        """The first position, played on until somebody must decide."""
        state = self.game.start(self.world, self.game.rulebook.choose(rulings or {}))
        dice = dice or NoDice()
        action = Action(state, dice)
        mark = dice.mark() if isinstance(dice, ToldDice) else None
        try:
            self.settle(action)
        except Exception:
            if mark is not None and isinstance(dice, ToldDice):
                dice.give_back(mark)
            raise
        return Outcome(action.state, tuple(action.events))

    def sketch(self, data: Mapping[str, Any], text: str = "") -> Any:
        """A position from a few facts. `text` is the source, for line numbers in errors (`SketchError`)."""
        return self.game.read_sketch(self.world, data, text)

    def replay(self, state: Any, events: Iterable[Event]) -> Any:
        """The state after the events: applied only, never judged or rolled."""
        for event in events:
            state = event.apply(state)
        return state

    # judging

    def judge(self, state: Any, command: Command, _left: list[int] | None = None) -> Verdict:
        """The verdict on a command, with every reason. Changes nothing."""
        reasons: list[Reason] = []
        grants: list[Reason] = []
        open_: list[Open] = []
        part = self.game.parts.get(type(command))
        if part is not None:
            found = part(state, command)
            if found is not None:
                reasons.append(found)
        entailed = self.game.entails.get(type(command))
        if entailed is None:
            self._judge_act(state, command, reasons, grants, open_)
        else:
            last = None
            try:
                for at, act in entailed(state, command):
                    if reasons and at is not last:
                        break  # it would never come to that
                    last = at
                    self._judge_act(at, act, reasons, grants, open_)
            except Unknown as unknown:
                if not reasons:
                    return self._by_answers(state, command, unknown, _left or [_MOST_TRIES])
        if len(open_) > 1 and not reasons:
            reasons = self._refused_anyhow(state, command, open_, _left or [_MOST_TRIES])
        if reasons:
            return Verdict(REFUSED, command, tuple(dict.fromkeys(reasons)), (), self._later(state))
        if open_:
            return Verdict(DEPENDS, command, (), tuple(dict.fromkeys(open_)), self._later(state))
        return Verdict(ALLOWED, command, tuple(dict.fromkeys(grants)), (), self._later(state))

    def _judge_act(self, state: Any, act: Any, reasons: list[Reason], grants: list[Reason], open_: list[Open]) -> None:
        kind = type(act)
        for guard in self._guards.get(kind, ()):
            try:
                found = guard.function(state, act)
                if found is None:
                    continue
                excepted = self._excepted(state, act, kind, guard.clause)
            except Unknown as unknown:
                self._explore(state, act, guard, unknown, reasons, open_)
                continue
            if excepted is None:
                reasons.append(Reason(guard.clause, found))
            else:
                grants.append(excepted)
        if not reasons:
            for permission in self._plain.get(kind, ()):
                try:
                    found = permission.function(state, act)
                except Unknown:
                    continue  # a citation only: what it needs to know decides nothing
                if found is not None:
                    grants.append(Reason(permission.clause, found))

    def _excepted(self, state: Any, act: Any, kind: type, clause: str) -> Reason | None:
        for permission in self._exceptions.get((kind, clause), ()):
            found = permission.function(state, act)
            if found is not None:
                return Reason(permission.clause, found)
        return None

    def _bites(self, state: Any, act: Any, guard: Any) -> Facts | None:
        found: Facts | None = guard.function(state, act)
        if found is not None and self._excepted(state, act, type(act), guard.clause) is not None:
            return None
        return found

    def _explore(
        self, state: Any, act: Any, guard: Any, unknown: Unknown, reasons: list[Reason], open_: list[Open]
    ) -> None:
        """Try every answer to what is unknown: only where they differ does the verdict depend on it."""
        tries = [0]
        some: list[Facts] = []

        def outcomes(at: Any, question: Unknown, depth: int) -> set[bool]:
            found: set[bool] = set()
            if not question.options or depth > 6:
                return {True, False}
            for option in question.options:
                tries[0] += 1
                if tries[0] > _MOST_TRIES:
                    return {True, False}
                assumed = self.game.assume(at, question.what, question.subject, option)
                try:
                    bite = self._bites(assumed, act, guard)
                except Unknown as deeper:
                    found |= outcomes(assumed, deeper, depth + 1)
                else:
                    if bite is not None:
                        some.append(bite)
                    found.add(bite is not None)
            return found

        all_options: list[int] = []
        total: set[bool] = set()
        if not unknown.options:
            total = {True, False}
        for option in unknown.options:
            assumed = self.game.assume(state, unknown.what, unknown.subject, option)
            try:
                bite = self._bites(assumed, act, guard)
            except Unknown as deeper:
                result = outcomes(assumed, deeper, 1)
            else:
                if bite is not None:
                    some.append(bite)
                result = {bite is not None}
            if result == {True}:
                all_options.append(option)
            total |= result
        if total == {True}:
            reasons.append(Reason(guard.clause, some[0] if some else ()))
        elif True in total:
            open_.append(
                Open(
                    guard.clause,
                    unknown.what,
                    unknown.subject,
                    unknown.options,
                    tuple(all_options),
                    some[0] if some else (),
                )
            )

    def _by_answers(self, state: Any, command: Command, unknown: Unknown, left: list[int]) -> Verdict:
        """The verdict where the course of the command depends on what is unknown: each answer is judged."""
        later = self._later(state)
        found: list[tuple[int, Verdict]] = []
        for option in unknown.options:
            assumed = self.game.assume(state, unknown.what, unknown.subject, option)
            left[0] -= 1
            if left[0] <= 0 or assumed == state:
                break  # too many completions, or the answer says nothing
            found.append((option, self.judge(assumed, command, left)))
        kinds = {verdict.kind for _, verdict in found}
        if len(kinds) == 1 and DEPENDS not in kinds and len(found) == len(unknown.options):
            cited = dict.fromkeys(reason for _, verdict in found for reason in verdict.reasons)
            if ALLOWED in kinds:
                cited = {one: None for one in cited if all(one in verdict.reasons for _, verdict in found)}
            return Verdict(kinds.pop(), command, tuple(cited), (), later)
        biting = tuple(option for option, verdict in found if verdict.kind == REFUSED)
        causes: list[Reason | Open] = []
        for _, verdict in found:
            if not verdict.allowed:
                causes += (*verdict.reasons, *verdict.open)
        clause, why = (causes[0].clause, causes[0].facts) if causes else ("", ())
        question = Open(clause, unknown.what, unknown.subject, unknown.options, biting, why)
        deeper = [one for _, verdict in found for one in verdict.open] if kinds == {DEPENDS} else []
        return Verdict(DEPENDS, command, (), tuple(dict.fromkeys((question, *deeper))), later)

    def _refused_anyhow(self, state: Any, command: Command, open_: list[Open], left: list[int]) -> list[Reason]:
        """The reasons, if several clauses hang on one question and whatever the answer one of them bites."""
        asked = [(one.what, one.subject) for one in open_]
        shared = next((one for one in open_ if one.options and asked.count((one.what, one.subject)) > 1), None)
        if shared is None:
            return []
        found: list[Reason] = []
        for option in shared.options:
            assumed = self.game.assume(state, shared.what, shared.subject, option)
            left[0] -= 1
            if left[0] <= 0 or assumed == state:
                return []
            verdict = self.judge(assumed, command, left)
            if verdict.kind != REFUSED:
                return []
            found.extend(verdict.reasons)
        return found

    def permitted(self, state: Any, command: Command) -> bool:
        """Would `judge` allow it? The quick answer, for lists."""
        entailed = self.game.entails.get(type(command))
        if entailed is None:
            return self._clear(state, command)
        try:
            for at, act in entailed(state, command):
                if not (self._clear(at, act) if at is state else self._clear_on_trial(at, act)):
                    return False
        except Unknown:
            return self.judge(state, command).allowed
        return True

    def _clear(self, state: Any, act: Any) -> bool:
        for function, exceptions, guard in self._sieve(state, type(act))[2]:
            try:
                if function(state, act) is not None and not (exceptions and _excused(state, act, exceptions)):
                    return False
            except Unknown as unknown:
                reasons: list[Reason] = []
                open_: list[Open] = []
                self._explore(state, act, guard, unknown, reasons, open_)
                if reasons or open_:
                    return False
        return True

    def _clear_on_trial(self, at: Any, act: Any) -> bool:
        """`_clear` on a position that acts are tried on, which games come back to as long as little changes."""
        tried = self._tried.get(id(at))
        if tried is None:
            if len(self._tried) >= _MOST_TRIALS:
                self._tried.clear()
            tried = self._tried[id(at)] = (at, {})
        found = tried[1].get(act)
        if found is None:
            found = tried[1][act] = self._clear(at, act)
        return found

    def _sieve(self, state: Any, kind: type) -> Sieve:
        """The guards of a kind of act that can bite under the state's rulings: those asked once a list, others, both.

        Worked out once for each set of rulings.
        """
        rulings, sieves = self._sieves
        if rulings is not state.rulings:
            rulings = state.rulings
            sieves = self._sieves_by_rulings.setdefault(rulings, {})
            self._sieves = rulings, sieves
        found = sieves.get(kind)
        if found is None:
            once: list[Sifter] = []
            each: list[Sifter] = []
            for guard in self._guards.get(kind, ()):
                if guard.under:
                    ruling = self.game.rulebook.ruling(guard.under[0])
                    if ruling.options[rulings[self.game.rulebook.ruling_index[ruling.name]]] not in guard.under[1:]:
                        continue
                exceptions = tuple(one.function for one in self._exceptions.get((kind, guard.clause), ()))
                (once if guard.wide else each).append((guard.function, exceptions, guard))
            found = sieves[kind] = tuple(once), tuple(each), (*once, *each)
        return found

    # choices

    def awaiting(self, state: Any) -> tuple[Decision, ...]:
        """What is awaited now, of whom and why. Empty when the position is a sketch outside any step."""
        frames = state.frames
        if not frames:
            return ()
        known = self._awaited
        if known[0] is state:
            return known[1]
        return self.game.flows[type(frames[-1])].awaits(state, frames[-1])

    def choices(self, state: Any, seat: int) -> list[Command]:
        """The commands `judge` would allow the seat now: answers to what is awaited of it, and to waiting offers."""
        frames = state.frames
        if not frames:
            return []
        frame = frames[-1]
        flow = self.game.flows[type(frame)]
        found: list[Command] = []
        if flow.parts is None:
            self._sift(state, flow.candidates(state, frame, seat), found)
        else:
            self._gather(state, flow.parts(state, frame, seat), found)
        if state.offers or isinstance(frame, SealedFrame):
            self._gather(state, self.game.beside(state, seat), found)
        return found

    def pick(self, state: Any, seat: int, random: Callable[[], float]) -> Command | None:
        """One of `choices` at random, each as likely as any other; None if there are none.

        For players who want one command and no list: candidates are drawn and judged until one is allowed, which
        chooses evenly among all that are allowed. Of parts that are kept the candidates are, without those that were
        refused. `random` gives numbers from 0 up to 1.
        """
        frames = state.frames
        if not frames:
            return None
        flow = self.game.flows[type(frames[-1])]
        parts: Iterable[Kept | Group] = (flow.parts or flow.candidates)(state, frames[-1], seat)
        if state.offers or isinstance(frames[-1], SealedFrame):
            parts = (*parts, *self.game.beside(state, seat))
        drafts, world = self._drafts, state.world
        sources: list[Any] = []
        hats: list[Sequence[Command]] = []
        ends: list[int] = []
        total = 0
        for part in parts:
            if isinstance(part, Kept):
                draft = drafts.get(part.name)
                if draft is None or draft[0] is not world or draft[1] != part.key:
                    listed = [one for _, _, commands in part.groups(*part.arguments) for one in commands]
                    draft = drafts[part.name] = (world, part.key, listed)
                hat = draft[2]
            else:
                hat = part[2] if isinstance(part[2], (tuple, list)) else tuple(part[2])
            if hat:
                total += len(hat)
                sources.append(part)
                hats.append(hat)
                ends.append(total)
        while total:
            at = int(random() * total)
            which = bisect_right(ends, at)
            command = hats[which][at - ends[which]]
            if self.permitted(state, command):
                return command
            hats[which] = [one for one in hats[which] if one is not command]
            part = sources[which]
            if isinstance(part, Kept) and not part.less:
                drafts[part.name] = (world, part.key, hats[which])
            ends[which:] = [end - 1 for end in ends[which:]]
            total -= 1
        return None

    def _gather(self, state: Any, parts: Iterable[Kept | Group], found: list[Command]) -> None:
        """Sift the parts of a list; what hangs on a few things that have not changed is taken off the shelf."""
        shelf, world = self._shelf, state.world
        groups: list[Group] = []
        for part in parts:
            if not isinstance(part, Kept):
                groups.append(part)
                continue
            if groups:
                self._sift(state, groups, found)
                groups = []
            last, less = shelf.get(part.name), part.less
            if (
                last is None
                or last[0] is not world
                or last[1] != part.key
                or (last[3] and not all(one in less for one in last[3]))
            ):
                sifted: list[Command] = []
                self._sift(state, part.groups(*part.arguments), sifted)
                shelf[part.name] = last = (world, part.key, sifted, less, {})
            if len(less) == len(last[3]):
                found += last[2]
                continue
            places = last[4]
            if not places:
                places.update(zip(last[2], range(len(last[2])), strict=True))
            begin = 0
            for at in sorted([places[one] for one in less if one in places]):
                found += last[2][begin:at]
                begin = at + 1
            found += last[2][begin:]
        if groups:
            self._sift(state, groups, found)

    def _sift(self, state: Any, groups: Iterable[Group], found: list[Command]) -> None:
        """Add the commands of the groups that are allowed.

        Wide guards are asked once a group; where one bites, exceptions to it may let some of the commands through.
        """
        entails = self.game.entails
        rulings, sieves = self._sieves
        if rulings is not state.rulings:
            sieves = {}
        for kind, _, commands in groups:
            if not isinstance(commands, (tuple, list)):
                commands = tuple(commands)
            if not commands:
                continue
            once, each, _ = sieves.get(kind) or self._sieve(state, kind)
            before = len(found)
            try:
                for sifter in once:
                    if sifter[0](state, commands[0]) is not None:
                        if not sifter[1]:
                            break
                        each = (*each, (_it_bites, *sifter[1:]))
                else:
                    entailed = entails.get(kind)
                    if entailed is not None:
                        self._sift_entailing(state, entailed, commands, each, sieves, found)
                    elif each:
                        for command in commands:
                            for function, exceptions, _ in each:
                                if function(state, command) is not None and not (
                                    exceptions and _excused(state, command, exceptions)
                                ):
                                    break
                            else:
                                found.append(command)
                    else:
                        found.extend(commands)
            except Unknown:
                del found[before:]
                found.extend(command for command in commands if self.judge(state, command).allowed)

    def _sift_entailing(
        self,
        state: Any,
        entailed: Callable[[Any, Any], Iterable[tuple[Any, Any]]],
        commands: Sequence[Command],
        each: Sifters,
        sieves: Mapping[type, Sieve],
        found: list[Command],
    ) -> None:
        for command in commands:
            for at, act in entailed(state, command):
                if at is not state:
                    if self._clear_on_trial(at, act):
                        continue
                    break
                sifters = each if act is command else (sieves.get(type(act)) or self._sieve(state, type(act)))[2]
                for function, exceptions, _ in sifters:
                    if function(state, act) is not None and not (exceptions and _excused(state, act, exceptions)):
                        break
                else:
                    continue
                break
            else:
                found.append(command)

    # acting

    def judge_for(self, state: Any, command: Command, seat: int | None) -> Verdict:
        """The verdict given to a seat (None: a spectator): it reads only what that seat may know."""
        return self.judge(self.view(state, seat), command)

    def act(self, state: Any, command: Command, dice: Dice | None = None, seat: int | None = None) -> Outcome:
        """Judge and carry out. Raises `Refused` (nothing has happened then) or `NeedDice`.

        `seat`: who sends the command; raises `NotYours` if that seat does not decide for its power now.
        """
        if seat is not None:
            decides = self.game.seat_for(state, command)
            if decides != seat:
                raise NotYours(command, seat, decides)
        verdict = self.judge(state, command)
        if not verdict.allowed:
            raise Refused(verdict)
        return self.carry_out(state, command, dice)

    def carry_out(self, state: Any, command: Command, dice: Dice | None = None) -> Outcome:
        """Carry out a command that was allowed (one of `choices`): whole or not at all."""
        dice = dice or NoDice()
        action = Action(state, dice)
        mark = dice.mark() if isinstance(dice, ToldDice) else None
        try:
            frames = state.frames
            if frames and isinstance(frames[-1], SealedFrame) and self._answers(state, command):
                seat = self.game.seat_for(state, command)
                action.emit(Sealed(Answer(command.power, seat, command)))
            else:
                self.game.handlers[type(command)](action, command)
            self.settle(action)
        except Exception:
            if mark is not None and isinstance(dice, ToldDice):
                dice.give_back(mark)
            raise
        return Outcome(action.state, tuple(action.events))

    def carry_as_far(
        self, state: Any, command: Command | None, dice: Dice | None = None
    ) -> tuple[Outcome, Exception | None]:
        """Carry out a command that was allowed (None: nothing), and let the game go on as far as the position is known.

        What the flow cannot do for want of dice or of knowledge is left undone and given back as the second: a whole
        step each. The command itself is carried out or raises `Unknown`, `NeedDice` or `LookupError`.
        """
        dice = dice or NoDice()
        action = Action(state, dice)
        told = dice if isinstance(dice, ToldDice) else None
        mark = told.mark() if told is not None else None
        if command is not None:
            try:
                frames = state.frames
                if frames and isinstance(frames[-1], SealedFrame) and self._answers(state, command):
                    action.emit(Sealed(Answer(command.power, self.game.seat_for(state, command), command)))
                else:
                    self.game.handlers[type(command)](action, command)
            except Exception:
                if told is not None and mark is not None:
                    told.give_back(mark)
                raise
        flows, standing = self.game.flows, self.game.standing
        for _ in range(_MOST_STEPS):
            at, count = action.state, len(action.events)
            mark = told.mark() if told is not None else None
            try:
                if standing is not None and at.frames and at.standing and standing.step(self, action):
                    continue
                at, count = action.state, len(action.events)
                if not at.frames or flows[type(at.frames[-1])].awaits(at, at.frames[-1]):
                    return Outcome(at, tuple(action.events)), None
                flows[type(at.frames[-1])].proceed(action, at.frames[-1])
            except Exception as error:
                if told is not None and mark is not None:
                    told.give_back(mark)
                return Outcome(at, tuple(action.events[:count])), error
        raise EndlessFlow(f"the flow of {self.game.id} does not come to a decision")

    def _answers(self, state: Any, command: Command) -> bool:
        """Does the command answer the topmost frame, rather than something that waits beside the flow?"""
        frame = state.frames[-1]
        groups = self.game.flows[type(frame)].candidates(state, frame, self.game.seat_for(state, command))
        return any(kind is type(command) and power == command.power for kind, power, _ in groups)

    def settle(self, action: Action) -> None:
        """Let the flow go on by itself until somebody is awaited who has not said his answer beforehand."""
        flows, standing = self.game.flows, self.game.standing
        for _ in range(_MOST_STEPS):
            frames = action.state.frames
            if not frames:
                return
            if standing is not None and action.state.standing and standing.step(self, action):
                continue
            frame = frames[-1]
            flow = flows[type(frame)]
            awaited = flow.awaits(action.state, frame)
            if awaited:
                self._awaited = action.state, awaited
                return
            flow.proceed(action, frame)
        raise EndlessFlow(f"the flow of {self.game.id} does not come to a decision")

    # views

    def view(self, state: Any, seat: int | None) -> Any:
        """The state as one seat (None: a spectator) may know it: the same type, hidden parts unknown."""
        state = self.game.redact(state, seat)
        frames = tuple([veil(frame, seat) for frame in state.frames])
        return state if frames == state.frames else replace(state, frames=frames)

    def view_events(self, state: Any, events: Sequence[Event], seat: int | None) -> list[Event]:
        """The events as the seat may know them; `state` is the one before them."""
        seen: list[Event] = []
        for event in events:
            if isinstance(event, Corrected):  # whatever it changes, only what changes in the seat's view
                after = event.apply(state)
                seen.append(replace(event, changes=differences(self.view(state, seat), self.view(after, seat))))
                state = after
                continue
            shown = self.game.redact_event(state, event, seat)
            if shown is not None:
                seen.append(veil_event(shown, seat))
            state = event.apply(state)
        return seen

    # what a verdict says when it is asked further

    def _later(self, state: Any) -> Any:
        def work(what: str, verdict: Verdict) -> Any:
            if what == "rulings":
                return self.deciding_rulings(state, lambda at: self._gist(at, verdict.command))
            if what == "follows":
                return self.consequences(state, verdict.command) if verdict.allowed else None
            return self._remedies(state, verdict) if verdict.kind == REFUSED else ()

        return work

    def _gist(self, state: Any, command: Command) -> Any:
        """What a ruling may decide of a command: the verdict, its clauses, and what would follow."""
        verdict = self.judge(state, command)
        follows = self.consequences(state, command) if verdict.allowed else None
        happened = [event for event in follows.events if not isinstance(event, KERNEL_EVENTS)] if follows else []
        return verdict.kind, verdict.clauses, happened

    def deciding_rulings(self, state: Any, answer: Any) -> tuple[tuple[str, str], ...]:
        """The rulings of the state without which `answer(state)` would differ, found by trying each option."""
        book = self.game.rulebook
        usual = answer(state)
        found = []
        for index, ruling in enumerate(book.rulings):
            chosen = state.rulings[index]
            for option in range(len(ruling.options)):
                if option != chosen and answer(self.game.rewind(state, (index, option))) != usual:
                    found.append((ruling.name, ruling.options[chosen]))
                    break
        return tuple(found)

    def consequences(self, state: Any, command: Command) -> Consequences:
        """The events of a trial act, as far as neither dice nor unknown parts stop it."""
        action = Action(state, NoDice())
        try:
            frames = state.frames
            if frames and isinstance(frames[-1], SealedFrame) and self._answers(state, command):
                return Consequences(())  # what the others have sealed must not show
            handler = self.game.handlers.get(type(command))
            if handler is None:
                return Consequences((), "moment")
            handler(action, command)
            self.settle(action)
        except NeedDice as need:
            return Consequences(tuple(action.events), "dice", need)
        except Unknown as unknown:
            return Consequences(tuple(action.events), "unknown", unknown)
        except IndexError:
            if state.frames:
                raise
            return Consequences(tuple(action.events), "moment")  # it changes a step, and a sketch has none under way
        return Consequences(tuple(action.events))

    def _remedies(self, state: Any, verdict: Verdict) -> tuple[Remedy, ...]:
        found: list[Remedy] = []
        for reason in verdict.reasons:
            for remedy in self.game.remedies(state, verdict.command, reason.clause, dict(reason.facts)):
                if remedy not in found and self.turns(state, verdict.command, remedy):
                    found.append(remedy)
        return tuple(found)

    def turns(self, state: Any, command: Command, remedy: Remedy) -> bool:
        """Is the command allowed once the remedy has been applied?"""
        try:
            if remedy.change:
                state = self.game.change(state, remedy)
            for one in remedy.commands:
                if not self.judge(state, one).allowed:
                    return False
                state = self.game.settle(self.carry_out(state, one).state)
            return self.judge(state, command).allowed
        except (Unknown, NeedDice):
            return False


def make_referee(
    game: Game,
    players: int | None = None,
    board: Any = None,
    options: Mapping[str, Any] | None = None,
    knocked_out: Iterable[str] = (),
) -> Referee:
    """A referee for a game with so many players on a board; None leaves it to the game."""
    world = game.make_world(players, board, options or {})
    return Referee(game, world, game.typed_names(world), knocked_out)
