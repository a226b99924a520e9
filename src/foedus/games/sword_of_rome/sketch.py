"""Positions told by a few facts: the keys of a sketch, its faults, and a position written as a sketch."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from foedus.games.sword_of_rome.alliances import pairs_to_renew, renewal
from foedus.games.sword_of_rome.commands import SetStanding
from foedus.games.sword_of_rome.frames import Activation, TurnFrame
from foedus.games.sword_of_rome.notation import NOTATION
from foedus.games.sword_of_rome.state import (
    ACTION,
    ALLIANCES,
    CAR,
    CITY,
    DRAW,
    ETR,
    FIRST_PLAYER,
    GAL,
    GRE,
    HIDDEN,
    IND,
    MINES,
    OVER,
    PHASES,
    POWERS,
    ROM,
    SAM,
    SEATS,
    SPACE,
    TRA,
    TREATIES,
    TREATY,
    TRIBE,
    TURN_END,
    Broken,
    Force,
    Pact,
    Promise,
    State,
    World,
    count_besieging,
    count_support,
    kinds_with,
    masks_of,
)
from foedus.kernel import sketch
from foedus.kernel.faults import Fault, fault_of
from foedus.kernel.notation import Names, NotationError
from foedus.kernel.rulebook import RulebookError
from foedus.kernel.standing import Standing, command_of
from foedus.kernel.unknown import NONE, UNKNOWN, Unknown
from foedus.kernel.values import Frame, Offer, bits

KEYS = (
    "game",
    "players",
    "board",
    "deck",
    "tables",
    "scenario",
    "rulings",
    "turn",
    "round",
    "phase",
    "active",
    "order",
    "vp",
    "alliances",
    "elsewhere",
    "spaces",
    "hands",
    "discards",
    "removed",
    "reshuffle",
    "desperate",
    "dealt",
    "activated",
    "acting",
    "displaced",
    "commanders",
    "appian_way",
    "treaty",
    "unrest",
    "duoviri",
    "levies",
    "fallen",
    "colonies",
    "plunder",
    "mines",
    "out",
    "lost",
    "winners",
    "ranking",
    "offers",
    "broken",
    "promises",
    "standing",
)
SPACE_KEYS = ("owner", "loyalty", "siege", "forces")
_FORCE = re.compile(r"^(\S+?)(?:\s+(\d{1,2}))?((?:\s+.+?)??)(\s+inside)?$")


class Reader(sketch.Reader):
    """Reads one sketch of this game."""

    def __init__(self, world: World, names: Mapping[str, Names], text: str) -> None:
        super().__init__(names, text)
        self.world = world
        self.kinds = world.kinds

    def power(self, value: object) -> int | None:
        """A power by its code or name; ES is none."""
        if isinstance(value, str) and value == "ES":
            self.faults.add("ES is a player; name a power, ETR or SAM", "ES")
            return None
        return super().power(value)


def blank(world: World, rulings: tuple[int, ...]) -> State:
    """A position of which nothing is known but the board and the players."""
    count = len(world.board.spaces)
    allies = [0] * len(POWERS)
    option = world.rulebook.rulings[world.ruling_index["etruscans_and_samnites"]].options
    if option[rulings[world.ruling_index["etruscans_and_samnites"]]] == "allied_for_good":
        allies[ETR], allies[SAM] = 1 << SAM, 1 << ETR
    everyone = (1 << IND) - 1
    unsure = [everyone & ~(1 << power) & ~allies[power] for power in range(IND)] + [0]
    for power in range(IND):
        for other in range(IND):
            if NONE in (world.controller[power], world.controller[other]):
                unsure[power] &= ~(1 << other)  # nobody makes alliances with non-player powers
    return State(
        world=world,
        rulings=rulings,
        turn=UNKNOWN,
        round=UNKNOWN,
        phase=UNKNOWN,
        active=UNKNOWN,
        order=world.seats,
        controller=world.controller,
        vp=(UNKNOWN,) * len(SEATS),
        pacts=(),
        formal=(0,) * len(POWERS),
        allies=tuple(allies),
        unsure=tuple(unsure),
        owner=(UNKNOWN,) * count,
        loyalty=tuple(UNKNOWN if space.number("loyalty", world.players) else 0 for space in world.board.spaces),
        besieged_by=(UNKNOWN,) * count,
        siege_points=(UNKNOWN,) * count,
        forces=(HIDDEN,) * count,
        leader_at=(NONE,) * len(world.leaders),
        leader_inside=0,
        besieging=(0,) * len(POWERS),
        support=(UNKNOWN,) * len(POWERS),
        sketched=True,
    )


def home_board(world: World) -> dict[str, list[int]]:
    """The spaces as their home powers hold them at the start, with no troops."""
    owner, loyalty = [], []
    for space in world.board.spaces:
        code = space.start if world.may_exist(space) else "IND"
        owner.append(POWERS.index(code))
        loyalty.append(int(space.number("loyalty", world.players) or 0))
    return {"owner": owner, "loyalty": loyalty}


def read_sketch(world: World, names: Mapping[str, Names], data: Mapping[str, Any], text: str = "") -> State:
    """The position of a sketch. Raises `SketchError` with every fault."""
    read = Reader(world, names, text)
    faults = read.faults
    for key in data:
        if key not in KEYS:
            faults.unknown("key", key, KEYS)
    rulings = world.rulebook.defaults
    chosen = read.table(data.get("rulings", {}), "rulings")
    for name, option in chosen.items():
        try:
            where, index = world.rulebook.option(str(name), str(option))
        except RulebookError as error:
            faults.add(fault_of(error), str(name))
        else:
            rulings = (*rulings[:where], index, *rulings[where + 1 :])
    state = blank(world, rulings)
    values: dict[str, Any] = {}
    _read_moment(read, data, values)
    _read_plunder(read, data, values)
    _read_alliances(read, data, state, values)
    _read_spaces(read, data, state, values)
    _read_carthage(read, data, values)
    _read_cards(read, data, values)
    _read_words(read, data, values)
    from msgspec.structs import replace

    state = replace(state, **values)
    _check(read, state, data)
    faults.raise_any()
    return _with_frames(state)


def _read_plunder(read: Reader, data: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Roman colonies, the plunder track (`{ GAL = 3 }`) and whether the mines still pay for bribes."""
    if "colonies" in data:
        mask = 0
        for one in read.list(data["colonies"], "colonies"):
            space = read.name("space", one)
            if space is not None and read.world.kinds[space] != SPACE:
                read.faults.add(f"colonies: {one} is no ordinary space", str(one))
            elif space is not None:
                mask |= 1 << space
        values["colonies"] = mask
        read.kinds = kinds_with(read.world, mask)
    if "plunder" in data:
        for name, told in read.table(data["plunder"], "plunder").items():
            power = read.power(name)
            number = read.number(told, f"plunder {name}", 0, int(read.world.tables["plunder"]["track"]) - 1)
            if power is not None and power not in (GAL, TRA):
                read.faults.add("plunder: only GAL or TRA markers lie on the track", str(name))
            elif power is not None and number is not None:
                values["plunder"] = number if power == GAL else -number
    if "mines" in data:
        if data["mines"] not in ("working", "depleted"):
            read.faults.unknown("mines", data["mines"], ("working", "depleted"))
        values["depleted"] = data["mines"] == "depleted"


def _read_moment(read: Reader, data: Mapping[str, Any], values: dict[str, Any]) -> None:
    world = read.world
    for key, low, high in (("turn", 1, 9), ("round", 1, 5), ("unrest", 0, 10)):
        if key in data:
            number = read.number(data[key], key, low, high)
            if number is not None:
                values[key] = number
    if "out" in data:
        seats = [_seat(read, one) for one in read.list(data["out"], "out")]
        values["out"] = sum(1 << seat for seat in set(seats) if seat >= 0)
    if "lost" in data:
        found = [read.name("leader", one) for one in read.list(data["lost"], "lost")]
        values["lost"] = sum(1 << leader for leader in {one for one in found if one is not None})
    for key in ("winners", "ranking"):
        if key in data:
            values[key] = tuple(_seat(read, one) for one in read.list(data[key], key))
    if "phase" in data:
        phase = read.name("phase", data["phase"])
        if phase is not None:
            values["phase"] = phase
    if values.get("phase") in TURN_END and "active" not in data:
        values["active"] = NONE
    if "active" in data:
        values["active"] = _seat(read, data["active"], none=True)
        if values["active"] not in (NONE, UNKNOWN):
            values.setdefault("phase", ACTION)
            if values["phase"] != ACTION:
                read.faults.add("active: players are active in the action phase only", "active")
    if "order" in data:
        seats = [_seat(read, one) for one in read.list(data["order"], "order")]
        out = values.get("out", 0)
        if sorted(seats) != sorted(seat for seat in world.seats if not out >> seat & 1):
            read.faults.add("order: every seat is needed, once", "order")
        values["order"] = tuple(seats)
    elif values.get("out"):
        values["order"] = tuple(seat for seat in world.seats if not values["out"] >> seat & 1)
    if "vp" in data:
        vp = [UNKNOWN] * len(SEATS)
        for name, points in read.table(data["vp"], "vp").items():
            seat = _seat(read, name)
            number = read.number(points, f"vp {name}", 0, 12)
            if seat >= 0 and number is not None:
                vp[seat] = number
        values["vp"] = tuple(vp)
    if "activated" in data:
        mask = 0
        for one in read.list(data["activated"], "activated"):
            power = read.power(one)
            if power is not None:
                if power not in world.npps and not (power == CAR and world.players == 5):  # the marker of f19.4
                    read.faults.add(f"activated: {POWERS[power]} is no non-player power in this game", "activated")
                mask |= 1 << power
        values["activated"] = mask
    if "acting" in data:
        acting = read.table(data["acting"], "acting")
        npp = read.power(acting.get("npp"))
        if npp is not None:
            values["acting_npp"], values["activator"] = npp, _seat(read, acting.get("by"))
            values["activated"] = values.get("activated", 0) | 1 << npp
    if "displaced" in data:
        values["displaced"] = 0
        for one in read.list(data["displaced"], "displaced"):
            leader = read.name("leader", one)
            if leader is not None and leader in world.minors:
                read.faults.add("displaced: minor leaders are set aside, only named ones wait to return", str(one))
            elif leader is not None:
                values["displaced"] |= 1 << leader
    if "commanders" in data:
        values["commanders"] = 0
        for one in read.list(data["commanders"], "commanders"):
            leader = read.name("leader", one)
            if leader is not None:
                values["commanders"] |= 1 << leader
    if "appian_way" in data:
        if not isinstance(data["appian_way"], bool):
            read.faults.add("appian_way: true or false is needed", "appian_way")
        values["appian_way"] = int(data["appian_way"] is True)
    if "treaty" in data:
        if data["treaty"] not in TREATIES:
            read.faults.unknown("treaty", data["treaty"], TREATIES)
        else:
            values["treaty"] = TREATIES.index(data["treaty"])
            if world.players == 5 and values["treaty"]:
                read.faults.add("treaty: with five players Carthage is a player and there is no treaty", "treaty")


def _read_carthage(read: Reader, data: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Rome's ships, Carthage's mercenaries or militia by place, and whether Carthago has fallen."""
    for key in ("duoviri", "fallen"):
        if key in data:
            if not isinstance(data[key], bool):
                read.faults.add(f"{key}: true or false is needed", key)
            values[key] = int(data[key] is True)
    if "levies" in data:
        levies: dict[int, int] = {}
        for name, told in read.table(data["levies"], "levies").items():
            space = read.name("space", name)
            number = read.number(told, f"levies {name}", 0, 99)
            if space is None or number is None:
                continue
            forces = values["forces"][space]
            held = 99 if forces == HIDDEN else sum(f.outside + f.inside for f in forces if f.power == CAR)
            if "scenario" in data:
                number = min(number, held)
            if held < number:
                read.faults.add(f"levies: fewer than {number} CU of CAR stand at {name}", str(name))
            elif number > 0:
                levies[space] = number
        values["levies"] = tuple(sorted(levies.items()))


def _seat(read: Reader, value: object, none: bool = False) -> int:
    if none and value in ("none", "nobody"):
        return NONE
    seat = read.name("seat", value, "seat")
    if seat is None:
        return UNKNOWN
    if seat not in read.world.seats:
        read.faults.add(f"the seat {SEATS[seat]} is not in a game of {read.world.players}", str(value))
        return UNKNOWN
    return seat


def _read_alliances(read: Reader, data: Mapping[str, Any], state: State, values: dict[str, Any]) -> None:
    allies = list(state.allies)
    if "alliances" in data:
        pacts: dict[tuple[int, int], Pact] = {}
        for one in read.list(data["alliances"], "alliances"):
            turn = round_ = UNKNOWN
            if isinstance(one, dict):
                turn, round_ = one.get("turn", UNKNOWN), one.get("round", UNKNOWN)
                one = one.get("pair")
            pair = read.pair(one, "alliances")
            if pair is None:
                continue
            a, b = min(pair), max(pair)
            if (a, b) in pacts:
                read.faults.add(f"alliances: {POWERS[a]}-{POWERS[b]} stands twice", str(one))
            if (a, b) == (ETR, SAM) and state.allies[ETR] >> SAM & 1:
                read.faults.add(
                    "alliances: ETR and SAM are allied for good by the ruling etruscans_and_samnites", str(one)
                )
                continue
            for power in (a, b):
                if read.world.controller[power] == NONE and state.ruling("npp_alliances") == "refused":
                    read.faults.add(f"alliances: {POWERS[power]} is a non-player power and makes no alliance", str(one))
            pacts[(a, b)] = Pact(a, b, turn, round_)
        values["pacts"] = tuple(pacts.values())
        values["formal"] = masks_of(values["pacts"])
        for power in range(IND):
            allies[power] |= values["formal"][power]
        values["unsure"] = (0,) * len(POWERS)
    if values.get("treaty") == TREATY:
        allies[ROM] |= 1 << CAR
        allies[CAR] |= 1 << ROM
        if allies[ROM] >> GRE & 1:
            read.faults.add("treaty: Rome is not allied with the Greeks while it lasts", "treaty")
    values["allies"] = tuple(allies)


def _read_spaces(read: Reader, data: Mapping[str, Any], state: State, values: dict[str, Any]) -> None:
    world = read.world
    owner, loyalty = list(state.owner), list(state.loyalty)
    besieged_by, points = list(state.besieged_by), list(state.siege_points)
    forces = list(state.forces)
    leader_at = list(state.leader_at)
    inside_mask = 0
    elsewhere = data.get("elsewhere", "unknown")
    if elsewhere not in ("unknown", "home"):
        read.faults.unknown("value of elsewhere", elsewhere, ("unknown", "home"))
    if elsewhere == "home" or "scenario" in data:
        home = home_board(world)
        owner, loyalty = home["owner"], home["loyalty"]
        besieged_by, points = [NONE] * len(owner), [0] * len(owner)
        forces = [()] * len(owner)
    for space in bits(values.get("colonies", 0)):
        loyalty[space] = 1
    if "scenario" in data:
        scenario = world.scenarios.get(str(data["scenario"]))
        if scenario is None:
            read.faults.unknown("scenario", data["scenario"], world.scenarios)
        else:
            if scenario["players"] != world.players:
                read.faults.add(f"scenario: {data['scenario']} is not for {world.players} players", "scenario")
            told = scenario.get("spaces", {})
            inside_mask |= _spaces(read, told, owner, loyalty, besieged_by, points, forces, leader_at)
    told = read.table(data.get("spaces", {}), "spaces")
    inside_mask |= _spaces(read, told, owner, loyalty, besieged_by, points, forces, leader_at)
    values.update(
        owner=tuple(owner),
        loyalty=tuple(loyalty),
        besieged_by=tuple(besieged_by),
        siege_points=tuple(points),
        forces=tuple(forces),
        leader_at=tuple(leader_at),
        leader_inside=inside_mask,
        besieging=count_besieging(owner, besieged_by),
        support=count_support(read.kinds, owner, loyalty),
    )


def _spaces(
    read: Reader,
    told: Mapping[str, Any],
    owner: list[int],
    loyalty: list[int],
    besieged_by: list[int],
    points: list[int],
    forces: list[tuple[Force, ...]],
    leader_at: list[int],
) -> int:
    inside_mask = 0
    for name, facts in told.items():
        space = read.name("space", name)
        if space is None:
            continue
        facts = read.table(facts, str(name))
        for key in facts:
            if key not in SPACE_KEYS:
                read.faults.unknown(f"key of {name}", key, SPACE_KEYS)
        city = read.kinds[space] == CITY
        rated = city and bool(read.world.board.spaces[space].number("loyalty", read.world.players))
        if "owner" in facts:
            power = UNKNOWN if facts["owner"] == "?" else read.power(facts["owner"])
            if power is not None:
                if owner[space] != power and rated and "loyalty" not in facts and loyalty[space] >= 0:
                    loyalty[space] = 1
                owner[space] = power
                if power == IND and rated:
                    loyalty[space] = 1
        if "loyalty" in facts:
            number = read.number(facts["loyalty"], f"{name} loyalty", 0 if not city else 1, 3)
            if not city:
                read.faults.add(Fault("not_walled", place=str(name)), str(name))
            elif number is not None:
                loyalty[space] = number
        if "forces" in facts:
            for leader, at in enumerate(leader_at):
                if at == space:
                    leader_at[leader] = NONE
            forces[space], inside = _forces(read, name, space, facts["forces"], leader_at)
            inside_mask |= inside
        _siege(read, str(name), space, facts, owner, besieged_by, points, forces)
    return inside_mask


def _forces(read: Reader, name: str, space: int, told: object, leader_at: list[int]) -> tuple[tuple[Force, ...], int]:
    if told == "?":
        return HIDDEN, 0
    outside: dict[int, int] = {}
    inside: dict[int, int] = {}
    mask = 0
    for one in read.list(told, str(name)):
        match = _FORCE.match(one) if isinstance(one, str) else None
        power = read.power(match.group(1)) if match else None
        if match is None or power is None:
            if match is None:
                read.faults.add(
                    f"{name}: '{str(one)[:60]}' is not a force, such as 'ROM 5 Camillus' or 'GRE 2 inside'", str(name)
                )
            continue
        where = inside if match.group(4) else outside
        where[power] = where.get(power, 0) + int(match.group(2) or 0)
        if match.group(4) and read.kinds[space] != CITY:
            read.faults.add(f"{name}: nobody stands inside, it is no walled city", str(name))
        for leader_name in re.split(r"\s*,\s*", match.group(3).strip()):
            if not leader_name:
                continue
            code = f"{POWERS[power]} {leader_name}" if len(leader_name) == 1 else leader_name
            leader = read.name("leader", code)
            if leader is None:
                continue
            if read.world.leaders[leader].power != power:
                read.faults.add(f"{name}: {leader_name} is no leader of {POWERS[power]}", str(name), leader_name)
            if leader_at[leader] not in (NONE, space):
                read.faults.add(f"{leader_name} stands in two places", leader_name)
            leader_at[leader] = space
            if match.group(4):
                mask |= 1 << leader
    powers = sorted({*outside, *inside})
    found = tuple(Force(p, outside.get(p, 0), inside.get(p, 0)) for p in powers)
    return tuple(force for force in found if force.outside or force.inside), mask


def _siege(
    read: Reader,
    name: str,
    space: int,
    facts: Mapping[str, Any],
    owner: list[int],
    besieged_by: list[int],
    points: list[int],
    forces: list[tuple[Force, ...]],
) -> None:
    if "siege" not in facts:
        known = forces[space] != HIDDEN and "forces" in facts
        strangers = [f.power for f in forces[space] if f.outside and f.power != owner[space]] if known else []
        if known and besieged_by[space] == UNKNOWN and not strangers:
            besieged_by[space], points[space] = NONE, 0
        elif known and read.kinds[space] not in (CITY, TRIBE):
            besieged_by[space], points[space] = NONE, 0
        return
    siege = facts["siege"]
    if siege in ("none", False):
        besieged_by[space], points[space] = NONE, 0
        return
    table = read.table(siege, f"{name} siege")
    for key in table:
        if key not in ("by", "points"):
            read.faults.unknown(f"key of {name}.siege", key, ("by", "points"))
    power = read.power(table.get("by"))
    number = read.number(table.get("points", "?"), f"{name} siege points", 0, 9)
    if power is None or number is None:
        return
    if read.kinds[space] not in (CITY, TRIBE):
        read.faults.add(f"{name}: only a walled city or a tribe is besieged", name)
    besieged_by[space], points[space] = power, number


def _read_cards(read: Reader, data: Mapping[str, Any], values: dict[str, Any]) -> None:
    """Hands, open discards, cards out of the game, Desperate Times, and whether the program deals (`dealt`)."""
    for key in ("hands", "discards", "removed"):
        if key not in data:
            continue
        piles: list[tuple[int, ...]] = [()] * len(SEATS)
        for name, cards in read.table(data[key], key).items():
            seat = _seat(read, name)
            held = []
            for card in read.list(cards, f"{key} {name}"):
                found = UNKNOWN if card == "?" and key == "hands" else read.name("card", card)
                if found is not None:
                    held.append(found)
            if seat >= 0:
                piles[seat] = tuple(sorted(held)) if key == "hands" else tuple(held)
        values[key] = tuple(piles)
    if "reshuffle" in data:
        seats = [_seat(read, one) for one in read.list(data["reshuffle"], "reshuffle")]
        values["reshuffle"] = sum(1 << seat for seat in set(seats) if seat >= 0)
    if "desperate" in data:
        left = [0] * len(SEATS)
        for name, number in read.table(data["desperate"], "desperate").items():
            seat = _seat(read, name)
            most = int(read.world.tables["desperate"]["each"])
            told = read.number(number, f"desperate {name}", 0, most)
            if seat >= 0 and told is not None:
                left[seat] = max(0, told)
        values["desperate"] = tuple(left)
    if "dealt" in data:
        if not isinstance(data["dealt"], bool):
            read.faults.add("dealt: true or false is needed", "dealt")
        values["dealt"] = data["dealt"] is True
        values.setdefault("hands", ((),) * len(SEATS))
        if values["dealt"]:
            _check_decks(read, values)


def _check_decks(read: Reader, values: Mapping[str, Any]) -> None:
    """Where the program deals, no card may be there more often than in the deck."""
    for seat in read.world.seats:
        told = Counter(
            card for key in ("hands", "discards", "removed") for card in values.get(key, ((),) * len(SEATS))[seat]
        )
        deck = Counter(read.world.decks[seat])
        for card, count in told.items():
            # Desperate Times lie beside the deck until they are used (facts 7.14)
            if card >= 0 and count > deck[card] and read.world.cards[card].effect != "desperate":
                name = read.world.cards[card].id
                read.faults.add(f"{name}: the deck of {SEATS[seat]} has {deck[card]} of it, not {count}", name)


def _read_words(read: Reader, data: Mapping[str, Any], values: dict[str, Any]) -> None:
    offers = []
    for one in read.list(data.get("offers", []), "offers"):
        pair = read.pair(one, "offers")
        if pair is not None:
            offers.append(Offer(pair[0], pair[1], 0, 0))
    broken = []
    for one in read.list(data.get("broken", []), "broken"):
        pair = read.pair(one, "broken")
        if pair is not None:
            broken.append(Broken(pair[0], pair[1], values.get("turn", UNKNOWN), values.get("round", UNKNOWN)))
    promises = []
    for one in read.list(data.get("promises", []), "promises"):
        table = read.table(one, "promises")
        by, to = read.power(table.get("by")), read.power(table.get("to"))
        if by is not None and to is not None:
            promises.append(Promise(by, to, str(table.get("text", ""))[:400]))
    values.update(offers=tuple(offers), broken=tuple(broken), promises=tuple(promises))
    values["standing"] = tuple(
        found for one in read.list(data.get("standing", []), "standing") if (found := _standing(read, one))
    )


def _standing(read: Reader, line: object) -> Standing | None:
    """A standing answer, as it is typed."""
    try:
        command = NOTATION.read(str(line), read.names)
    except NotationError as error:
        read.faults.add(fault_of(error), str(line))
        return None
    if not isinstance(command, SetStanding) or read.world.controller[command.power] == NONE:
        read.faults.add(f"standing: '{str(line)[:80]}' is no standing answer of a player", str(line))
        return None
    return command.standing


def _check(read: Reader, state: State, data: Mapping[str, Any]) -> None:
    """What contradicts itself."""
    most = int(state.world.tables["movement"]["inside"])
    for space, forces in enumerate(state.forces):
        if not state.known_troops(space):
            continue
        name = state.world.names["space"][space]
        owner = state.owner[space]
        outside = [force.power for force in forces if force.outside]
        for i, a in enumerate(outside):
            for b in outside[i + 1 :]:
                if not state.allies[a] >> b & 1 and not state.unsure[a] >> b & 1:
                    read.faults.add(
                        f"{name}: {POWERS[a]} and {POWERS[b]} both have CU outside and are not allied", name
                    )
        for force in forces:
            if force.inside > most:
                read.faults.add(f"{name}: at most {most} CU stand inside, not {force.inside}", name)
            stranger = owner not in (UNKNOWN, force.power) and not state.allies[force.power] >> owner & 1
            if force.inside and stranger and not (owner >= 0 and state.unsure[force.power] >> owner & 1):
                read.faults.add(
                    f"{name}: {POWERS[force.power]} has CU inside a city that is neither its own nor an ally's", name
                )
    for leader in bits(state.displaced):
        if state.leader_at[leader] != NONE:
            name = state.world.leader_names[leader]
            read.faults.add(f"displaced: {name} stands on the map", name)
    for space, besieger in enumerate(state.besieged_by):
        if besieger < 0:
            continue
        name = state.world.names["space"][space]
        owner = state.owner[space]
        if owner == besieger:
            read.faults.add(f"{name}: {POWERS[besieger]} besieges its own place", name)
        elif owner >= 0 and state.allies[besieger] >> owner & 1 and state.ruling("siege_when_allied") == "lifted":
            read.faults.add(f"{name}: {POWERS[besieger]} besieges a place of its ally {POWERS[owner]}", name)
        if state.known_troops(space) and not state.force(besieger, space).outside:
            read.faults.add(f"{name}: {POWERS[besieger]} besieges it but has no CU there", name)
    if state.phase == UNKNOWN and data.get("acting") and state.active in (UNKNOWN, NONE):
        read.faults.add("acting: a non-player power acts by the active player's event; say who is active", "acting")


def _with_frames(state: State) -> State:
    """The step under way, as far as the phase and the active player tell it."""
    from msgspec.structs import replace

    frames: tuple[Frame, ...] = ()
    if state.phase == ACTION and state.active >= 0:
        order = state.order
        after = order[order.index(state.active) + 1 :]
        frames = (TurnFrame(after), Activation(state.active))
    elif state.phase == ALLIANCES and not any(state.unsure):
        frames = (TurnFrame((), True),)
        try:
            if pairs_to_renew(state):
                frames = (*frames, renewal(state))
        except Unknown:
            pass  # without the victory points nobody knows who decides first
    elif state.phase == OVER:
        frames = (TurnFrame(()),)
    elif state.phase in TURN_END or state.phase in (MINES, DRAW, FIRST_PLAYER):
        frames = (TurnFrame((), False),)
    return replace(state, frames=frames)


def write_sketch(state: State) -> dict[str, Any]:
    """A position as the data of a sketch: the reverse of `read_sketch` where no step is half done."""
    world = state.world
    names = world.names
    data: dict[str, Any] = {"game": "sword_of_rome", "players": world.players}
    chosen = {
        ruling.name: ruling.options[state.rulings[i]]
        for i, ruling in enumerate(world.rulebook.rulings)
        if state.rulings[i] != world.rulebook.defaults[i]
    }
    if chosen:
        data["rulings"] = chosen
    for key, value in (("turn", state.turn), ("round", state.round)):
        if value > 0:
            data[key] = value
    if state.phase != UNKNOWN:
        data["phase"] = PHASES[state.phase]
    if state.active != UNKNOWN:
        data["active"] = "none" if state.active == NONE else SEATS[state.active]
    if state.out > 0:
        data["out"] = [SEATS[seat] for seat in bits(state.out)]
    if state.lost > 0:
        data["lost"] = [names["leader"][leader] for leader in bits(state.lost)]
    if state.ranking:
        data["winners"] = [SEATS[seat] for seat in state.winners]
        data["ranking"] = [SEATS[seat] for seat in state.ranking]
    if state.order != state.seats:
        data["order"] = [SEATS[seat] for seat in state.order]
    vp = {SEATS[seat]: points for seat, points in enumerate(state.vp) if points != UNKNOWN}
    if vp:
        data["vp"] = vp
    if not any(state.unsure):
        data["alliances"] = [_pact_data(pact) for pact in state.pacts]
    spaces: dict[str, Any] = {}
    for space, name in enumerate(names["space"]):
        facts = _space_data(state, space)
        if facts:
            spaces[name] = facts
    if spaces:
        data["spaces"] = spaces
    for key, piles in (("hands", state.hands), ("discards", state.discards), ("removed", state.removed)):
        if any(piles):
            data[key] = {
                SEATS[seat]: [("?" if card == UNKNOWN else names["card"][card]) for card in pile]
                for seat, pile in enumerate(piles)
                if pile
            }
    if state.reshuffle:
        data["reshuffle"] = [SEATS[seat] for seat in bits(state.reshuffle)]
    if any(state.desperate):
        data["desperate"] = {SEATS[seat]: count for seat, count in enumerate(state.desperate) if count}
    if state.dealt:
        data["dealt"] = True
    if state.activated > 0:
        data["activated"] = [POWERS[p] for p in range(IND) if state.activated >> p & 1]
    if state.acting_npp >= 0:
        data["acting"] = {"npp": POWERS[state.acting_npp], "by": SEATS[state.activator]}
    if state.displaced > 0:
        data["displaced"] = [names["leader"][leader] for leader in bits(state.displaced)]
    if state.commanders > 0:
        data["commanders"] = [names["leader"][leader] for leader in bits(state.commanders)]
    if state.appian_way:
        data["appian_way"] = True
    if state.treaty:
        data["treaty"] = TREATIES[state.treaty]
    if state.unrest:
        data["unrest"] = state.unrest
    if state.duoviri:
        data["duoviri"] = True
    if state.levies:
        data["levies"] = {names["space"][space]: count for space, count in state.levies}
    if state.fallen:
        data["fallen"] = True
    if state.colonies:
        data["colonies"] = [names["space"][space] for space in bits(state.colonies)]
    if state.plunder:
        data["plunder"] = {POWERS[GAL if state.plunder > 0 else TRA]: abs(state.plunder)}
    if state.depleted:
        data["mines"] = "depleted"
    for key, pairs in (
        ("offers", [(offer.by, offer.to) for offer in state.offers]),
        ("broken", [(broken.by, broken.ally) for broken in state.broken]),
    ):
        if pairs:
            data[key] = [f"{POWERS[a]}-{POWERS[b]}" for a, b in pairs]
    if state.promises:
        data["promises"] = [{"by": POWERS[p.by], "to": POWERS[p.to], "text": p.text} for p in state.promises]
    if state.standing:
        data["standing"] = [NOTATION.write(command_of(one), names) for one in state.standing]
    return data


def _pact_data(pact: Pact) -> Any:
    pair = f"{POWERS[pact.a]}-{POWERS[pact.b]}"
    if pact.turn == UNKNOWN:
        return pair
    return {"pair": pair, "turn": pact.turn, "round": pact.round}


def _space_data(state: State, space: int) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    if state.owner[space] != UNKNOWN:
        facts["owner"] = POWERS[state.owner[space]]
    if state.kinds[space] == CITY and state.loyalty[space] > 0:
        facts["loyalty"] = state.loyalty[space]
    if state.known_troops(space):
        facts["forces"] = _forces_data(state, space)
    if state.besieged_by[space] >= 0:
        facts["siege"] = {"by": POWERS[state.besieged_by[space]]}
        if state.siege_points[space] >= 0:
            facts["siege"]["points"] = state.siege_points[space]
    elif state.besieged_by[space] == NONE and (facts.get("forces") or "forces" not in facts):
        facts["siege"] = "none"
    return facts


def _forces_data(state: State, space: int) -> list[str]:
    found = []
    leaders = state.leaders_in(space)
    powers = {force.power for force in state.forces[space]} | {state.world.leaders[i].power for i in leaders}
    for power in sorted(powers):
        force = state.force(power, space)
        for inside, count in ((False, force.outside), (True, force.inside)):
            named = [
                state.world.names["leader"][i]
                for i in leaders
                if state.world.leaders[i].power == power and bool(state.leader_inside >> i & 1) == inside
            ]
            if count or named:
                words = [POWERS[power], str(count)]
                if named:
                    words.append(", ".join(named))
                found.append(" ".join(words) + (" inside" if inside else ""))
    return found
