"""The command line: parses, hands over to ui/commands, and turns every error into one sentence and a status.

0: done. 1: what was checked does not hold. 2: it could not be done as asked. 3: our own fault. 130: interrupted.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from p2pmatryoshka import __version__
from p2pmatryoshka.errors import MatryoshkaError
from p2pmatryoshka.rules.words import SHIPPED
from p2pmatryoshka.ui.failures import LEFT, cause, told
from p2pmatryoshka.ui.strings import listed, say

F = TypeVar("F", bound=Callable[..., Any])
_GAMES = ("matryoshka", "matrioske")


class Sentences(click.Group):
    """A group whose commands fail with one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; see failures."""
        try:
            return super().invoke(ctx)
        except click.exceptions.NoArgsIsHelpError:
            raise
        except click.UsageError as error:
            path = error.ctx.command_path if error.ctx is not None else ctx.command_path
            sentence = say("error.usage", message=error.format_message().rstrip("."), command=path)
            click.echo(say("error.line", sentence=sentence), err=True)
            ctx.exit(error.exit_code)
        except (click.Abort, MatryoshkaError, KeyboardInterrupt, BaseExceptionGroup) as error:
            answer = told(cause(error))
            if answer is None:
                raise
            status, sentence = answer
            if status == LEFT and sys.stderr.isatty():
                click.echo(err=True)  # below what was being typed
            click.echo(say("error.line", sentence=sentence), err=True)
            ctx.exit(status)


def _data(command: F) -> F:
    path = click.Path(file_okay=False, path_type=Path)
    option = click.option("--data", metavar="DIR", type=path, envvar="P2PMATRYOSHKA_DATA", help=say("option.data"))
    return option(command)


def _file(name: str, *, exists: bool = False) -> Callable[[F], F]:
    return click.argument(name, metavar="FILE", type=click.Path(dir_okay=False, exists=exists, path_type=Path))


_json = click.option("--json", "as_json", is_flag=True, help=say("option.json"))
_name = click.option("--name", metavar="NAME", help=say("option.name"))
_game = click.option("--game", type=click.Choice(_GAMES), default=_GAMES[0], show_default=True, help=say("option.game"))
_patience = click.option(
    "--patience", type=click.IntRange(0, 7 * 24 * 3600), default=120, show_default=True, help=say("option.patience")
)
_strategy = click.option("--strategy", type=click.Choice(("random", "greedy")), help=say("option.strategy"))


def _seats(default: int | None) -> Callable[[F], F]:
    return click.option(
        "--seats",
        type=click.IntRange(2, 16),
        default=default,
        required=default is None,
        show_default=default is not None,
        help=say("option.seats"),
    )


def _table_options(command: F) -> F:
    """What a table is played by: --deck and --rule."""
    deck = click.option("--deck", metavar="FILE", help=say("option.deck", names=listed(SHIPPED)))
    rules = click.option("--rule", "rules", metavar="NAME=VALUE", multiple=True, help=say("option.rule"))
    return deck(rules(command))


@click.group(cls=Sentences, help=say("help.main"), context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="p2pmatryoshka")
def main() -> None:
    """The command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a name may hold what this terminal cannot show


@main.command(help=say("help.play"))
@_game
@_seats(4)
@click.option("--terminal", is_flag=True, help=say("option.terminal"))
@click.option("--watch", is_flag=True, help=say("option.watch"))
@click.option("--record", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help=say("option.record"))
@_strategy
@_table_options
@_name
@_data
def play(
    game: str,
    seats: int,
    terminal: bool,
    watch: bool,
    record: Path | None,
    strategy: str | None,
    deck: str | None,
    rules: Sequence[str],
    name: str | None,
    data: Path | None,
) -> None:
    """See strings."""
    from p2pmatryoshka.ui.bots import Manner
    from p2pmatryoshka.ui.commands.offer import Table
    from p2pmatryoshka.ui.commands.play import run_play

    if terminal and watch:
        raise click.UsageError(say("error.terminal-watch"))
    manner = Manner(strategy)
    table = Table(game, seats, rules, deck, port=0, bots=seats - 1, manner=manner, interface="127.0.0.1")
    run_play(data, table, name, watch=watch, record=record)


@main.command(help=say("help.host"))
@_seats(None)
@_game
@_table_options
@click.option("--port", type=click.IntRange(0, 65535), default=0, show_default=True, help=say("option.port"))
@click.option("--bots", type=click.IntRange(0, 15), default=0, show_default=True, help=say("option.bots"))
@_patience
@click.option("--clock", metavar="SECONDS", type=click.INT, default=0, show_default=True, help=say("option.clock"))
@click.option("--invite-file", type=click.Path(dir_okay=False, path_type=Path), help=say("option.invite-file"))
@click.option("--watch", is_flag=True, help=say("option.host-watch"))
@_name
@_data
def host(
    seats: int,
    game: str,
    deck: str | None,
    rules: Sequence[str],
    port: int,
    bots: int,
    patience: int,
    clock: int,
    invite_file: Path | None,
    watch: bool,
    name: str | None,
    data: Path | None,
) -> None:
    """See strings."""
    from p2pmatryoshka.ui.bots import Manner
    from p2pmatryoshka.ui.commands.offer import Table
    from p2pmatryoshka.ui.commands.sit import run_host

    manner = Manner(patience=patience)
    run_host(data, Table(game, seats, rules, deck, port, bots, manner, clock, invite_file), name, watch=watch)


@main.command(help=say("help.join"))
@click.argument("invite")
@_name
@click.option("--yes", is_flag=True, help=say("option.yes"))
@_data
def join(invite: str, name: str | None, yes: bool, data: Path | None) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands.sit import run_join

    run_join(data, invite, name, yes=yes)


@main.command(help=say("help.resume"))
@click.argument("table", required=False)
@click.option("--leave", is_flag=True, help=say("option.leave"))
@_data
def resume(table: str | None, leave: bool, data: Path | None) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands.sit import run_resume

    run_resume(data, table, leave=leave)


@main.command(help=say("help.bot"))
@click.argument("invite", required=False)
@click.option("--resume", "resumed", is_flag=True, help=say("option.resume"))
@_strategy
@_patience
@_name
@click.option("--tied", is_flag=True, hidden=True)
@_data
def bot(
    invite: str | None,
    resumed: bool,
    strategy: str | None,
    patience: int,
    name: str | None,
    tied: bool,
    data: Path | None,
) -> None:
    """See strings."""
    from p2pmatryoshka.ui.bots import Manner
    from p2pmatryoshka.ui.commands.sit import run_bot

    if resumed == (invite is not None):
        raise click.UsageError(say("error.bot-invite"))
    run_bot(data, invite, name, Manner(strategy, patience), tied=tied)


@main.command(help=say("help.export"))
@click.argument("table")
@_file("file")
@_data
def export(table: str, file: Path, data: Path | None) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import records

    records.export(data, table, file)


@main.command(help=say("help.evidence"))
@click.argument("table")
@_file("file")
@click.option("--member", metavar="NAME", help=say("option.member"))
@_data
def evidence(table: str, file: Path, member: str | None, data: Path | None) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import records

    records.evidence(data, table, file, member)


@main.command(help=say("help.history"))
@_json
@_data
def history(as_json: bool, data: Path | None) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import who

    who.history(data, as_json)


@main.command("id", help=say("help.id"))
@_json
@_data
def show_id(as_json: bool, data: Path | None) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import who

    who.show_id(data, as_json)


@main.command(help=say("help.audit"))
@_file("file", exists=True)
@_json
@click.pass_context
def audit(ctx: click.Context, file: Path, as_json: bool) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import records

    ctx.exit(records.check(file, as_json))


@main.group(help=say("help.deck"))
def deck() -> None:
    """See strings."""


@deck.command("check", help=say("help.deck.check"))
@click.argument("file")
@_json
@click.pass_context
def deck_check(ctx: click.Context, file: str, as_json: bool) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import decks

    ctx.exit(decks.check(file, as_json))


@deck.command("show", help=say("help.deck.show", names=listed(SHIPPED)))
@click.argument("deck", metavar="FILE|NAME")
def deck_show(deck: str) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import decks

    decks.show(deck)


@deck.command("new", help=say("help.deck.new"))
@_file("file")
def deck_new(file: Path) -> None:
    """See strings."""
    from p2pmatryoshka.ui.commands import decks

    decks.new(file)
