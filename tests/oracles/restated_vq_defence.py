"""Defence by allied powers in one space of Virgin Queen, restated as plainly as possible.

Where the text can be read in two ways the reading is an entry of `rulings`:

`defend_three` (defend.M1), which of the powers in the space form the one formation:
    `at_war_or_ally_of_one` (default): those at war with the attacker, and those allied with one who is and is there;
    `joined_by_alliances`: also the allies of those, and so on, among the powers in the space;
    `everybody`: all who are there, once one of them is at war with the attacker.
    With two powers the first two are the same.
`ally_of_both`: a power that is allied with the attacker too (ally.3 lets it). `defends`: defend.5 takes all
    allied units, whoever is at war; `stands_aside`: it does not count against its own ally.
`left_alone`: powers not at war with the attacker once those who are have got away. `no_battle`: f8.19 gives the
    attacker nobody to attack; `battle`: the formation was one when it was attacked, and the rest of it fights.
`odd_loss_die` (defend.M2): `low_first` (1 to 3 the first of the two in Impulse Order, 4 to 6 the other) or
    `odd_first` (1, 3, 5 the first, 2, 4, 6 the other). For three and more who may take an odd loss the die is cut into
    as many equal parts (or counted through in turn); what is over is rolled again. One odd loss a power at most in one
    battle: losses are as even as can be.
"""

from __future__ import annotations

from dataclasses import dataclass, field

IMPULSE_ORDER = ("OTT", "SPA", "ENG", "FRA", "HRE", "PRO")

DEFAULTS: dict[str, str] = {
    "defend_three": "at_war_or_ally_of_one",
    "ally_of_both": "defends",
    "left_alone": "no_battle",
    "odd_loss_die": "low_first",
}

Pair = frozenset[str]


@dataclass(frozen=True)
class Stack:
    """What one great power has in the space: number of land units and its army leaders."""

    power: str
    units: int
    leaders: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attack:
    """An attack on a space with these stacks, of one power each; `controller` holds the space."""

    attacker: str
    stacks: tuple[Stack, ...]
    wars: frozenset[Pair]
    alliances: frozenset[Pair]
    controller: str | None = None
    rulings: dict[str, str] = field(default_factory=dict)


def rule(attack: Attack, name: str) -> str:
    return attack.rulings.get(name, DEFAULTS[name])


def in_impulse_order(powers: frozenset[str]) -> tuple[str, ...]:
    return tuple(power for power in IMPULSE_ORDER if power in powers)


def present(attack: Attack) -> frozenset[str]:
    # defend.1: units and leaders alike; an empty stack is nobody's.
    found = [stack.power for stack in attack.stacks if stack.units > 0 or stack.leaders]
    if len(found) != len(set(found)):
        raise ValueError("two stacks of one power")
    if attack.attacker in found:
        raise ValueError(f"{attack.attacker} attacks itself")
    return frozenset(found)


def at_war_with_attacker(attack: Attack, power: str) -> bool:
    return frozenset({attack.attacker, power}) in attack.wars


def formation(attack: Attack) -> tuple[str, ...]:
    """The powers that defend as one, in Impulse Order; none if the attacker is at war with nobody there."""
    here = present(attack)
    # f8.19: without a state of war with somebody there, there is no attack.
    enemies = frozenset(power for power in here if at_war_with_attacker(attack, power))
    if not enemies:
        return ()
    ruling = rule(attack, "defend_three")
    defending = set(enemies)
    if ruling == "everybody":
        defending = set(here)
    else:
        # defend.1, defend.5: allies of one at war with the attacker, themselves at war or not.
        for power in here:
            for enemy in enemies:
                if frozenset({power, enemy}) in attack.alliances:
                    defending.add(power)
        while ruling == "joined_by_alliances":
            more = {
                power
                for power in here - defending
                if [one for one in defending if frozenset({power, one}) in attack.alliances]
            }
            if not more:
                break
            defending |= more
    if rule(attack, "ally_of_both") == "stands_aside":
        defending = {power for power in defending if frozenset({power, attack.attacker}) not in attack.alliances}
    return in_impulse_order(frozenset(defending))


def totals(attack: Attack) -> tuple[int, tuple[str, ...]]:
    """Land units and army leaders of the formation put together (defend.1, defend.5)."""
    units = 0
    leaders: tuple[str, ...] = ()
    for power in formation(attack):
        for stack in attack.stacks:
            if stack.power == power:
                units = units + stack.units
                leaders = leaders + stack.leaders
    return units, leaders


def decider(attack: Attack) -> str | None:
    """Who decides for the formation (defend.M3): the controller, else the most units, else the Impulse Order."""
    powers = formation(attack)
    if not powers:
        return None
    if attack.controller in powers:
        return attack.controller
    strengths = {stack.power: stack.units for stack in attack.stacks if stack.power in powers}
    most = max(strengths.values())
    return next(power for power in powers if strengths[power] == most)


def withdrawn(attack: Attack, power: str, units: bool, leaders: bool) -> Attack:
    """The attack after this power has taken away its units, its leaders or both (defend.2); the others stay."""
    if power not in formation(attack):
        raise ValueError(f"{power} does not defend here")
    left: list[Stack] = []
    for stack in attack.stacks:
        if stack.power == power:
            stack = Stack(power, 0 if units else stack.units, () if leaders else stack.leaders)
        left.append(stack)
    return Attack(attack.attacker, tuple(left), attack.wars, attack.alliances, attack.controller, attack.rulings)


def avoided(attack: Attack, rolls: dict[str, bool]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Who got away and who is left to fight, each power by its own roll (defend.6); no roll means it stays."""
    powers = formation(attack)
    for power in rolls:
        if power not in powers:
            raise ValueError(f"{power} does not defend here")
    away = tuple(power for power in powers if rolls.get(power, False))
    rest = tuple(power for power in powers if power not in away)
    if rule(attack, "left_alone") == "no_battle":
        # Those who were in it only beside an enemy of the attacker are out of it with him.
        if not [power for power in rest if at_war_with_attacker(attack, power)]:
            rest = ()
    return away, rest


def taken_by(ruling: str, candidates: tuple[str, ...], die: int) -> str | None:
    """Who of the candidates, in Impulse Order, takes the odd loss; None means roll again."""
    if die not in (1, 2, 3, 4, 5, 6):
        raise ValueError(f"not the face of a die: {die}")
    faces = 6 // len(candidates)
    if die > faces * len(candidates):
        return None
    if ruling == "odd_first":
        return candidates[(die - 1) % len(candidates)]
    return candidates[(die - 1) // faces]


def losses(strengths: dict[str, int], hits: int, dice: tuple[int, ...], ruling: str = "low_first") -> dict[str, int]:
    """How many units each power of the formation loses (defend.3, defend.4).

    `strengths` are land units; `dice` are the dice rolled for odd losses, in order, as many as are needed.
    """
    lost = dict.fromkeys(in_impulse_order(frozenset(strengths)), 0)
    if len(lost) != len(strengths):
        raise ValueError(f"not great powers: {sorted(strengths)}")
    to_take = hits
    while True:
        # defend.3: only those who have anything left.
        alive = tuple(power for power in lost if strengths[power] > lost[power])
        if to_take == 0 or not alive:
            return lost
        if to_take < len(alive):
            break
        for power in alive:
            lost[power] = lost[power] + 1
        to_take = to_take - len(alive)
    # defend.4: fewer losses left than powers that could take one.
    rolled = list(dice)
    while to_take > 0:
        if not rolled:
            raise ValueError("an odd loss and no die for it")
        hit = taken_by(ruling, alive, rolled.pop(0))
        if hit is None:
            continue
        lost[hit] = lost[hit] + 1
        alive = tuple(power for power in alive if power != hit)
        to_take = to_take - 1
    return lost
