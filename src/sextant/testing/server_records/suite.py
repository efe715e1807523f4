"""The promises of the ports for server records, as tests. Needs pytest only to be run."""

from __future__ import annotations

from pathlib import Path

from sextant.server_ports import ServerRecords
from sextant.testing.server_records.jobs import JobPromises
from sextant.testing.server_records.opening import ALIVE_NO_MORE, OpenedRecords
from sextant.types.serving import KeptReply, Key, KeyedRequest, ReplyBounds

_BOUNDS = ReplyBounds()
_REQUEST = KeyedRequest("acme", "user:ann", "k", "digest")
_REPLY = KeptReply("digest", "", 202, {"location": "/there"}, b"\x00body")


class KeyPromises(OpenedRecords):
    """Keys are kept with all that is known of them, and end when somebody says so."""

    def test_a_key_comes_back_as_it_was_added(self, tmp_path: Path) -> None:
        """By its id, and in a list with the oldest first."""
        late = Key("b", "ci", "acme", ("sre", "é"), ("search",), 20.0, 99.0, digest=b"\x00\xff")
        early = Key("a", "", "globex", (), (), 10.5, digest=b"x")

        async def task(records: ServerRecords) -> None:
            keys = await records.open_keys()
            assert await keys.find_key("b") is None
            for key in (late, early):
                await keys.add_key(key)
            assert await keys.find_key("b") == late
            assert list(await keys.list_keys()) == [early, late]

        self.with_records(tmp_path, task)

    def test_a_key_is_revoked_once_and_stays(self, tmp_path: Path) -> None:
        """The first time stays; of a key that never was nothing is said."""

        async def task(records: ServerRecords) -> None:
            keys = await records.open_keys()
            await keys.add_key(Key("a", "ci", "acme", (), (), 1.0))
            for at in (5.0, 9.0):
                revoked = await keys.revoke_key("a", at)
                assert revoked
                assert revoked.revoked == 5.0
            assert await keys.revoke_key("nobody", 5.0) is None
            assert [key.id for key in await keys.list_keys()] == ["a"]

        self.with_records(tmp_path, task)

    def test_the_last_use_never_goes_back(self, tmp_path: Path) -> None:
        """And a key that is not there is not made by its use."""

        async def task(records: ServerRecords) -> None:
            keys = await records.open_keys()
            await keys.add_key(Key("a", "ci", "acme", (), (), 1.0))
            for at in (5.0, 9.0, 7.0):
                await keys.note_use("a", at)
            await keys.note_use("nobody", 5.0)
            assert [key.used for key in await keys.list_keys()] == [9.0]

        self.with_records(tmp_path, task)


class ReplyPromises(OpenedRecords):
    """A request under a key is begun by one, and its reply is there for whoever sends it again."""

    def test_a_request_is_begun_once_and_its_reply_comes_back(self, tmp_path: Path) -> None:
        """Until then, who is at work on it is known."""

        async def task(records: ServerRecords) -> None:
            replies = await records.open_replies()
            assert await replies.begin_reply(_REQUEST, "one", _BOUNDS) is None
            assert await replies.begin_reply(_REQUEST, "two", _BOUNDS) == KeptReply("digest", "one")
            await replies.keep_reply(_REQUEST, _REPLY)
            assert await replies.begin_reply(_REQUEST, "two", _BOUNDS) == _REPLY
            for other in (
                KeyedRequest("globex", "user:ann", "k", "digest"),
                KeyedRequest("acme", "user:bob", "k", "digest"),
                KeyedRequest("acme", "user:ann", "l", "digest"),
            ):
                assert await replies.begin_reply(other, "one", _BOUNDS) is None

        self.with_records(tmp_path, task)

    def test_what_is_forgotten_or_was_a_dead_servers_is_begun_anew(self, tmp_path: Path) -> None:
        """Of two who take over, one does; a reply that is kept is taken from nobody."""

        async def task(records: ServerRecords) -> None:
            replies = await records.open_replies()
            await replies.begin_reply(_REQUEST, "dead", _BOUNDS)
            assert await replies.take_over_reply(_REQUEST, "dead", "one", _BOUNDS) is None
            second = await replies.take_over_reply(_REQUEST, "dead", "two", _BOUNDS)
            assert second == KeptReply("digest", "one")
            await replies.keep_reply(_REQUEST, _REPLY)
            assert await replies.take_over_reply(_REQUEST, "one", "two", _BOUNDS) == _REPLY
            await replies.forget_reply(_REQUEST)
            assert await replies.begin_reply(_REQUEST, "two", _BOUNDS) is None

        self.with_records(tmp_path, task)

    def test_replies_are_kept_for_a_time_and_up_to_a_number(self, tmp_path: Path) -> None:
        """Of each tenant."""

        async def task(records: ServerRecords) -> None:
            replies, few = await records.open_replies(), ReplyBounds(kept=2)
            other = KeyedRequest("globex", "user:ann", "a", "d")
            await replies.begin_reply(other, "one", few)
            for key in "abcd":
                await replies.begin_reply(KeyedRequest("acme", "user:ann", key, "d"), "one", few)
            last = KeyedRequest("acme", "user:ann", "d", "d")
            assert await replies.begin_reply(last, "two", few) == KeptReply("d", "one")
            first = KeyedRequest("acme", "user:ann", "a", "d")
            assert await replies.begin_reply(first, "two", few) is None
            assert await replies.begin_reply(other, "two", few) is not None
            at_once = ReplyBounds(kept_seconds=-1.0)
            assert await replies.begin_reply(last, "two", at_once) is None

        self.with_records(tmp_path, task)


class SharingPromises(OpenedRecords):
    """What several servers share, and what outlives them."""

    def test_a_server_is_alive_until_it_closes(self, tmp_path: Path) -> None:
        """Under a name of its own."""

        async def task(records: ServerRecords) -> None:
            presence = await records.open_presence()
            assert presence.name
            assert await presence.is_alive(presence.name)
            assert not await presence.is_alive(ALIVE_NO_MORE)

        self.with_records(tmp_path, task)

    def test_two_servers_know_of_each_other(self, tmp_path: Path) -> None:
        """One that closed is gone."""

        async def task(one: ServerRecords, other: ServerRecords) -> None:
            mine, theirs = await one.open_presence(), await other.open_presence()
            assert mine.name != theirs.name
            assert await mine.is_alive(theirs.name)
            await other.close()
            assert not await mine.is_alive(theirs.name)

        self.with_two(tmp_path, task)

    def test_a_part_that_is_asked_for_twice_is_the_same_one(self, tmp_path: Path) -> None:
        """So that all of a server go by one name and see the same keys."""

        async def task(records: ServerRecords) -> None:
            assert (await records.open_presence()).name == (await records.open_presence()).name
            await (await records.open_keys()).add_key(Key("a", "ci", "acme", (), (), 1.0))
            assert await (await records.open_keys()).find_key("a")

        self.with_records(tmp_path, task)

    def test_what_one_server_writes_another_reads_at_once(self, tmp_path: Path) -> None:
        """A key that is revoked, and a request that is under way."""

        async def task(one: ServerRecords, other: ServerRecords) -> None:
            mine, theirs = await one.open_keys(), await other.open_keys()
            await mine.add_key(Key("a", "ci", "acme", (), (), 1.0))
            assert await theirs.find_key("a")
            await theirs.revoke_key("a", 5.0)
            found = await mine.find_key("a")
            assert found
            assert found.revoked == 5.0
            own, foreign = await one.open_replies(), await other.open_replies()
            assert await own.begin_reply(_REQUEST, "one", _BOUNDS) is None
            assert await foreign.begin_reply(_REQUEST, "two", _BOUNDS) is not None

        self.with_two(tmp_path, task)

    def test_what_was_acknowledged_is_there_after_reopening(self, tmp_path: Path) -> None:
        """Keys and replies; of jobs another test says so."""
        self.need("lasts")

        async def write(records: ServerRecords) -> None:
            await (await records.open_keys()).add_key(Key("a", "ci", "acme", (), (), 1.0))
            replies = await records.open_replies()
            await replies.begin_reply(_REQUEST, "one", _BOUNDS)
            await replies.keep_reply(_REQUEST, _REPLY)

        async def read(records: ServerRecords) -> None:
            assert await (await records.open_keys()).find_key("a")
            replies = await records.open_replies()
            assert await replies.begin_reply(_REQUEST, "two", _BOUNDS) == _REPLY

        self.with_records(tmp_path, write)
        self.with_records(tmp_path, read)


class ServerRecordsConformance(KeyPromises, ReplyPromises, SharingPromises, JobPromises):
    """All promises. Override ``open_records``; say ``lasts`` or ``shares`` = False where so."""
