"""Positions told by a few facts: the keys of a sketch, its faults, and a position written as a sketch."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from foedus.games.virgin_queen.commands import TERMS, Lend
from foedus.games.virgin_queen.frames import Declaring, Negotiating, Ransoming, TurnFrame
from foedus.games.virgin_queen.notation import NOTATION
from foedus.games.virgin_queen.state import (
    EVERY,
    FLAGS,
    FRA,
    HIDDEN_FLEET,
    HIDDEN_FORCE,
    LAND_KINDS,
    MAJORS,
    MINORS,
    NAVAL_KINDS,
    NEGOTIATION,
    PHASES,
    POWERS,
    PRO,
    RANSOM,
    SEATS,
    SPA,
    UNTOLD,
    WAR,
    Agreement,
    Fleet,
    Force,
    Loan,
    Match,
    State,
    Word,
    World,
    mask,
    pair,
)
from foedus.kernel import sketch
from foedus.kernel.faults import Fault, fault_of
from foedus.kernel.notation import Names, NotationError
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.unknown import NONE, UNKNOWN
from foedus.kernel.values import bits

KEYS = (
    "game",
    "players",
    "board",
    "deck",
    "tables",
    "scenario",
    "rulings",
    "turn",
    "phase",
    "active",
    "running",
    "vp",
    "alliances",
    "wars",
    "minor_allies",
    "peaces",
    "elsewhere",
    "spaces",
    "seas",
    "captives",
    "hands",
    "treasures",
    "events",
    "influence",
    "engaged",
    "agreements",
    "words",
    "lent",
    "loans",
    "given",
    "discards",
    "removed",
    "dealt",
    "lost",
    "impulse",
    "passed",
    "done",
    "winners",
)
SPACE_KEYS = ("owner", "units", "ships", "siege", "unrest")
SEA_KEYS = ("ships",)
AGREEMENT_KEYS = ("by", "with", "number", "terms", "status", "version", "signed", "amends")
STATUSES = ("draft", "offered", "signed")
_COUNT = re.compile(r"^(\d{1,2})\s+(\S+)$")


class Reader(sketch.Reader):
    """Reads one sketch of this game."""

    def __init__(self, world: World, names: Mapping[str, Names], text: str) -> None:
        super().__init__(names, text)
        self.world = world
        self.text = text

    def pairs(self, data: Mapping[str, Any], key: str, joined: str) -> list[tuple[int, int]]:
        """Pairs of powers under a key."""
        found = (self.pair(one, key, joined) for one in self.list(data[key], key))
        return [one for one in found if one is not None]

    def powers(self, value: object, what: str) -> int:
        """A mask of powers from a list of their names."""
        found = (self.power(one) for one in self.list(value, what))
        return mask(power for power in found if power is not None)

    def names_of(self, kind: str, value: object, what: str) -> list[int]:
        """Small integers from a list of names of a kind."""
        found = (self.name(kind, one) for one in self.list(value, what))
        return [one for one in found if one is not None]


def blank(world: World, rulings: tuple[int, ...]) -> State:
    """A position of which nothing is known but the board and the players."""
    spaces, places = world.spaces, world.places
    majors = mask(MAJORS)
    everyone = mask(EVERY)
    minor_ally = tuple(UNKNOWN if power in MINORS or power in world.inactive else NONE for power in range(len(POWERS)))
    return State(
        world=world,
        rulings=rulings,
        turn=UNKNOWN,
        phase=UNKNOWN,
        active=UNKNOWN,
        controller=world.controller,
        wars=(0,) * len(POWERS),
        unsure_wars=tuple(everyone & ~(1 << power) if power in EVERY else 0 for power in range(len(POWERS))),
        allies=(0,) * len(POWERS),
        unsure=tuple(majors & ~(1 << power) if power in MAJORS else 0 for power in range(len(POWERS))),
        minor_ally=minor_ally,
        owner=(UNKNOWN,) * spaces,
        besieged_by=(UNKNOWN,) * spaces,
        land=(HIDDEN_FORCE,) * spaces,
        fleets=tuple(
            HIDDEN_FLEET if world.is_zone(place) or world.ports >> place & 1 else () for place in range(places)
        ),
        leader_at=(NONE,) * len(world.leaders),
        captor=(NONE,) * len(world.leaders),
        leader_holder=tuple(leader.power for leader in world.leaders),
        vp=(UNKNOWN,) * len(POWERS),
        hands=(UNTOLD,) * len(POWERS),
        treasures=(UNKNOWN,) * len(POWERS),
        unsure_flags=(1 << len(FLAGS)) - 1,
        sketched=True,
    )


def read_sketch(world: World, names: Mapping[str, Names], data: Mapping[str, Any], text: str = "") -> State:
    """The position of a sketch. Raises `SketchError` with every fault."""
    read = Reader(world, names, text)
    for key in data:
        if key not in KEYS:
            read.faults.unknown("key", key, KEYS)
    rulings = world.rulebook.defaults
    for name, option in read.table(data.get("rulings", {}), "rulings").items():
        try:
            where, index = world.rulebook.option(str(name), str(option))
        except RulebookError as error:
            read.faults.add(fault_of(error), str(name))
        else:
            rulings = (*rulings[:where], index, *rulings[where + 1 :])
    state = blank(world, rulings)
    for step in (_moment, _relations, _spaces, _people, _holdings, _agreements):
        state = step(read, data, state)
    _check(read, state)
    read.faults.raise_any()
    return _with_frames(state, data.get("running", False) is True)


def _moment(read: Reader, data: Mapping[str, Any], state: State) -> State:
    values: dict[str, Any] = {}
    for key, low, high in (("turn", 1, 7), ("impulse", 0, 10_000)):
        if key in data:
            number = read.number(data[key], key, low, high)
            if number is not None:
                values[key] = number
    if "phase" in data:
        phase = read.name("phase", data["phase"])
        if phase is not None:
            values["phase"] = phase
    if "active" in data:
        acting = NONE if data["active"] == "none" else read.power(data["active"])
        if acting is not None:
            values["active"] = acting
    if "running" in data and not isinstance(data["running"], bool):
        read.faults.add(Fault("yes_or_no", what="running"), "running")
    for key in ("passed", "done"):
        if key in data:
            values[key] = read.powers(data[key], key)
    if "winners" in data:
        values["winners"] = tuple(read.names_of("seat", data["winners"], "winners"))
    if "vp" in data:
        vp = [UNKNOWN] * len(POWERS)
        for name, told in read.table(data["vp"], "vp").items():
            power, number = read.power(name), read.number(told, f"vp {name}", 0, 60)
            if power is not None and number is not None:
                vp[power] = number
        values["vp"] = tuple(vp)
    return replace(state, **values)


def _relations(read: Reader, data: Mapping[str, Any], state: State) -> State:
    if "alliances" in data:
        state = replace(state, allies=(0,) * len(POWERS), unsure=(0,) * len(POWERS))
        for a, b in read.pairs(data, "alliances", "allied"):
            if a not in MAJORS or b not in MAJORS:
                code = POWERS[a if a in MINORS else b]
                read.faults.add(f"alliances: {code} is a minor power; say its ally under minor_allies", code)
            else:
                state = replace(state, allies=pair(state.allies, a, b, True))
    if "wars" in data:
        state = replace(state, wars=(0,) * len(POWERS), unsure_wars=(0,) * len(POWERS))
        for a, b in read.pairs(data, "wars", "at war"):
            state = replace(state, wars=pair(state.wars, a, b, True))
    if "peaces" in data:
        for a, b in read.pairs(data, "peaces", "at peace"):
            state = replace(state, peaces=pair(state.peaces, a, b, True))
    if "minor_allies" in data:
        patrons = [NONE if value == UNKNOWN else value for value in state.minor_ally]
        for name, told in read.table(data["minor_allies"], "minor_allies").items():
            minor = read.power(name)
            ally = NONE if told == "none" else UNKNOWN if told == "?" else read.power(told)
            if minor is None or ally is None:
                continue
            if minor not in MINORS and minor not in read.world.inactive:
                read.faults.add(f"minor_allies: {POWERS[minor]} is a great power with a player", str(name))
            elif ally >= 0 and (ally not in MAJORS or ally == minor):
                read.faults.add(f"minor_allies: {POWERS[ally]} is no great power", str(name), str(told))
            elif ally in read.world.inactive:
                read.faults.add(
                    f"minor_allies: {POWERS[ally]} has no player and can have no ally", str(name), str(told)
                )
            else:
                patrons[minor] = ally
        state = replace(state, minor_ally=tuple(patrons))
    if "events" in data:
        found = read.names_of("flag", data["events"], "events")
        state = replace(state, flags=mask(found), unsure_flags=0)
    if "influence" in data:
        table = [list(row) for row in state.influence]
        for name, told in read.table(data["influence"], "influence").items():
            power = read.power(name)
            for by, value in read.table(told, f"influence {name}").items():
                great, number = read.power(by), read.number(value, f"influence {name} {by}", 0, 30)
                if power is not None and great in MAJORS and number is not None:
                    table[power][great] = number
        state = replace(state, influence=tuple(tuple(row) for row in table))
    if "lent" in data:
        state = replace(state, lent=tuple(read.pairs(data, "lent", "lent to")))
    if "loans" in data:
        state = replace(state, loans=tuple(_loans(read, data["loans"])))
    return state


def _loans(read: Reader, told: object) -> Iterable[Loan]:
    """What was lent this turn, told by the lines that lent it."""
    for line in read.list(told, "loans"):
        try:
            term = NOTATION.read(str(line), read.names)
        except NotationError as error:
            read.faults.add(fault_of(error), "loans", str(line))
            continue
        if isinstance(term, Lend):
            yield Loan(term.power, term.to, term.fleet, term.count, term.port)
        else:
            read.faults.add(f"loans: '{str(line)[:60]}' lends nothing", str(line))


def _spaces(read: Reader, data: Mapping[str, Any], state: State) -> State:
    world = read.world
    elsewhere = data.get("elsewhere", "unknown")
    if elsewhere not in ("unknown", "home"):
        read.faults.unknown("elsewhere", elsewhere, ("unknown", "home"))
    owner, land = list(state.owner), list(state.land)
    besieged, fleets = list(state.besieged_by), list(state.fleets)
    leader_at, holder = list(state.leader_at), list(state.leader_holder)
    unrest = 0
    if elsewhere == "home":
        owner = [POWERS.index(space.start) for space in world.board.spaces]
        land = [()] * len(land)
        besieged = [NONE] * len(besieged)
        fleets = [()] * len(fleets)
    for name, told in read.table(data.get("spaces", {}), "spaces").items():
        space = read.name("space", name)
        facts = read.table(told, f"spaces {name}")
        for key in facts:
            if key not in SPACE_KEYS:
                read.faults.unknown("key", key, SPACE_KEYS)
        if space is None:
            continue
        if "owner" in facts:
            power = UNKNOWN if facts["owner"] == "?" else read.power(facts["owner"])
            if power is not None:
                owner[space] = power
        if "units" in facts:
            land[space] = _units(read, str(name), space, facts["units"], leader_at)
            if land[space] == () and "siege" not in facts and besieged[space] == UNKNOWN:
                besieged[space] = NONE
        if "ships" in facts:
            fleets[space] = _ships(read, str(name), space, facts["ships"], leader_at, holder)
        if "siege" in facts:
            besieger = NONE if facts["siege"] == "none" else _besieger(read, str(name), facts["siege"])
            if besieger is not None:
                besieged[space] = besieger
        elif "units" in facts and besieged[space] == UNKNOWN:
            besieged[space] = NONE
        if facts.get("unrest", False):
            unrest |= 1 << space
    for name, told in read.table(data.get("seas", {}), "seas").items():
        place = read.name("place", name)
        facts = read.table(told, f"seas {name}")
        for key in facts:
            if key not in SEA_KEYS:
                read.faults.unknown("key", key, SEA_KEYS)
        if place is not None and not world.is_zone(place):
            read.faults.add(f"seas: {name} is no sea zone", str(name))
        elif place is not None and "ships" in facts:
            fleets[place] = _ships(read, str(name), place, facts["ships"], leader_at, holder)
    return replace(
        state,
        owner=tuple(owner),
        land=tuple(land),
        besieged_by=tuple(besieged),
        fleets=tuple(fleets),
        leader_at=tuple(leader_at),
        leader_holder=tuple(holder),
        unrest=unrest,
    )


def _besieger(read: Reader, name: str, told: object) -> int | None:
    """Who besieges a space: one power."""
    if isinstance(told, str):
        return read.power(told)
    read.faults.add(f"{name}: siege: the one power that besieges is needed, such as 'ENG'", name, "siege")
    return None


def _parts(read: Reader, name: str, one: object) -> tuple[int, list[str]] | None:
    """The power of a line such as "SPA 2 squadrons, Santa Cruz", and its parts."""
    head, _, rest = str(one).strip().partition(" ")
    power = read.power(head) if isinstance(one, str) else None
    if power is None:
        if not isinstance(one, str):
            read.faults.add(f"{name}: a text such as 'FRA 4 regulars, Guise' is needed", name)
        return None
    return power, [part.strip() for part in rest.split(",") if part.strip()]


def _leader(
    read: Reader, name: str, place: int, power: int, word: str, leader_at: list[int], holder: list[int] | None
) -> None:
    leader = read.name("leader", word)
    if leader is None:
        return
    known = read.world.leaders[leader]
    if known.power != power:
        read.faults.add(f"{name}: {word} is no leader of {POWERS[power]}", name, word)
    elif known.army != (holder is None):
        read.faults.add(f"{name}: {word} leads no {'armies' if holder is None else 'fleet'}", name, word)
    if leader_at[leader] not in (NONE, place):
        read.faults.add(f"{word} stands in two places", name, word)
    leader_at[leader] = place


def _miscounted(read: Reader, name: str, word: str) -> bool:
    """Does the part of a line begin with a number that is no number of units? Then it is a fault."""
    if re.match(r"[-+]?\d", word) is None:
        return False
    read.faults.add(f"{name}: '{word[:40]}': a number from 0 to 99 and a kind of unit are needed", name, word)
    return True


def _units(read: Reader, name: str, space: int, told: object, leader_at: list[int]) -> tuple[Force, ...]:
    if told == "?":
        return HIDDEN_FORCE
    table: dict[int, list[int]] = {}
    for one in read.list(told, name):
        parts = _parts(read, name, one)
        if parts is None:
            continue
        power, words = parts
        row = table.setdefault(power, [0, 0, 0])
        for word in words:
            match = _COUNT.match(word)
            if match is not None:
                kind = read.name("land", match.group(2))
                if kind is not None:
                    row[kind] += int(match.group(1))
            elif word.isdigit() and len(word) < 3:
                row[0] += int(word)
            elif not _miscounted(read, name, word):
                _leader(read, name, space, power, word, leader_at, None)
    return tuple(Force(power, *row) for power, row in sorted(table.items()) if any(row))


def _ships(
    read: Reader, name: str, place: int, told: object, leader_at: list[int], holder: list[int]
) -> tuple[Fleet, ...]:
    if told == "?":
        return HIDDEN_FLEET
    if not read.world.is_zone(place) and not read.world.ports >> place & 1:
        read.faults.add(f"{name}: ships lie in ports and sea zones only", name)
    table: dict[tuple[int, int, int], int] = {}
    for one in read.list(told, name):
        text, lent, to = str(one).partition(" lent to ") if isinstance(one, str) else (one, "", "")
        parts = _parts(read, name, text)
        receiver = read.power(to) if lent else None
        if parts is None or (lent and receiver is None):
            continue
        owner, words = parts
        if receiver is not None and (receiver == owner or receiver not in MAJORS):
            read.faults.add(f"{name}: nothing of {POWERS[owner]} can be lent to {POWERS[receiver]}", name, to)
            continue
        serves = owner if receiver is None else receiver
        for word in words:
            match = _COUNT.match(word)
            if match is not None:
                kind = read.name("naval", match.group(2))
                if kind is not None:
                    key = (owner, serves, kind)
                    table[key] = table.get(key, 0) + int(match.group(1))
            elif not _miscounted(read, name, word):
                _leader(read, name, place, owner, word, leader_at, holder)
                leader = read.name("leader", word)
                if leader is not None:
                    holder[leader] = serves
    return tuple(Fleet(a, kind, count, b) for (a, b, kind), count in sorted(table.items()) if count)


def _people(read: Reader, data: Mapping[str, Any], state: State) -> State:
    if "captives" in data:
        captor, leader_at = list(state.captor), list(state.leader_at)
        for name, told in read.table(data["captives"], "captives").items():
            leader, power = read.name("leader", name), read.power(told)
            if leader is None or power is None:
                continue
            if read.world.leaders[leader].power == power:
                read.faults.add(f"captives: {name} cannot be a captive of his own power", str(name))
            if leader_at[leader] >= 0:
                read.faults.add(f"captives: {name} stands on the map", str(name))
            captor[leader] = power
        state = replace(state, captor=tuple(captor), leader_at=tuple(leader_at))
    if "lost" in data:
        state = replace(state, lost_leaders=mask(read.names_of("leader", data["lost"], "lost")))
    if "engaged" in data:
        found = []
        for one in read.list(data["engaged"], "engaged"):
            royals = read.names_of("royal", one, "engaged")
            if len(royals) == 2:
                found.append(Match(*royals))
            else:
                read.faults.add(Fault("list", what="engaged"), "engaged")
        state = replace(state, engaged=tuple(found))
    return state


def _holdings(read: Reader, data: Mapping[str, Any], state: State) -> State:
    values: dict[str, Any] = {}
    if "hands" in data:
        hands = list(state.hands)
        for name, told in read.table(data["hands"], "hands").items():
            power = read.power(name)
            if power is not None and power not in MAJORS:
                read.faults.add(f"hands: {POWERS[power]} is no great power and holds no cards", "hands", str(name))
                continue
            if isinstance(told, int) and not isinstance(told, bool):
                number = read.number(told, f"hands {name}", 0, 40)
                cards = [UNKNOWN] * (number or 0)
            else:
                cards = []
                for one in read.list(told, f"hands {name}"):
                    card = UNKNOWN if one == "?" else read.name("card", one)
                    if card is not None:
                        cards.append(card)
            if power is not None:
                hands[power] = tuple(cards)
        values["hands"] = tuple(hands)
    if "treasures" in data:
        treasures = [0] * len(POWERS)
        for name, told in read.table(data["treasures"], "treasures").items():
            power, number = read.power(name), read.number(told, f"treasures {name}", 0, 40)
            if power is not None and number is not None:
                treasures[power] = number
        values["treasures"] = tuple(treasures)
    for key in ("discards", "removed"):
        if key in data:
            values[key] = tuple(read.names_of("card", data[key], key))
    if "given" in data:
        table = read.table(data["given"], "given")
        for key, name in (("cards", "cards_drawn"), ("mercenaries", "mercenaries_given")):
            counts = [0] * len(POWERS)
            for code, told in read.table(table.get(key, {}), f"given {key}").items():
                power, number = read.power(code), read.number(told, f"given {key} {code}", 0, 40)
                if power is not None and number is not None:
                    counts[power] = number
            values[name] = tuple(counts)
    if "dealt" in data:
        values["dealt"] = data["dealt"] is True
    return replace(state, **values)


def _agreements(read: Reader, data: Mapping[str, Any], state: State) -> State:
    found: list[Agreement] = []
    for sealed, one in enumerate(read.list(data.get("agreements", []), "agreements"), 1):
        row = read.table(one, "agreements")
        for key in row:
            if key not in AGREEMENT_KEYS:
                read.faults.unknown("key", key, AGREEMENT_KEYS)
        by = read.power(row.get("by"))
        parties = read.powers(row.get("with", []), "agreements with")
        status = row.get("status", "signed")
        if status not in STATUSES:
            read.faults.unknown("status", status, STATUSES)
        terms = []
        for line in read.list(row.get("terms", []), "agreements terms"):
            try:
                term = NOTATION.read(str(line), read.names)
            except NotationError as error:
                read.faults.add(fault_of(error), "agreements", str(line))
                continue
            if not isinstance(term, TERMS):
                read.faults.add(f"agreements: '{str(line)[:60]}' is no term of an agreement", str(line))
            terms.append(term)
        number = read.number(row.get("number", 1), "agreements number", 1, 99)
        version = read.number(row.get("version", 1), "agreements version", 1, 999)
        if by is None or number is None or version is None:
            continue
        if not parties & ~(1 << by):
            read.faults.add(f"agreements: {POWERS[by]} needs another party, under with", "agreements", "with")
        parties |= 1 << by
        for term in terms:
            if isinstance(term, TERMS) and not (parties >> term.power & 1 and parties >> term.to & 1):
                line = NOTATION.write(term, read.world.names)
                read.faults.add(f"agreements: '{line}' is no term between the parties", "agreements", line)
        drafted = status == "draft"
        if any(one.key == (by, parties, number) for one in found if not drafted and one.status != "draft"):
            read.faults.add(f"agreements: number {number} of {POWERS[by]} with these parties comes twice", "agreements")
        signed = parties if status == "signed" else 0 if drafted else 1 << by
        if "signed" in row:
            signed = read.powers(row["signed"], "agreements signed")
        amended = read.power(row["amends"]) if drafted and "amends" in row else None
        if drafted and amended is None:
            number = 0
        order = sealed if status == "signed" else 0
        made = Agreement(by, parties, number, tuple(terms), version, status, signed, order)
        found.append(made if amended is None else replace(made, amends=parties, amended_by=amended))
    words = []
    for one in read.list(data.get("words", []), "words"):
        row = read.table(one, "words")
        by, to = read.power(row.get("by")), read.power(row.get("to"))
        if by is not None and by == to:
            read.faults.add(f"words: {POWERS[by]} promises nothing to itself", "words", str(row.get("to")))
        if by is not None and to is not None:
            turn = read.number(row.get("turn", 1), "words turn", 1, 7)
            words.append(Word(by, to, str(row.get("text", "")), turn or 1, str(row.get("kept", "open"))))
    return replace(state, offers=tuple(found), words=tuple(words))


def _check(read: Reader, state: State) -> None:
    """What cannot be at once."""
    _check_relations(read, state)
    _check_sieges(read, state)
    royals = [royal for one in state.engaged for royal in (one.a, one.b)]
    for royal in sorted({royal for royal in royals if royals.count(royal) > 1}):
        name = read.world.royal_names[royal]
        read.faults.add(f"engaged: {name} is engaged twice", "engaged", name)
    for leader in bits(max(state.lost_leaders, 0)):
        name = read.world.leader_names[leader]
        if state.captor[leader] >= 0:
            read.faults.add(f"lost: {name} is a captive", "lost", name)
        elif state.leader_at[leader] >= 0:
            read.faults.add(f"lost: {name} stands on the map", "lost", name)


def _check_relations(read: Reader, state: State) -> None:
    """Wars, alliances and loans that cannot be at once."""

    def add(message: str, a: int, b: int, *where: str) -> None:
        for one in (f"{POWERS[a]}-{POWERS[b]}", f"{POWERS[b]}-{POWERS[a]}"):
            if any(one in line for line in read.text.splitlines()):
                read.faults.add(message, *where, one)
                return
        read.faults.add(message, *where)

    one_way = state.ruling("loan_direction") != "players"
    for a in EVERY:
        for b in EVERY[a + 1 :]:
            names = f"{POWERS[a]} and {POWERS[b]}"
            if state.wars[a] >> b & 1:
                if state.allies[a] >> b & 1:
                    add(f"{names} cannot be allied and at war", a, b)
                if state.minor_ally[a] == b or state.minor_ally[b] == a:
                    add(f"{names} cannot be allied and at war: one is the other's ally by minor_allies", a, b)
            if state.allies[a] >> b & 1 and {a, b} == {SPA, PRO}:
                add(f"{names} can never be allies (ally.6)", a, b)
            if one_way and (a, b) in state.lent and (b, a) in state.lent:
                add(f"lent: {names} cannot lend to each other (loan.4)", a, b, "lent")
    if state.allies[FRA] >> SPA & state.allies[FRA] >> PRO & 1:
        read.faults.add("alliances: FRA cannot be allied with both SPA and PRO (ally.7)", "alliances")


def _check_sieges(read: Reader, state: State) -> None:
    """Sieges that cannot be."""
    for space, besieger in enumerate(state.besieged_by):
        forces = () if state.land[space] == HIDDEN_FORCE else state.land[space]
        name = state.world.names["space"][space]
        if besieger >= 0 and state.land[space] != HIDDEN_FORCE and all(one.power != besieger for one in forces):
            read.faults.add(f"{name}: {POWERS[besieger]} besieges it without land units there", name)
    for space, besieger in enumerate(state.besieged_by):
        if besieger >= 0:
            name = state.world.names["space"][space]
            if not state.world.fortified >> space & 1:
                read.faults.add(f"{name} is not fortified: nobody besieges it", name)
            if state.owner[space] == besieger:
                read.faults.add(f"{name}: {POWERS[besieger]} cannot besiege its own space", name)


def _with_frames(state: State, running: bool) -> State:
    """The position with the steps that are under way, where the sketch is of a running game."""
    if not running:
        return state
    bottom = TurnFrame(True)
    if state.phase == NEGOTIATION:
        return replace(state, sketched=False, frames=(bottom, Negotiating()))
    order = tuple(power for power in MAJORS if state.controller[power] != NONE)
    if state.phase == RANSOM and state.ruling("ransom_order") == "reverse_order":
        order = order[::-1]
    after = order[order.index(state.active) :] if state.active in order else order
    if state.phase == RANSOM:
        return replace(state, sketched=False, frames=(bottom, Ransoming(after)))
    if state.phase == WAR:
        return replace(state, sketched=False, frames=(bottom, Declaring(after)))
    return replace(state, sketched=False, frames=(TurnFrame(False),))


# writing


def write_sketch(state: State) -> dict[str, Any]:
    """The position as the data of a sketch, as far as it is known. What is under way is left out."""
    world, names = state.world, state.world.names
    data: dict[str, Any] = {"game": "virgin_queen", "players": world.players}
    book = world.rulebook.rulings
    chosen = {
        ruling.name: ruling.options[state.rulings[i]]
        for i, ruling in enumerate(book)
        if state.rulings[i] != world.rulebook.defaults[i]
    }
    if chosen:
        data["rulings"] = chosen
    if state.turn > 0:
        data["turn"] = state.turn
    if state.phase != UNKNOWN:
        data["phase"] = PHASES[state.phase]
    if state.active != UNKNOWN:
        data["active"] = "none" if state.active == NONE else POWERS[state.active]
    if state.impulse:
        data["impulse"] = state.impulse
    for key, powers in (("passed", state.passed), ("done", state.done)):
        if powers:
            data[key] = _codes(powers)
    if state.winners:
        data["winners"] = [SEATS[seat] for seat in state.winners]
    vp = {POWERS[power]: points for power, points in enumerate(state.vp) if points != UNKNOWN}
    if vp:
        data["vp"] = vp
    for key, masks, unsure in (("alliances", state.allies, state.unsure), ("wars", state.wars, state.unsure_wars)):
        if not any(unsure):
            data[key] = _pairs(masks)
    if any(state.peaces):
        data["peaces"] = _pairs(state.peaces)
    patrons = {
        POWERS[power]: ("none" if patron == NONE else POWERS[patron])
        for power, patron in enumerate(state.minor_ally)
        if patron != UNKNOWN and (power in MINORS or power in world.inactive)
    }
    if patrons:
        some = [p for p in (*MINORS, *world.inactive) if state.minor_ally[p] == UNKNOWN]
        data["minor_allies"] = {**patrons, **{POWERS[power]: "?" for power in some}}
    if not state.unsure_flags:
        data["events"] = [FLAGS[flag] for flag in bits(state.flags)]
    influence = {
        POWERS[power]: {POWERS[by]: value for by, value in enumerate(row) if value}
        for power, row in enumerate(state.influence)
        if any(row)
    }
    if influence:
        data["influence"] = influence
    if state.lent:
        data["lent"] = [f"{POWERS[a]}-{POWERS[b]}" for a, b in state.lent]
    if state.loans:
        lines = (Lend(one.owner, one.holder, one.count, one.fleet, one.port) for one in state.loans)
        data["loans"] = [NOTATION.write(line, names) for line in lines]
    spaces = {names["space"][i]: facts for i in range(world.spaces) if (facts := _space_data(state, i))}
    if spaces:
        data["spaces"] = spaces
    seas = {
        names["place"][place]: {"ships": _ships_data(state, place)}
        for place in range(world.spaces, world.places)
        if state.fleets[place] != HIDDEN_FLEET
    }
    if seas:
        data["seas"] = seas
    captives = {names["leader"][i]: POWERS[power] for i, power in enumerate(state.captor) if power >= 0}
    if captives:
        data["captives"] = captives
    if state.lost_leaders > 0:
        data["lost"] = [names["leader"][i] for i in bits(state.lost_leaders)]
    if state.engaged:
        data["engaged"] = [[names["royal"][one.a], names["royal"][one.b]] for one in state.engaged]
    hands = {
        POWERS[power]: ["?" if card == UNKNOWN else names["card"][card] for card in hand]
        for power, hand in enumerate(state.hands)
        if hand != UNTOLD and power in MAJORS
    }
    if hands:
        data["hands"] = hands
    if UNKNOWN not in state.treasures:
        data["treasures"] = {POWERS[power]: count for power, count in enumerate(state.treasures) if count}
    for key, cards in (("discards", state.discards), ("removed", state.removed)):
        if cards:
            data[key] = [names["card"][card] for card in cards]
    given = {
        key: {POWERS[power]: count for power, count in enumerate(counts) if count}
        for key, counts in (("cards", state.cards_drawn), ("mercenaries", state.mercenaries_given))
        if any(counts)
    }
    if given:
        data["given"] = given
    if state.dealt:
        data["dealt"] = True
    if state.offers:
        data["agreements"] = [_agreement_data(state, one) for one in state.offers]
    if state.words:
        data["words"] = [
            {"by": POWERS[w.by], "to": POWERS[w.to], "text": w.text, "turn": w.turn, "kept": w.kept}
            for w in state.words
        ]
    return data


def _codes(powers: int) -> list[str]:
    return [POWERS[power] for power in bits(powers)]


def _pairs(masks: tuple[int, ...]) -> list[str]:
    return [f"{POWERS[a]}-{POWERS[b]}" for a in range(len(masks)) for b in bits(masks[a]) if a < b]


def _agreement_data(state: State, one: Agreement) -> dict[str, Any]:
    row: dict[str, Any] = {
        "by": POWERS[one.by],
        "with": _codes(one.parties & ~(1 << one.by)),
        "terms": [NOTATION.write(term, state.world.names) for term in one.terms],
        "status": one.status,
    }
    if one.number > 1:
        row["number"] = one.number
    if one.amends:
        row["amends"] = POWERS[one.amended_by]
    if one.version != 1:
        row["version"] = one.version
    if one.status == "offered":
        row["signed"] = _codes(one.signed)
    return row


def _space_data(state: State, space: int) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if state.owner[space] != UNKNOWN:
        facts["owner"] = POWERS[state.owner[space]]
    if state.land[space] != HIDDEN_FORCE:
        facts["units"] = units_data(state, space)
    if state.fleets[space] != HIDDEN_FLEET and (state.fleets[space] or state.world.ports >> space & 1):
        facts["ships"] = _ships_data(state, space)
    if state.besieged_by[space] >= 0:
        facts["siege"] = POWERS[state.besieged_by[space]]
    elif state.besieged_by[space] == NONE and "units" not in facts:
        facts["siege"] = "none"
    if state.unrest >> space & 1:
        facts["unrest"] = True
    return facts


def units_data(state: State, space: int) -> list[str]:
    """The land units and army leaders of a space, a line a power."""
    world = state.world
    here = [leader for leader in state.leaders_in(space) if world.leaders[leader].army]
    forces = {force.power: force for force in state.land[space] if force.power >= 0}
    found = []
    for power in sorted({*forces, *(world.leaders[leader].power for leader in here)}):
        force = forces.get(power, Force(power))
        counts = zip((force.regulars, force.mercenaries, force.cavalry), LAND_KINDS, strict=True)
        parts = [f"{count} {kind}" for count, kind in counts if count]
        parts += [world.names["leader"][leader] for leader in here if world.leaders[leader].power == power]
        found.append(f"{POWERS[power]} {', '.join(parts)}")
    return found


def _ships_data(state: State, place: int) -> list[str]:
    world = state.world
    here = [leader for leader in state.leaders_in(place) if not world.leaders[leader].army]
    rows: dict[tuple[int, int], list[str]] = {}
    for fleet in state.fleets[place]:
        if fleet.owner >= 0:
            rows.setdefault((fleet.owner, fleet.holder), []).append(f"{fleet.count} {NAVAL_KINDS[fleet.kind]}")
    for leader in here:
        key = (world.leaders[leader].power, state.leader_holder[leader])
        rows.setdefault(key, []).append(world.names["leader"][leader])
    return [
        f"{POWERS[owner]} {', '.join(parts)}" + (f" lent to {POWERS[holder]}" if holder != owner else "")
        for (owner, holder), parts in sorted(rows.items())
    ]
