"""python -m p2pmatryoshka"""

from __future__ import annotations

from p2pmatryoshka.ui.cli import main

if __name__ == "__main__":
    main(prog_name="p2pmatryoshka")
