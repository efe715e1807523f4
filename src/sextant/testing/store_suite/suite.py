"""The promises of the store ports, as tests. Needs pytest only to be run."""

from __future__ import annotations

from sextant.testing.store_suite.graphs import GraphPromises
from sextant.testing.store_suite.keeping import KeepPromises
from sextant.testing.store_suite.leases import LeasePromises
from sextant.testing.store_suite.opening import IDENTITY
from sextant.testing.store_suite.pieces import PiecePromises
from sextant.testing.store_suite.records import RecordPromises
from sextant.testing.store_suite.search import SearchPromises
from sextant.testing.store_suite.threads import ThreadPromises
from sextant.testing.store_suite.unembedded import UnembeddedPromises
from sextant.testing.store_suite.writes import WritePromises

__all__ = ["IDENTITY", "StoreConformance"]


class StoreConformance(
    SearchPromises,
    WritePromises,
    PiecePromises,
    GraphPromises,
    KeepPromises,
    UnembeddedPromises,
    RecordPromises,
    LeasePromises,
    ThreadPromises,
):
    """All promises. Override ``open_store``; what your store does not promise is not checked.

    An index of yours is tested as a part of a pair: open it with ``build.open_store``, under
    settings with a store of ours and ``index`` naming yours.
    """
