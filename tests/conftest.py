"""Hypothesis without chance and without a clock: the same examples every time, however slow the machine is."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, database=None)
settings.load_profile("steady")
