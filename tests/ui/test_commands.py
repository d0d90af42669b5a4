"""The commands that need no other peer: exact output, exit status, and one sentence for every error."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from p2pmatryoshka.node.home import Home
from p2pmatryoshka.rules import words
from p2pmatryoshka.table import messages, record_file
from p2pmatryoshka.table.step import Closed
from p2pmatryoshka.table.table import Table
from p2pmatryoshka.ui.cli import main
from tests.table.attack import settle, sign, whole_game
from tests.table.memory import Group, checks_shared, identities, roster_for


@pytest.fixture(scope="module")
def table() -> Table:
    """A whole game, sealed."""
    with checks_shared():
        group = Group(3, seed=21)
        group.run()
    return group.players[0].table


@pytest.fixture(scope="module")
def record(table: Table) -> bytes:
    return record_file.export(table)


def run(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments], input=text)


def fails(result: Result, status: int = 2) -> str:
    """The one sentence of a failure."""
    assert result.exit_code == status
    assert result.output.startswith("p2pmatryoshka: ")
    assert result.output.count("\n") == 1
    return result.output.removeprefix("p2pmatryoshka: ")


def commands() -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, command in main.commands.items():
        found.append((name,))
        found += [(name, sub) for sub in getattr(command, "commands", {})]
    return found


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_every_command_has_help_with_an_example(command: tuple[str, ...]) -> None:
    result = run(*command, "--help")
    assert result.exit_code == 0
    assert "Example" in result.output
    assert f"  p2pmatryoshka {command[0]}" in result.output


def test_a_wrong_option_is_one_sentence() -> None:
    assert "--help" in fails(run("play", "--seats", "many"))
    assert "No such option" in fails(run("id", "--colour"))
    assert "No such command" in fails(run("paly"))


# --- audit


def test_a_record_that_holds(table: Table, record: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.record"
    file.write_bytes(record)
    result = run("audit", file)
    assert result.exit_code == 0
    assert result.output.startswith("The record holds")
    stage = table.moment.stage
    assert isinstance(stage, Closed)
    for seat, points in stage.over.points:
        assert f"  Player {stage.layout.seating[seat]}: {points} point" in result.output


def test_a_record_that_holds_as_json(table: Table, record: bytes, tmp_path: Path) -> None:
    file = tmp_path / "game.record"
    file.write_bytes(record)
    told = json.loads(run("audit", file, "--json").stdout)
    stage = table.moment.stage
    assert isinstance(stage, Closed)
    assert told["holds"] is True
    assert told["table"] == table.roster.table.hex()
    assert {(score["member"], score["points"]) for score in told["scores"]} == {
        (stage.layout.seating[seat], points) for seat, points in stage.over.points
    }
    assert told["winners"] == [stage.layout.seating[seat] for seat in stage.over.winners]


def test_a_bad_entry_is_named_with_its_member_and_rule(record: bytes, tmp_path: Path) -> None:
    logs = [list(log) for log in record_file.load(record)]
    bad = logs[1][5]
    logs[1][5] = bad._replace(signature=bytes(64))
    file = tmp_path / "bad.record"
    file.write_bytes(record_file.write(tuple(tuple(log) for log in logs)))
    result = run("audit", file)
    assert result.exit_code == 1
    assert result.output.startswith("The record fails: entry 5 of Player 1 breaks the rule entry.signature")
    told = json.loads(run("audit", file, "--json").stdout)
    assert told["holds"] is False
    assert (told["finding"]["member"], told["finding"]["entry"]) == (1, 5)


def test_a_record_without_its_end_fails(record: bytes, tmp_path: Path) -> None:
    logs = record_file.load(record)
    file = tmp_path / "short.record"
    file.write_bytes(record_file.write((logs[0][:-1], *logs[1:])))
    result = run("audit", file)
    assert result.exit_code == 1
    assert "record.unfinished" in result.output
    assert "Player 0" in result.output


@pytest.mark.parametrize("content", [b"", b"not a record", b"\x93\xa1x\x01\x90", bytes(1000)])
def test_a_file_that_is_no_record(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "holiday.jpg"
    file.write_bytes(content)
    assert "is no record of a game" in fails(run("audit", file))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "does not exist" in fails(run("audit", tmp_path / "nothing"))


# --- id, history, export


def test_the_same_folder_is_the_same_person(tmp_path: Path) -> None:
    first = json.loads(run("id", "--data", tmp_path / "ada", "--json").stdout)
    again = json.loads(run("id", "--data", tmp_path / "ada", "--json").stdout)
    other = json.loads(run("id", "--data", tmp_path / "boris", "--json").stdout)
    assert first == again
    assert first["fingerprint"] != other["fingerprint"]
    shown = run("id", "--data", tmp_path / "ada").output
    assert first["fingerprint"] in shown
    assert first["words"] in shown


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "taken"
    file.touch()
    assert "taken" in fails(run("id", "--data", file))


def test_nowhere_yet(tmp_path: Path) -> None:
    assert run("history", "--data", tmp_path).output == "No tables yet.\n"
    assert json.loads(run("history", "--data", tmp_path, "--json").stdout) == []
    assert "no table yet" in fails(run("export", "last", tmp_path / "x", "--data", tmp_path))


@pytest.fixture
def home(table: Table, tmp_path: Path) -> Path:
    """A folder that holds the whole game, and one table that never began."""
    folder = tmp_path / "home"
    with Home.open(folder) as opened:
        opened.store.create_table(table.roster.table, table.roster.data, 0, "2024-05-01", "finished")
        filed = [(entry.author, entry.sequence, entry.signed) for log in reversed(table.logs) for entry in log.chain]
        opened.store.put(table.roster.table, filed)
        fresh = Table.open(roster_for(identities(3, 5), seed=5)).roster
        opened.store.create_table(fresh.table, fresh.data, 2, "2024-05-02", "open")
    return folder


def test_history_lists_every_table(home: Path, table: Table) -> None:
    lines = run("history", "--data", home).output.splitlines()
    assert len(lines) == 2
    assert lines[0].split() == [
        table.roster.table.hex()[:12], "2024-05-01", "matryoshka", "finished", "You,", "Player", "1,", "Player", "2",
    ]  # fmt: skip
    told = json.loads(run("history", "--data", home, "--json").stdout)
    assert [one["state"] for one in told] == ["finished", "open"]
    assert told[1]["members"] == ["Player 0", "Player 1", "You"]


def test_an_exported_record_is_the_record(home: Path, table: Table, record: bytes, tmp_path: Path) -> None:
    file = tmp_path / "out put.record"
    result = run("export", table.roster.table.hex()[:8], file, "--data", home)
    assert result.exit_code == 0
    assert file.read_bytes() == record
    assert run("audit", file).exit_code == 0


def test_an_unfinished_table_can_be_exported_and_says_so(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "open.record"
    result = run("export", "last", file, "--data", home)
    assert result.exit_code == 0
    assert "not finished" in result.output
    assert run("audit", file).exit_code == 1


def test_export_of_a_table_that_is_not_there(home: Path, tmp_path: Path) -> None:
    assert "history lists them" in fails(run("export", "ffffffff0000", tmp_path / "x", "--data", home))


def test_export_into_a_folder_that_is_not_there(home: Path, tmp_path: Path) -> None:
    assert "cannot be written" in fails(run("export", "last", tmp_path / "no" / "x.record", "--data", home))


# --- cheats


@pytest.fixture(scope="module")
def cheated() -> Table:
    """A short game, sealed without a member that was proven to cheat."""
    with checks_shared():
        group = whole_game(3).find(lambda moment: moment.owed.kind == "commit").branch("cheated")
        settle(group, 2, [sign(group.players[2], messages.Open(nonce=bytes(32), body=b""))], {(2, "body.kind")})
    return group.players[0].table


@pytest.fixture
def cheated_home(cheated: Table, tmp_path: Path) -> Path:
    folder = tmp_path / "cheated"
    with Home.open(folder) as opened:
        opened.store.create_table(cheated.roster.table, cheated.roster.data, 0, "2024-05-01", "finished")
        filed = [(entry.author, entry.sequence, entry.signed) for log in cheated.logs for entry in log.chain]
        opened.store.put(cheated.roster.table, filed)
    return folder


def test_evidence_convicts_whoever_cheated(cheated: Table, cheated_home: Path, tmp_path: Path) -> None:
    (accusation,) = cheated.accusations
    file = tmp_path / "cheat.record"
    result = run("evidence", "last", file, "--data", cheated_home)
    assert result.exit_code == 0, result.output
    assert f"Player 2 broke the rule {accusation.rule}" in result.output
    place = [entry.signed for entry in cheated.logs[2].chain].index(accusation.evidence[0])
    audited = run("audit", file)
    assert audited.exit_code == 1
    assert audited.output.startswith(f"The record fails: entry {place} of Player 2 breaks the rule {accusation.rule}")
    finding = json.loads(run("audit", file, "--json").stdout)["finding"]
    assert (finding["member"], finding["entry"], finding["rule"]) == (2, place, accusation.rule)


def test_evidence_about_one_member(cheated_home: Path, tmp_path: Path) -> None:
    named = run("evidence", "last", tmp_path / "a", "--member", "player 2", "--data", cheated_home)
    assert named.exit_code == 0
    other = run("evidence", "last", tmp_path / "b", "--member", "Player 1", "--data", cheated_home)
    assert "Player 1 is not proven to have cheated" in fails(other)
    assert "proven is: Player 2" in other.output
    assert not (tmp_path / "b").exists()


def test_evidence_where_nobody_cheated(home: Path, table: Table, tmp_path: Path) -> None:
    with checks_shared():
        result = run("evidence", table.roster.table.hex()[:8], tmp_path / "x", "--data", home)
    assert "Nobody is proven to have cheated" in fails(result)
    assert not (tmp_path / "x").exists()


def test_a_record_that_holds_names_its_cheats(cheated: Table, tmp_path: Path) -> None:
    (accusation,) = cheated.accusations
    file = tmp_path / "game.record"
    file.write_bytes(record_file.export(cheated))
    result = run("audit", file)
    assert result.exit_code == 0
    assert result.output.startswith("The record holds, and proves that Player 2 cheated")
    assert f"Cheated: Player 2, by the rule {accusation.rule}" in result.output
    told = json.loads(run("audit", file, "--json").stdout)
    assert told["holds"] is True
    (one,) = told["accusations"]
    assert (one["member"], one["name"], one["rule"]) == (2, "Player 2", accusation.rule)
    assert one["step"] == accusation.step


# --- deck


@pytest.mark.parametrize("name", words.SHIPPED)
def test_our_decks_are_shown_and_good(name: str) -> None:
    shown = run("deck", "show", name)
    assert shown.exit_code == 0
    assert shown.output.count(" > ") == 40
    assert run("deck", "check", name).output.endswith("can be played.\n")


def test_a_new_deck_can_be_played_and_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    assert run("deck", "new", file).exit_code == 0
    assert run("deck", "check", file).exit_code == 0
    assert run("deck", "show", file).exit_code == 0
    file.write_text("mine")
    assert "exists already" in fails(run("deck", "new", file))
    assert file.read_text() == "mine"
    assert not [path for path in tmp_path.iterdir() if path != file]


def test_every_fault_of_a_deck_is_told(tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    file.write_text(words.template().replace('"tulip"', '"garden"').replace('"thing 3-4"', '""'))
    result = run("deck", "check", file)
    assert result.exit_code == 1
    assert result.output.count("Fault: ") >= 2
    told = json.loads(run("deck", "check", file, "--json").stdout)
    assert told["playable"] is False
    assert "name.doubled" in [fault["code"] for fault in told["faults"]]
    assert "garden" in fails(run("deck", "show", file))


def test_a_deck_that_is_not_there() -> None:
    assert "english" in fails(run("deck", "check", "klingon"))


# --- what is refused before anybody sits down


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("play", "--watch", "--seats", "7"), "3 or 4 or 5 players, not 7"),
        (("play", "--watch", "--game", "matrioske", "--seats", "3"), "4 players, not 3"),
        (("play", "--watch", "--terminal"), "exclude each other"),
        (("play", "--watch", "--deck", "english"), "leave out --deck"),
        (("play", "--watch", "--rule", "long_columns"), "NAME=VALUE"),
        (("play", "--watch", "--rule", "long_columns=short"), "extend or cap"),
        (("play", "--watch", "--rule", "gravity=low"), "no house rule 'gravity'"),
        (("play", "--watch", "--game", "matrioske", "--strategy", "psychic"), "psychic"),
        (("host", "--seats", "3", "--bots", "3"), "leave no seat for you"),
        (("host", "--seats", "3", "--name", " Ada"), "A name is 1 to 32"),
        (("host", "--seats", "3", "--name", "A\x1bda"), "A name is 1 to 32"),
        (("join", "hello"), "no invite"),
        (("join", "p2pm1-AAAA"), "damaged"),
        (("bot", "hello"), "no invite"),
    ],
)
def test_one_sentence_that_says_what_to_do(arguments: tuple[str, ...], said: str, tmp_path: Path) -> None:
    assert said in fails(run(*arguments, "--data", tmp_path))


def test_an_invite_that_never_comes(tmp_path: Path) -> None:
    assert "No invite came" in fails(run("bot", "-", "--data", tmp_path, text=""))


def test_the_key_is_for_its_owner_only(tmp_path: Path) -> None:
    run("id", "--data", tmp_path)
    assert stat.S_IMODE((tmp_path / "identity.pem").stat().st_mode) == 0o600


def test_a_protected_key_asks_for_its_passphrase(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Home.open(tmp_path, "sesame"):
        pass
    assert run("id", "--data", tmp_path, text="sesame\n").exit_code == 0
    assert run("id", "--data", tmp_path, text="wrong\n").exit_code == 2
    monkeypatch.setenv("P2PMATRYOSHKA_PASSPHRASE", "sesame")
    assert run("id", "--data", tmp_path).exit_code == 0
