"""The promises of the store ports, as tests. Needs pytest only to be run."""

from __future__ import annotations

from sextant.testing.graphs import GraphPromises
from sextant.testing.keeping import KeepPromises
from sextant.testing.leasing import LeasePromises
from sextant.testing.opening import IDENTITY
from sextant.testing.piecing import PiecePromises
from sextant.testing.recording import RecordPromises
from sextant.testing.searching import SearchPromises
from sextant.testing.threads import ThreadPromises
from sextant.testing.writing import WritePromises

__all__ = ["IDENTITY", "StoreConformance"]


class StoreConformance(
    SearchPromises,
    WritePromises,
    PiecePromises,
    GraphPromises,
    KeepPromises,
    RecordPromises,
    LeasePromises,
    ThreadPromises,
):
    """All promises. Override ``open_store``; what your store does not promise is not checked.

    An index of yours is tested as a part of a pair: open it with ``build.open_store``, under
    settings with a store of ours and ``index`` naming yours.
    """
