"""Everything that is fuzzed."""

from __future__ import annotations

from tests.fuzz.links import LINKS
from tests.fuzz.readers import READERS
from tests.fuzz.records import RECORDS
from tests.fuzz.tables import TABLES
from tests.fuzz.texts import TEXTS

TARGETS = (*READERS, *TEXTS, *RECORDS, *TABLES, *LINKS)
