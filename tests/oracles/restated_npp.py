"""Who decides for a non-player power, restated from rule 16.1 as plainly as possible."""

from __future__ import annotations

from dataclasses import dataclass, field

# 4.4: the order that settles equal VP.
TIE_ORDER = ("GAL", "ETR", "SAM", "GRE", "CAR", "ROM")

# The matters that 16.1 leaves open; the first option is the default.
RULINGS: dict[str, tuple[str, ...]] = {
    "exclusions_while_inactive": ("turn_end_only", "always"),  # 16.1.M1
    "decider_tie": ("tie_winner_names", "tie_rank"),  # 16.1.M2
    "active_player_as_decider": ("barred", "may_decide"),  # 16.1.M3
    "half_ally": ("counts", "ignored"),  # 16.1.M4
    "fallback_reach": ("everywhere", "turn_end_only"),  # 16.1.M5
    "fallback_among": ("barred_by_alliance", "all_players"),  # 16.1.M6
    "rome_decides_when": ("treaty_only", "any_alliance"),  # 16.1.M7
}

# 4.3: with two players one person holds Rome with the Etruscans and Samnites, the other the Gauls with the Greeks.
SECOND_SEAT = {"ROM": "ES", "ES": "ROM", "GRE": "GAL", "GAL": "GRE"}

Answer = tuple[str, frozenset[str], str]


@dataclass(frozen=True)
class Question:
    """One decision of a non-player power; VP are by seat, alliances are pairs of powers."""

    players: int
    seats: dict[str, tuple[str, ...]]
    vp: dict[str, int]
    alliances: frozenset[frozenset[str]]
    active: str | None
    npp: str  # "CAR", "VOL", "TRA" or "MER"
    moment: str  # "activated", "inactive" or "turn_end"
    activator: str | None = None
    treaty: bool = False
    rulings: dict[str, str] = field(default_factory=dict)


def option(q: Question, name: str) -> str:
    chosen = q.rulings.get(name, RULINGS[name][0])
    if chosen not in RULINGS[name]:
        raise ValueError(f"no such option of {name}: {chosen}")
    return chosen


def seat_of(q: Question, power: str) -> str | None:
    for seat, powers in q.seats.items():
        if power in powers:
            return seat
    return None


def power_meets_seat(q: Question, power: str, seat: str) -> bool:
    # 15.1.n: an alliance joins two powers; this asks for one between the power and any power of the seat.
    return any(frozenset({power, theirs}) in q.alliances for theirs in q.seats[seat])


def is_half(q: Question, seat: str) -> bool:
    return "ETR" in q.seats[seat] and "SAM" in q.seats[seat]


def players_allied(q: Question, one: str, other: str) -> bool:
    # 16.1.M3: nobody is his own ally, not even the player of the Etruscans and Samnites.
    if one == other:
        return False
    # 16.1.M4 half_ally, counts: any alliance between a power of the one and a power of the other.
    if option(q, "half_ally") == "counts":
        return any(power_meets_seat(q, power, other) for power in q.seats[one])
    # 16.1.M4 half_ally, ignored: with the Etruscan/Samnite player both of his powers must be joined to the
    # other seat, and only then does that count. It is the same from either side.
    if is_half(q, other):
        one, other = other, one
    for power in q.seats[one]:
        if is_half(q, one) and power in ("ETR", "SAM"):
            if power_meets_seat(q, "ETR", other) and power_meets_seat(q, "SAM", other):
                return True
        elif power_meets_seat(q, power, other):
            return True
    return False


def named_in_exclusion(q: Question) -> str | None:
    # 16.1.d: Transalpine Gauls, not the Gallic player.
    if q.npp == "TRA":
        return seat_of(q, "GAL")
    # 16.1.e: Volsci, not the Roman player.
    if q.npp == "VOL":
        return seat_of(q, "ROM")
    # 16.1.f: Carthage, not the Greek player; ignored with five players.
    if q.npp == "CAR":
        if q.players == 5:
            return None
        return seat_of(q, "GRE")
    # 16.1.g: the Revolting Mercenaries, not the Carthaginian player.
    if q.npp == "MER":
        return seat_of(q, "CAR")
    raise ValueError(f"no such non-player power: {q.npp}")


def rome_decides(q: Question) -> bool:
    # 16.1.h is for Carthage alone.
    if q.npp != "CAR":
        return False
    # 16.1.M7 rome_decides_when, treaty_only: the treaty of 18.0.
    if q.treaty:
        return True
    # 16.1.M7 rome_decides_when, any_alliance: any alliance of Rome with Carthage.
    return option(q, "rome_decides_when") == "any_alliance" and frozenset({"ROM", "CAR"}) in q.alliances


def tie_place(q: Question, seat: str) -> int:
    # 4.4: a player of several powers ranks by the first of them (the Etruscans before the Samnites).
    return min(TIE_ORDER.index(power) for power in q.seats[seat])


def fewest(q: Question, pool: list[str], clause: str) -> Answer:
    # 16.1.b, 16.1.c and 16.1.i alike: the player with the fewest VP.
    lowest = min(q.vp[seat] for seat in pool)
    tied = [seat for seat in pool if q.vp[seat] == lowest]
    # 4.4: who wins the tie.
    winner = min(tied, key=lambda seat: tie_place(q, seat))
    # 16.1.M2 decider_tie, tie_rank: the winner decides himself.
    if option(q, "decider_tie") == "tie_rank":
        return winner, frozenset({winner}), clause
    # 16.1.M2 decider_tie, tie_winner_names: the winner names one of the tied; alone he simply decides.
    return winner, frozenset(tied), clause


def deciders(q: Question) -> Answer:
    """Who decides, or who names the decider; among whom; and by which clause."""
    # 16.1.h: "all decisions", an exception to everything before it, the activation of 16.1.a included.
    if rome_decides(q):
        rome = seat_of(q, "ROM")
        if rome is None:
            raise ValueError("nobody plays Rome")
        return rome, frozenset({rome}), "16.1.h"

    # 16.1.a: activated by an event, the player of the event decides everything.
    if q.moment == "activated":
        if q.activator is None:
            raise ValueError("activated by nobody")
        return q.activator, frozenset({q.activator}), "16.1.a"

    if q.moment == "inactive":
        clause = "16.1.b"
        # 16.1.b: allies of the active player are out.
        active = q.active
        # 16.1.M1 exclusions_while_inactive: d to g bind here only under "always".
        exclusions = option(q, "exclusions_while_inactive") == "always"
    elif q.moment == "turn_end":
        clause = "16.1.c"
        # 16.1.c: at the end of a turn nobody is active.
        active = None
        # 16.1.c: subject to d to g.
        exclusions = True
    else:
        raise ValueError(f"no such moment: {q.moment}")

    # 16.1.d to g: the player named, if they apply and someone plays that power.
    named = named_in_exclusion(q) if exclusions else None

    barred_in_person: list[str] = []
    barred_by_alliance: list[str] = []
    eligible: list[str] = []
    for seat in q.seats:
        if seat == named:
            # 16.1.d to g: the player named himself.
            barred_in_person.append(seat)
        elif seat == active and option(q, "active_player_as_decider") == "barred":
            # 16.1.M3 active_player_as_decider, barred: the active player himself.
            barred_in_person.append(seat)
        elif q.players == 2 and SECOND_SEAT[seat] == active and option(q, "active_player_as_decider") == "barred":
            # 4.3: with two players the active person holds this seat, too.
            barred_in_person.append(seat)
        elif named is not None and players_allied(q, seat, named):
            # 16.1.d to g: an ally of the player named.
            barred_by_alliance.append(seat)
        elif active is not None and players_allied(q, seat, active):
            # 16.1.b: an ally of the active player.
            barred_by_alliance.append(seat)
        else:
            eligible.append(seat)

    # 16.1.b or 16.1.c: someone has the right to decide.
    if eligible:
        return fewest(q, eligible, clause)

    # 16.1.M5 fallback_reach, turn_end_only: 16.1.i does not serve 16.1.b, and nobody decides.
    if q.moment == "inactive" and option(q, "fallback_reach") == "turn_end_only":
        return "", frozenset(), "16.1.b"

    # 16.1.i, 16.1.M6 fallback_among, barred_by_alliance: those whom only an alliance kept out.
    if option(q, "fallback_among") == "barred_by_alliance" and barred_by_alliance:
        return fewest(q, barred_by_alliance, "16.1.i")
    # 16.1.i, 16.1.M6 fallback_among, all_players; and the default when nobody was left.
    return fewest(q, list(q.seats), "16.1.i")
