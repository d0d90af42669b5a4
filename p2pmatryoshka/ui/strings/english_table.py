"""English: what is said at any table, whatever the game."""

from __future__ import annotations

TEXTS = {
    "list.and": "{first} and {last}",
    "list.or": "{first} or {last}",
    "you": "You",
    "name.numbered": "{name} #{number}",
    "yes": "y yes",
    "no": "n no back",
    "word.help": "? help h",
    "word.table": "table t",
    "word.scores": "scores s",
    "word.story": "story",
    # who is where
    "away.seconds": "{name} has been away for {n} s",
    "away.minutes": "{name} has been away for {n} min",
    "away.now": "{name} is away. The game waits; whoever comes back goes on at exactly this point.",
    "away.back": "{name} is back.",
    # what is awaited
    "awaited.me": "Awaited of you: {what}.",
    "awaited.others": "Awaited: {what} by {names}.",
    "awaited.none": "Nothing is awaited.",
    "awaits.sit": "a signature under the roster",
    "awaits.keys": "a table key",
    "awaits.coin": "a coin",
    "awaits.open": "an opened coin",
    "awaits.mix": "a shuffle",
    "awaits.share": "a part of the deal",
    "awaits.turn": "a card",
    "awaits.commit": "a choice",
    "awaits.reveal": "cards turned up",
    "awaits.choose": "a decision",
    "awaits.rekey": "cards for a new stock",
    "awaits.blind": "a blinding of the new stock",
    "awaits.tags": "tags of the new stock",
    "awaits.seal": "a signature under the result",
    "awaits.": "nothing",
    # what was checked, quietly
    "checked.sit": "  roster signed by {names}: signatures valid",
    "checked.keys": "  table key by {names}: proof valid",
    "checked.coin": "  coin by {names}: sealed",
    "checked.open": "  coin by {names}: as it was sealed",
    "checked.mix": "  shuffle by {names}: proof valid",
    "checked.share": "  deal by {names}: proof valid",
    "checked.turn": "  play by {names}: proof valid",
    "checked.commit": "  choice by {names}: sealed",
    "checked.reveal": "  cards of {names}: as they were sealed, proof valid",
    "checked.choose": "  decision by {names}: signature valid",
    "checked.rekey": "  cards for a new stock by {names}: proof valid",
    "checked.blind": "  blinding by {names}: proof valid",
    "checked.tags": "  tags by {names}: proof valid",
    "checked.seal": "  result signed by {names}: signatures valid",
    "checked.other": "  {kind} by {names}: valid",
    # what went wrong
    "gone.left": "{name} left the table for good.",
    "gone.removed": "{name} was put out by a vote.",
    "gone.forked": "{name} signed two different entries and is out of the game.",
    "gone.forfeit": "{name} is out of the game.",
    "accusation": "ACCUSED: {name} broke the rule {rule} in step {step}{detail}. "
    "The entries signed by {name} prove it, and the record keeps them.",
    "rejected": "  bytes that no honest peer passes on were dropped ({rule})",
    # the dialogue
    "hint": "Type ? for help.",
    "confirm": "Sure? y sends it, an empty line goes back: ",
    "confirm.warning": "Once it is sent there is no undo, for anyone.",
    "confirm.sent": "Sent. There is no undo now.",
    "confirm.back": "Taken back: nothing was sent.",
    "withdrawn": "The question is no longer open.",
    "input.ended": "The input has ended, so you leave the table; the game can go on without you.",
    "help.any": "table  shows the table again\n"
    "scores  explains the points so far\n"
    "story  tells what happened so far\n"
    "?  shows this help\n"
    "An empty line at the question shows the table; at the confirmation it goes back.\n"
    "Ctrl-C leaves the table.",
    "not.legal": "That is not allowed: {detail}.",
    # the end
    "over.title": "The game is over",
    "over.early": "The game ended early ({reason}).",
    "over.abandoned": "Nobody is left at the table, so there is no result.",
    "over.winner": "{name} won with {points}.",
    "over.winner.me": "You won with {points}.",
    "over.shared": "{names} share the win with {points}.",
    "over.nobody": "Nobody won.",
    "gone.mark": "gone",
    "points.one": "{n} point",
    "points.many": "{n} points",
    "cards.one": "{n} card",
    "cards.many": "{n} cards",
    "seats": "Seats, clockwise: {names}.",
}
