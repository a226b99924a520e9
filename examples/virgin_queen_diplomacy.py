"""Six people play a Diplomacy Phase of Virgin Queen over HTTP: talks, agreements, a loan, a ransom, a war.

    python examples/virgin_queen_diplomacy.py [--url ADDRESS] [--lang ru]

Without an address a server is started for as long as the script runs. The first turn is passed over, since the wars
that the campaign begins with cannot be ended in it; then the second turn's Diplomacy Phase is played whole. On the way
the script holds the server to its word: what two seats whisper or sign must not stir the stream or the view of a third,
what the rules forbid must be refused by the clause that forbids it. At the end the record is exported, verified with
`foedus verify` and printed, each step with the clauses that allow it. If anything is not as it should be, the script
says so and ends with 1.
"""

from __future__ import annotations

import argparse
import secrets
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from client import Client, Problem, Stream, server

from foedus.kernel import desk, record
from foedus.kernel.game import find_game
from foedus.kernel.words import capital

PEOPLE = {"OTT": "Ayşe", "SPA": "Benito", "ENG": "Clara", "FRA": "Denis", "HRE": "Ernst", "PRO": "Femke"}

SECRETS = {
    "England and France make a peace that nobody else is to hear of before the heralds": (
        "ENG drafts agreement with FRA",
        "ENG writes: ENG makes peace with FRA",
        "ENG writes: FRA gives a card to ENG",
        "ENG offers its draft",
        "FRA signs agreement of ENG with FRA",
    ),
    "three powers: Spain drafts, the Empire wants a card and amends, all sign the second version": (
        "SPA drafts agreement with FRA, HRE",
        "SPA writes: SPA allies with HRE",
        "SPA writes: HRE gives 1 mercenary to SPA",
        'SPA writes: FRA promises SPA "{promise}"',
        "SPA offers its draft",
        "HRE amends agreement of SPA with FRA, HRE",
        "HRE writes: SPA gives a card to HRE",
        "HRE offers its draft",
        "FRA signs agreement of HRE with SPA, FRA",
        "SPA signs agreement of HRE with SPA, FRA",
    ),
    "the Ottomans lend France galleys": (
        "FRA drafts agreement with OTT",
        "FRA writes: FRA allies with OTT",
        "FRA writes: OTT lends 2 galleys at Istanbul to FRA",
        "FRA offers its draft",
        "OTT signs agreement of FRA with OTT",
    ),
}
"""What is agreed on in secret."""

PROMISES = {"en": "no war with Spain this year", "ru": "в этом году с Испанией не воевать"}

OUTSIDE = ("PRO", "-")
"""Who is party to nothing: the Protestants, and spectators."""

MUST_BE_CITED = ("f3.3", "f3.8", "f3.10", "ally.9", "loan.5", "agree.1", "agree.3", "ransom.2", "ransom.3", "dow.2")
"""The clauses by which the main steps of the phase happen; the record must name them all."""

PLAIN = ("AgreementDrafted", "AgreementOffered", "NegotiationDone")
"""Events that say no more than the command that brought them about."""

PASSING = {
    "negotiation": "has done negotiating",
    "war": "declares no more wars",
    "deploy": "deploys nothing",
    "impulse": "passes",
}
"""What a power says that does nothing, by what is awaited of it."""

WORDS = {
    "en": {
        "table": "{host} makes a table and invites five others; each adds a number to the dice",
        "first": "Turn 1: nothing is agreed on, nobody moves ({count} commands)",
        "captive": "By consent of all six: Guise is a captive of Spain",
        "secret": "In secret: {count} commands, {said} messages; the Protestants and a spectator were sent nothing",
        "announced": "All have done: {count} agreements are announced to everybody; promises only to those they bind",
        "ransom": "France ransoms Guise for a card; whose hand it leaves, who draws it, but not which, is known to all",
        "war": "Spain declares war on England and pays {count} card(s)",
        "over": "By consent of all six the game ends here; the secret of the dice is published",
        "verify": "foedus verify:",
        "record": "The record of the phase:",
        "clauses": "The clauses:",
    },
    "ru": {
        "table": "{host} открывает стол и приглашает ещё пятерых; каждый добавляет своё число к кубикам",
        "first": "Ход 1: ни о чём не договариваются, никто не движется (команд: {count})",
        "captive": "С согласия всех шестерых: Гиз в плену у Испании",
        "secret": "Тайно: команд {count}, сообщений {said}; протестантам и зрителю не послано ничего",
        "announced": "Все закончили: {count} соглашения объявлены всем, обещания — только тем, кого они касаются",
        "ransom": "Франция выкупает Гиза за карту; все знают, из чьей она руки и кто её тянет, но не какая она",
        "war": "Испания объявляет войну Англии и платит картами: {count}",
        "over": "С согласия всех шестерых партия на этом кончается; тайна кубиков опубликована",
        "verify": "foedus verify:",
        "record": "Запись фазы:",
        "clauses": "Пункты правил:",
    },
}


class Wrong(Exception):
    """The server did not do what it should."""


def must(holds: object, what: str) -> None:
    """Raise `Wrong` unless it holds."""
    if not holds:
        raise Wrong(what)


class Table:
    """Six people at one table."""

    def __init__(self, address: str, language: str) -> None:
        self.words = WORDS[language]
        self.promise = PROMISES[language]
        mark = secrets.token_hex(3)  # the server may know other people of these names
        self.people = {
            seat: Client(address, f"{name} {mark}", secrets.token_urlsafe(12), language)
            for seat, name in PEOPLE.items()
        }
        self.watcher = Client(address, f"Guest {mark}", secrets.token_urlsafe(12), language)
        self.host = self.people["OTT"]
        made = self.host.post(
            "/api/tables",
            {"game": "virgin_queen", "players": 6, "title": f"Europe {mark}", "settings": {"spectators": True}},
        )
        self.id: str = made["id"]
        self.path = f"/api/tables/{self.id}"
        self.said = 0
        must(made["commitment"], "the table has not committed to a secret of its dice")
        must({one["seat"] for one in made["seats"]} == set(PEOPLE), "the table has other seats than six powers")

    def tell(self, key: str, **facts: object) -> None:
        """Print a sentence."""
        print(f"* {self.words[key].format(**facts)}.".replace(":.", ":"))

    # sitting down

    def sit_down(self) -> None:
        """The host sits down and invites; the others follow their links; each adds a number to the dice."""
        self.host.post(f"{self.path}/seats/OTT")
        for seat, person in self.people.items():
            if person is not self.host:
                token = self.host.post(f"{self.path}/invitations", {"seat": seat})["link"].rpartition("/")[2]
                invited = person.get(f"/api/invitations/{token}")
                must(invited["seat"] == seat and invited["open"], f"the link for {seat} leads elsewhere: {invited}")
                person.post(f"/api/invitations/{token}")
                try:
                    self.watcher.post(f"/api/invitations/{token}")
                except Problem:
                    pass
                else:
                    raise Wrong(f"the invitation to {seat} could be used twice")
            number = str(secrets.randbelow(10**12))
            found = person.put(f"{self.path}/seats/{seat}/number", {"number": number})
            must(found["yours"] == [seat], f"whoever was invited to {seat} holds {found['yours']}")
        begun = self.host.post(f"{self.path}/begin")
        must(begun["status"] == "playing", f"the game did not begin: {begun['status']}")
        self.tell("table", host=PEOPLE["OTT"])

    # playing

    def do(self, line: str) -> list[dict[str, Any]]:
        """A power does something; gives the events its seat was told of."""
        seat = line[:3]
        answer = self.people[seat].command(self.id, seat, line)
        return [event for one in answer["lines"] for event in one.get("events", ())]

    def refused(self, line: str) -> dict[str, Any]:
        """A power tries what it may not do; gives the problem that this is."""
        try:
            self.do(line)
        except Problem as problem:
            must(problem.told["type"] == "refused", f"'{line}' should be refused by the rules: {problem}")
            return problem.told
        raise Wrong(f"'{line}' should be refused")

    def must_refuse(self, line: str, clause: str) -> None:
        """A power tries what one clause forbids it."""
        problem = self.refused(line)
        clauses = [one["clause"] for one in problem["ruling"]["reasons"]]
        must(clause in clauses, f"'{line}' should be refused by {clause}, not by {clauses}")
        said = problem["detail"].splitlines()[: 1 + len(clauses)]
        print(f"* {said[0]}", *(f"    {one.strip()}" for one in said[1:]), sep="\n")

    def seen(self, seat: str = "-") -> dict[str, Any]:
        """The position as a seat or a spectator may know it."""
        person = self.people.get(seat, self.watcher)
        found: dict[str, Any] = person.get(f"{self.path}/view?seat={seat}")
        return found

    def awaited(self) -> list[tuple[str, str]]:
        """Which power must decide what."""
        return [(one["power"], one["what"]) for one in self.seen()["awaiting"]]

    def pass_on(self, until: str, most: int = 60) -> int:
        """Everybody does nothing until something else is awaited; gives how many commands that took."""
        for count in range(most):
            power, what = self.awaited()[0]
            if what == until:
                return count
            must(what in PASSING, f"'{what}' is awaited of {power}, which the script does not expect")
            self.do(f"{power} {PASSING[what]}")
        raise Wrong(f"after {most} commands '{until}' is still not awaited")

    def consent(self, what: str, text: str = "") -> None:
        """One seat proposes, all others agree."""
        told = {"what": what, "text": text, "seat": "OTT"}
        found = self.host.post(f"{self.path}/proposals", told)
        for seat, person in self.people.items():
            if person is not self.host:
                must(found["status"] == "open", f"'{what} {text}' was done before all agreed")
                found = person.post(f"{self.path}/proposals/{found['id']}", {"yes": True, "seat": seat})
        must(found["status"] == "done", f"all agreed to '{what} {text}', and it is {found['status']}")

    def talk(self, seat: str, others: list[str], *words: str) -> None:
        """Some seats talk in a channel of their own, one word each in turn."""
        told = {"seat": seat, "others": others}
        channel = self.people[seat].post(f"{self.path}/talks", told)["channel"]
        for number, text in enumerate(words):
            by = [seat, *others][number % (1 + len(others))]
            self.people[by].post(f"{self.path}/talks/{channel}", {"seat": by, "text": text})
            self.said += 1

    # the phase

    def first_turn(self) -> None:
        """The first turn is passed over."""
        count = self.pass_on("war") + self.pass_on("impulse") + self.pass_on("negotiation")
        position = self.seen()["position"]
        must(position["turn"] == 2, f"it should be turn 2, and it is turn {position['turn']}")
        self.tell("first", count=count)

    def negotiate(self) -> None:
        """Talks, and three agreements that are drafted, offered, amended and signed in secret."""
        with ExitStack() as stack:
            before = {seat: self.seen(seat) for seat in (*PEOPLE, "-")}
            streams = {
                seat: Stream(self.people.get(seat, self.watcher), self.id, seat, since=view["n"])
                for seat, view in before.items()
            }
            for stream in streams.values():
                stack.callback(stream.close)
            self.talk("ENG", ["FRA"], "Peace, for a card?", "Agreed. Not a word to Spain.")
            self.talk("SPA", ["FRA", "HRE"], "Against the Sultan, together?", "I promise quiet.", "For a card, yes.")
            self.talk("FRA", ["OTT"], "Lend me your galleys.", "Two, to Marseille.")
            count = 0
            for lines in SECRETS.values():
                for line in lines:
                    self.do(line.format(promise=self.promise))
                    count += 1
            there, made_up = (f"PRO signs agreement of ENG with {other}" for other in ("FRA", "SPA"))
            must(
                self.refused(there)["detail"].partition("\n")[2] == self.refused(made_up)["detail"].partition("\n")[2],
                "a refusal tells PRO what others have agreed on",
            )
            for seat in OUTSIDE:
                must(self.seen(seat) == before[seat], f"what others agreed on in secret shows in the view of {seat}")
            self.host.post(f"{self.path}/talks/0", {"seat": "OTT", "text": "Are you ready?"})
            for seat, stream in streams.items():
                came = stream.until(lambda line: line["what"] == "talk" and line["channel"] == 0)
                whispers = sum(line["what"] == "talk" for line in came) - 1
                if seat in OUTSIDE:
                    must(len(came) == 1, f"{seat} was told of what others did in secret: {came[:-1]}")
                    must(came[0]["n"] == before[seat]["n"] + 1, f"the numbers of {seat} tell of secrets of others")
                else:
                    heard = {"ENG": 2, "FRA": 7, "SPA": 3, "HRE": 3, "OTT": 2}
                    must(whispers == heard[seat], f"{seat} heard {whispers} messages, not {heard[seat]}")
            self.tell("secret", count=count, said=self.said)
            self.must_refuse("FRA declares war on ENG", "dow.1")
            self.pass_on("ransom")
            announced = [self.announced(seat, stream) for seat, stream in streams.items()]
            must(announced == [len(SECRETS)] * len(streams), f"not all were announced to all: {announced}")
            self.tell("announced", count=len(SECRETS))

    def announced(self, seat: str, stream: Stream) -> int:
        """How many agreements a seat heard announced; no promise to whom it is none of his."""
        came = stream.until(lambda line: any(one["do"] == "PhaseBegan" for one in line.get("events", ())))
        events = [event for line in came for event in line.get("events", ())]
        promised = any(self.promise in str(one) for one in events)
        must(promised == (seat in ("SPA", "FRA", "HRE")), f"{seat}: a promise is known to others than its parties")
        return sum(event["do"] == "AgreementAnnounced" for event in events)

    def ransom(self) -> None:
        """France pays for Guise; which card it is only the two may know."""
        since = self.seen()["n"]
        self.do("FRA ransoms Guise")
        events = [one for line in self.watcher.lines(self.id, "-", since) for one in line.get("events", ())]
        passed = next((one for one in events if one["do"] == "CardPassed"), None)
        must(passed is not None and passed["taken"] == "?", f"a spectator should see that a card passed only: {passed}")
        must(any(one["do"] == "CaptiveReturned" for one in events), "Guise did not come home")
        self.do(f'SPA marks word of FRA kept "{self.promise}"')
        self.tell("ransom")

    def war(self) -> None:
        """Spain makes war on England and pays; England may make none on France, after their peace."""
        self.do("OTT declares no more wars")
        self.must_refuse("SPA declares war on HRE", "dow.M1")
        self.do("SPA declares war on ENG")
        paid = 0
        while self.awaited() == [("SPA", "pay_for_war")]:
            self.do(self.people["SPA"].get(f"{self.path}/choices?seat=SPA")["choices"][0]["line"])
            paid += 1
        must(paid, "Spain did not have to pay for its war")
        self.tell("war", count=paid)
        self.do("SPA declares no more wars")
        self.must_refuse("ENG declares war on FRA", "f8.11")
        self.pass_on("deploy")

    def end_of_phase(self) -> None:
        """What the phase has come to: made, ended, lent, as everybody may see it."""
        view = self.seen()
        position, order = view["position"], list(PEOPLE)
        for seat, wars, allies in (
            ("OTT", ["SPA"], ["FRA"]),
            ("SPA", ["OTT", "ENG"], ["HRE"]),
            ("ENG", ["SPA"], []),
            ("FRA", [], ["OTT"]),
            ("HRE", [], ["SPA"]),
            ("PRO", [], []),
        ):
            found = position["wars"][order.index(seat)], position["allies"][order.index(seat)]
            must(found == (wars, allies), f"wars and allies of {seat} should be {wars}, {allies}, not {found}")
        lent = [ship for port in position["fleets"] for ship in port if ship["holder"] != ship["owner"]]
        must(lent == [{"owner": "OTT", "kind": "galleys", "count": 2, "holder": "FRA"}], f"this is lent: {lent}")
        must("SPA" not in position["captor"], "Spain still has a captive")
        for block in view["status"]:
            print("\n      ".join([f"    {block['heading']}", *block["lines"]]))

    # the record

    def close(self, folder: Path) -> Path:
        """The game ends here by consent; gives the exported record."""
        part = self.people["PRO"].send("GET", f"{self.path}/record?seat=PRO").decode()
        must(self.promise not in part, "before the end the record of PRO has a promise among others")
        self.consent("end")
        self.tell("over")
        found = folder / "virgin-queen.jsonl"
        found.write_bytes(self.watcher.send("GET", f"{self.path}/record?seat=-"))
        return found


def verified(file: Path, language: str) -> None:
    """Let `foedus verify` check the record. Raises `Wrong`."""
    foedus = Path(sys.executable).with_name("foedus")
    command = [str(foedus), "verify", file.name, "--lang", language]
    said = subprocess.run(command, cwd=file.parent, capture_output=True, text=True, timeout=120)
    must(said.returncode == 0, f"the record does not verify: {said.stdout}{said.stderr}")
    print("\n".join(f"    {line}" for line in said.stdout.splitlines()))


def shown(file: Path, language: str) -> Iterator[str]:
    """The record of the Diplomacy Phase of turn 2, step by step, and the clauses it cites."""
    read = record.read_record(file.read_text(encoding="utf-8").splitlines())
    game = find_game(read.header.game)
    referee, start = record.open_record(game, read)
    speaker = desk.Speaker(referee, language)
    cited: set[str] = set()
    for step in record.steps(referee, start, read):
        if step.before.turn < 2 or step.before.phase > 4:
            continue
        clauses: list[str] = []
        if step.command is not None:
            clauses = list(referee.judge(step.before, step.command).clauses)
            line = step.batch.line if language == "en" else capital(speaker.command(step.command)).rstrip(".")
            yield from folded(
                f"{line}  [{', '.join(clauses)}]" if clauses else line, f"{step.batch.number:4}  {step.batch.by}  "
            )
        if len(step.events) > 1 or type(step.events[0]).__name__ not in PLAIN:
            said = list(desk.said_events(speaker, step.events))
            yield from (line for sentence in said for line in folded(sentence, " " * 11 + "- "))
            clauses += [clause for clause in game.rulebook.clauses for sentence in said if f"({clause})" in sentence]
        cited.update(clauses)
    missing = [clause for clause in MUST_BE_CITED if clause not in cited]
    must(not missing, f"the record does not cite {', '.join(missing)}")
    yield f"* {WORDS[language]['clauses']}"
    for id, clause in game.rulebook.clauses.items():
        if id in cited:
            yield f"    {id:9} {clause.title[language]}"


def folded(text: str, before: str) -> list[str]:
    """A text in lines that are not too long, with something before it."""
    return textwrap.wrap(text, 116, initial_indent=before, subsequent_indent=" " * (len(before) + 2))


def play(address: str, language: str) -> None:
    """Play the phase at the server; print what happens. Raises `Wrong`, `Problem`, `OSError`."""
    table = Table(address, language)
    table.sit_down()
    table.first_turn()
    table.consent("correct", "Paris units FRA 4 regulars")
    table.consent("correct", "captives Guise SPA")
    table.tell("captive")
    table.negotiate()
    table.ransom()
    table.war()
    table.end_of_phase()
    with tempfile.TemporaryDirectory() as folder:
        file = table.close(Path(folder))
        table.tell("verify")
        verified(file, language)
        table.tell("record")
        for line in shown(file, language):
            print(line)


def main() -> None:
    """Read the arguments and play."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", help="the address of a server; without it one is started")
    parser.add_argument("--lang", choices=sorted(WORDS), default="en", help="the language of what is printed")
    told = parser.parse_args()
    try:
        with server(told.url) as address:
            play(address, told.lang)
    except (Wrong, Problem, OSError) as error:
        sys.exit(f"{Path(__file__).name}: {error}")
    except (LookupError, TypeError, ValueError) as error:
        sys.exit(f"{Path(__file__).name}: the answer has another form than expected: {error!r}")


if __name__ == "__main__":
    main()
