"""English: the command line."""

from __future__ import annotations

TEXTS = {
    # help of the commands
    "help.main": "Two card games about nesting dolls, played peer to peer with nobody in charge.\n\n"
    "Start with: p2pmatryoshka play",
    "help.play": "Play against bots on this machine. Each bot is a peer of its own, over a real connection.\n\n"
    "\b\nExamples:\n  p2pmatryoshka play\n  p2pmatryoshka play --game matrioske\n"
    "  p2pmatryoshka play --watch --record game.record",
    "help.host": "Open a table and print the invite for the others.\n\n"
    "\b\nExample:\n  p2pmatryoshka host --seats 4 --bots 1 --name Ada",
    "help.join": "Sit down at the table of an invite, after a look at its game and rules (- reads the invite from the "
    "input).\n\n\b\nExample:\n  p2pmatryoshka join p2pm1-... --name Boris",
    "help.bot": "Seat a bot at the table of an invite; it asks nothing (- reads the invite from the input).\n\n"
    "\b\nExamples:\n  p2pmatryoshka bot p2pm1-... --strategy greedy --data bot-folder\n"
    "  p2pmatryoshka bot --resume --data bot-folder",
    "help.resume": "Go on with a table after this program stopped: same seat, same cards, and the bots that sat there. "
    "TABLE is the beginning of its id, or last; by default the newest table that is not over.\n\n"
    "\b\nExamples:\n  p2pmatryoshka resume\n  p2pmatryoshka resume 3f2a --leave",
    "help.evidence": "Write into a file what proves that a member cheated: whoever audits it finds that member, that "
    "entry and that rule. TABLE is the beginning of its id, or last.\n\n"
    "\b\nExample:\n  p2pmatryoshka evidence last cheat.record",
    "help.export": "Write the record of a table into a file, for audit or for others. TABLE is the beginning of "
    "its id, or last.\n\n\b\nExample:\n  p2pmatryoshka export last game.record",
    "help.history": "List the tables at which you sat, the oldest first.\n\n"
    "\b\nExample:\n  p2pmatryoshka history --json",
    "help.id": "Show who you are to others: fingerprint and words to compare by voice.\n\n"
    "\b\nExample:\n  p2pmatryoshka id",
    "help.audit": "Check a whole record: every signature, proof and rule. Exit status 0 if all holds, 1 if not, "
    "2 for a file that is no record.\n\n\b\nExample:\n  p2pmatryoshka audit game.record",
    "help.deck": "Decks of words for Matrioske.\n\n\b\nExample:\n  p2pmatryoshka deck new words.toml",
    "help.deck.check": "Explain every fault of a deck file with its place. Exit status 0 if it can be played, 1 if not."
    "\n\n\b\nExample:\n  p2pmatryoshka deck check words.toml",
    "help.deck.show": "Show a deck: a file, or one of ours by name ({names}).\n\n"
    "\b\nExample:\n  p2pmatryoshka deck show english",
    "help.deck.new": "Write a deck file to start from.\n\n\b\nExample:\n  p2pmatryoshka deck new words.toml",
    # help of the options
    "option.data": "Folder for your key and your tables.",
    "option.game": "Which game.",
    "option.seats": "Seats in all, yours included.",
    "option.terminal": "Play in this terminal.",
    "option.watch": "Seat bots only and print the game.",
    "option.host-watch": "Let a bot take your own seat, and print the game.",
    "option.record": "Write the record of the game into this file.",
    "option.strategy": "How the bots play.",
    "option.deck": "Matrioske: a deck file, or the name of one of ours ({names}).",
    "option.rule": "A house rule, such as long_columns=cap; can be given several times.",
    "option.port": "The port to listen at; 0 takes a free one.",
    "option.bots": "How many seats bots on this machine take.",
    "option.clock": "A house rule: seconds after which the others can vote on whoever has not answered; 0 for none.",
    "option.patience": "Seconds without a link after which a bot proposes to go on without somebody; 0 for never.",
    "option.leave": "Give up the seat for good.",
    "option.resume": "Go on with the newest table of that folder, without an invite.",
    "option.member": "Whom it is about, if several cheated.",
    "option.invite-file": "Also write the invite into this file.",
    "option.name": "The name the others see.",
    "option.yes": "Sit down without being asked.",
    "option.json": "Print JSON, for scripts.",
    # errors
    "error.line": "p2pmatryoshka: {sentence}",
    "error.usage": "{message}; {command} --help tells what is possible.",
    "error.illegal": "That is not allowed: {detail}.",
    "error.refused": "Another member broke the protocol ({rule}): {detail}. Nothing more can be done at this table.",
    "error.link": "The other side of the connection is no honest peer ({rule}): {detail}.",
    "error.fault": "This program broke one of its own rules ({detail}); please report it.",
    "error.interrupted": "Interrupted: you left, and nothing more was sent.",
    "left.interrupted": "Interrupted: the game can go on where it stopped, with: {command}",
    "left.ended": "The input has ended: the game can go on where it stopped, with: {command}",
    "error.none-open": "No table of yours can be gone on with: p2pmatryoshka history lists them all.",
    "error.finished": "The game at table {id} is finished: p2pmatryoshka export {id} FILE writes its record.",
    "error.abandoned": "Everybody left table {id}: there is nothing to go on with.",
    "error.out": "You are out of the game at table {id} for good: it goes on without you.",
    "error.bot-invite": "Give either an invite or --resume.",
    "error.no-cheat": "Nobody is proven to have cheated at table {id}, so there is no evidence to save.",
    "error.no-cheat-of": "{name} is not proven to have cheated at table {id}; proven is: {names}.",
    "error.no-record": "{file} is no record of a game ({rule}): export one with p2pmatryoshka export.",
    "error.rule": "{text!r} is no house rule: write NAME=VALUE, such as long_columns=cap.",
    "error.no-deck": "There is no deck {text!r}: name a file, or one of {names}.",
    "error.deck-needless": "Matryoshka is played without a deck: leave out --deck.",
    "error.read": "{file} cannot be read: {reason}.",
    "error.write": "{file} cannot be written: {reason}.",
    "error.exists": "{file} exists already: choose another name.",
    "error.no-tables": "You sat at no table yet: start with p2pmatryoshka play.",
    "error.table": "No table of yours begins with {text!r}: p2pmatryoshka history lists them.",
    "error.tables": "Several tables begin with {text!r}: give more of the id.",
    "error.bots": "{bots} bots leave no seat for you: of {seats} seats you take one.",
    "error.invite-input": "No invite came on the input: give it as the argument, or pipe it in.",
    "error.name": "A name is 1 to 32 characters that can be shown, without spaces at its ends.",
    "error.bot-died": "A bot could not sit down: {said}",
    "error.bot-silent": "it ended without a word (status {status}).",
    "ask.passphrase": "Passphrase of your key",
    "error.terminal-watch": "--terminal and --watch exclude each other: give one of them.",
    "you.unnamed": "Somebody",
    # id, history, export
    "id.fingerprint": "Fingerprint: {text}",
    "id.words": "Words:       {words}",
    "id.folder": "Kept in:     {folder}",
    "history.none": "No tables yet.",
    "history.line": "{id}  {created}  {game}  {state}  {names}",
    "export.done": "Wrote the record of table {id} to {file} ({size} bytes).",
    "evidence.done": "Wrote to {file} ({size} bytes) what proves that {name} broke the rule {rule}: {plain}. "
    "p2pmatryoshka audit shows it to anyone, with exit status 1.",
    "export.open": "The game is not finished, so the record has no result yet.",
    # audit
    "audit.working": "Checking every signature and proof ...",
    "audit.holds": "The record holds: every signature, proof and rule was checked.",
    "audit.holds.cheats": "The record holds, and proves that {names} cheated: all signatures, proofs and rules were "
    "checked.",
    "audit.table": "Table {id}: {game}, {entries} entries, {steps} steps.",
    "audit.accused": "Cheated: {name}, by the rule {rule}{detail}: {plain}.",
    "audit.score": "  {name}: {points}",
    "audit.scores": "Final scores:",
    "audit.fails": "The record fails: {where} breaks the rule {rule}{detail}.",
    "audit.entry": "entry {entry} of {name}",
    "audit.member": "{name}",
    "audit.nowhere": "the record",
    "audit.nobody": "member {member}",
    # deck
    "deck.good": "{file} can be played.",
    "deck.fault": "Fault: {note}.",
    "deck.warning": "Note: {note}.",
    "deck.bad": "{file} cannot be played yet.",
    "deck.written": "Wrote {file}: change the words, then run p2pmatryoshka deck check.",
    # sitting down
    "host.invite": "Invite:",
    "host.waiting": "Waiting for {n} more. Whoever has the invite can sit down.",
    "host.arrived": "At the table: {names}.",
    "join.game": "Game: {game}, {seats} seats.",
    "join.rule": "House rule: {name} = {value}",
    "join.clock": "Clock: whoever has not answered after {time} may be put out by a vote of all the others. Nothing is "
    "ever played for anyone.",
    "join.noclock": "Clock: none. Nothing is ever played for anyone.",
    "join.deck": "Deck: {title} [{language}], SHA-256 {digest}",
    "join.nodeck": "Deck: none needed.",
    "join.members": "Already there: {names}.",
    "join.nobody": "Nobody is there yet but the host.",
    "join.ask": "Sit down? y or n: ",
    "hours.one": "1 hour",
    "hours.many": "{n} hours",
    "minutes.one": "1 minute",
    "minutes.many": "{n} minutes",
    "seconds.one": "1 second",
    "seconds.many": "{n} seconds",
    "bot.done": "The game is over.",
    "play.seating": "Seating {n} bots ...",
    "play.dealing": "Everybody is seated; the cards are being shuffled.",
    "play.bot-stopped": "A bot has stopped: {said}",
    "play.saved": "The record is kept: p2pmatryoshka export {id} FILE",
    "play.recorded": "Wrote the record to {file}; check it with p2pmatryoshka audit.",
    "bot.name": "{name} (bot)",
    "bot.names": "Ada Boris Clio Dora Emil Fanny Gleb Hanna Ivo Jana Karl Lena Milan Nora Oto",
}
