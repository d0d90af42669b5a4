"""A process that has the program loaded and splits off peers, each a process of its own: starting one costs
milliseconds instead of seconds, so that hundreds can be killed in one test.

Lines of JSON come in: {"start": number, "folder": ..., "orders": ..., "log": ..., "netns": ... or null},
{"kill": number, "signal": number}, {"load": module}; and go out: {"started": number, "pid": ...}, {"ended": number,
"status": ...}. status: of the exit, or minus the signal. When the input ends, every peer that still runs is killed.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import Any, NoReturn

from tests.real import peer

PR_SET_PDEATHSIG = 1
CLONE_NEWNET = 0x40000000


def main() -> None:
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    running: dict[int, int] = {}  # number of a peer by process id
    waiting = b""
    gc.freeze()  # pages that no collection touches stay shared
    _say({"ready": True})
    while True:
        readable, _, _ = select.select([0, woken], [], [])
        if woken in readable:
            os.read(woken, 4096)
            _reap(running)
        if 0 in readable:
            data = os.read(0, 1 << 16)
            if not data:
                break
            *lines, waiting = (waiting + data).split(b"\n")
            for line in lines:
                _obey(json.loads(line), running)
    for pid in running:
        os.kill(pid, signal.SIGKILL)


def _obey(command: dict[str, Any], running: dict[int, int]) -> None:
    if "kill" in command:
        for pid, number in running.items():
            if number == command["kill"]:
                os.kill(pid, command["signal"])
        return
    if "load" in command:
        importlib.import_module(command["load"])
        gc.freeze()
        return
    pid = os.fork()
    if not pid:
        _be_peer(command)
    running[pid] = command["start"]
    _say({"started": command["start"], "pid": pid})


def _reap(running: dict[int, int]) -> None:
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        _say({"ended": running.pop(pid), "status": os.waitstatus_to_exitcode(status)})


def _be_peer(command: dict[str, Any]) -> NoReturn:
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        log = os.open(command["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for taken, place in ((nothing, 0), (log, 1), (log, 2)):
            os.dup2(taken, place)
        library = ctypes.CDLL(None, use_errno=True)
        library.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if command.get("netns"):
            place = os.open(f"/run/netns/{command['netns']}", os.O_RDONLY)
            if library.setns(place, CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "cannot enter the network namespace")
            os.close(place)
        status = peer.run(Path(command["folder"]), command["orders"])
    except BaseException:  # noqa: BLE001 - whatever it is, it must not come out in the process that starts the others
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _say(message: dict[str, Any]) -> None:
    os.write(1, json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main()
