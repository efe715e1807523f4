"""Profiles, use and the choice of weights: saved for whom, counted how, and which go first."""

import asyncio
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import Conflict, InvalidInput, NotFound, TooLarge
from sextant.ports import Records, Store
from sextant.retrieval.feedback.earned import BY_USE, UNKNOWN, Leaning, Standing, Use
from sextant.retrieval.feedback.use import Kind, count_use, with_uses
from sextant.retrieval.profiles.choice import Choice, Wish, choose, leant
from sextant.retrieval.profiles.saved import Profile, delete_profile, read_profiles, save_profile
from sextant.settings import Settings
from sextant.stores.sqlite.store import open_store
from sextant.types import Chunk, Document, Put, Scope, Thread, Weights
from tests.retrieval.opened import with_store

ALL, SRE, FINANCE = (
    Scope("acme"),
    Scope("acme", frozenset({"sre"})),
    Scope("acme", frozenset({"finance"}), "ann"),
)
FRESH, TRUSTED = Weights(0.5, 0.5, 0, 0), Weights(0.5, 0, 0, 0.5)


def test_a_profile_is_saved_read_replaced_and_deleted() -> None:
    async def task(store: Store) -> None:
        await save_profile(store.records, SRE, Profile("news", FRESH, 30))
        await save_profile(store.records, SRE, Profile("news", TRUSTED, 60))
        assert (await read_profiles(store.records, SRE)).profiles == (
            Profile("news", TRUSTED, 60, "sre"),
        )
        await delete_profile(store.records, SRE, "news")
        assert not (await read_profiles(store.records, SRE)).profiles
        with pytest.raises(NotFound):
            await delete_profile(store.records, SRE, "news")

    with_store(task)


def test_a_persona_sees_its_own_profiles_before_those_of_the_tenant_and_no_others() -> None:
    async def task(store: Store) -> None:
        await save_profile(store.records, ALL, Profile("usual", FRESH))
        await save_profile(store.records, SRE, Profile("usual", TRUSTED))
        await save_profile(store.records, FINANCE, Profile("own", TRUSTED))
        assert (await read_profiles(store.records, SRE)).find("usual").weights == TRUSTED
        assert (await read_profiles(store.records, FINANCE)).find("usual").weights == FRESH
        assert [one.name for one in (await read_profiles(store.records, ALL)).profiles] == ["usual"]
        assert not (await read_profiles(store.records, Scope("other"))).profiles

    with_store(task)


def test_several_personas_have_their_profiles_in_the_order_of_their_names() -> None:
    both = Scope("acme", SRE.personas | FINANCE.personas)

    async def task(store: Store) -> None:
        await save_profile(store.records, ALL, Profile("usual", FRESH))
        assert (await read_profiles(store.records, both)).find("usual").persona == ""
        await save_profile(store.records, SRE, Profile("usual", FRESH, default=True))
        assert (await read_profiles(store.records, both)).find("usual").persona == "sre"
        await save_profile(store.records, FINANCE, Profile("usual", TRUSTED))
        found = await read_profiles(store.records, both)
        assert [one.persona for one in found.profiles] == ["finance", "sre", ""]
        assert found.find("usual").persona == "finance"
        assert found.default == found.profiles[1]
        for change in (
            save_profile(store.records, both, Profile("new", FRESH)),
            delete_profile(store.records, both, "usual"),
        ):
            with pytest.raises(InvalidInput, match="one persona"):
                await change
        assert await read_profiles(store.records, both) == found

    with_store(task)


def test_one_profile_of_a_persona_is_its_default() -> None:
    async def task(store: Store) -> None:
        await save_profile(store.records, ALL, Profile("tenant", FRESH, default=True))
        await save_profile(store.records, SRE, Profile("one", FRESH, default=True))
        await save_profile(store.records, SRE, Profile("two", TRUSTED, default=True))
        for scope, name in ((SRE, "two"), (FINANCE, "tenant"), (ALL, "tenant")):
            default = (await read_profiles(store.records, scope)).default
            assert default is not None
            assert default.name == name

    with_store(task)


def test_profiles_saved_at_once_are_all_kept(tmp_path: Path) -> None:
    async def run() -> None:
        store = await open_store(str(tmp_path / "store"), Settings(), None)
        await asyncio.gather(
            *(save_profile(store.records, SRE, Profile(f"p{at}")) for at in range(10))
        )
        assert len((await read_profiles(store.records, SRE)).profiles) == 10
        await store.admin.close()

    asyncio.run(run())


def test_whoever_is_always_too_late_is_told_so() -> None:
    async def task(store: Store) -> None:
        with pytest.raises(Conflict, match="Others keep changing"):
            await save_profile(cast("Records", Overtaken(store)), SRE, Profile("late"))

    with_store(task)


class Overtaken:
    """Records that somebody else changes before every save."""

    def __init__(self, store: Store) -> None:
        self._records, self._save = store.records, store.records.save_thread

    def __getattr__(self, name: str) -> object:
        return getattr(self._records, name)

    async def save_thread(self, scope: Scope, thread: Thread) -> Thread:
        await self._save(scope, thread)
        return await self._save(scope, thread)


def test_too_many_profiles_and_such_as_cannot_rank_are_refused() -> None:
    async def task(store: Store) -> None:
        for at in range(100):
            await save_profile(store.records, SRE, Profile(f"p{at}"))
        with pytest.raises(TooLarge):
            await save_profile(store.records, SRE, Profile("one more"))
        for wrong in (Profile(""), Profile("x", Weights(-1)), Profile("x", half_life_days=0)):
            with pytest.raises(InvalidInput):
                await save_profile(store.records, SRE, wrong)

    with_store(task)


@pytest.mark.parametrize(
    "state",
    [
        '[{"name": "x"}, 7, {"name": "y", "weights": {"colour": 1}}, null]',
        '[{"name": "z", "weights": {"relevancy": -1}}]',
        '{"name": "x"}',
        "7",
        "no profiles",
        "",
    ],
)
def test_what_is_no_profile_any_more_is_left_out_and_new_ones_can_be_saved(state: str) -> None:
    async def task(store: Store) -> None:
        keeper = Scope("acme", user="sextant:profiles")
        await store.records.save_thread(keeper, Thread("profiles", state))
        assert not (await read_profiles(store.records, SRE)).profiles
        await save_profile(store.records, ALL, Profile("good"))
        assert [one.name for one in (await read_profiles(store.records, SRE)).profiles] == ["good"]

    with_store(task)


def test_a_persona_that_is_no_text_is_refused() -> None:
    async def task(store: Store) -> None:
        with pytest.raises(InvalidInput):
            await read_profiles(store.records, Scope("acme", frozenset({"\ud800"})))

    with_store(task)


def test_the_request_goes_before_a_named_profile_before_the_personas_before_the_default() -> None:
    async def task(store: Store) -> list[str]:
        await save_profile(store.records, SRE, Profile("named", FRESH, 30))
        wishes = [Wish(TRUSTED, "named"), Wish(profile="named"), Wish()]
        chosen = [await choose(store.records, SRE, wish) for wish in wishes]
        assert chosen[1] == Choice(FRESH, 30, "profile named")
        await save_profile(store.records, SRE, Profile("mine", TRUSTED, default=True))
        chosen.append(await choose(store.records, SRE, Wish()))
        with pytest.raises(NotFound):
            await choose(store.records, SRE, Wish(profile="nobody's"))
        with pytest.raises(InvalidInput):
            await choose(store.records, SRE, Wish(Weights(0, 0, 0, 0)))
        return [one.origin for one in chosen]

    assert with_store(task) == ["request", "profile named", "default", "profile mine"]


def resolved(standing: Standing) -> asyncio.Future[Standing]:
    future = asyncio.get_running_loop().create_future()
    future.set_result(standing)
    return future


def test_weights_lean_for_the_user_who_taught_them_and_only_where_none_were_asked_for() -> None:
    standing = Standing(3, leanings={"ann": Leaning((0, 500, 0, 0), 1)})

    async def task(store: Store) -> None:
        leaning = await choose(store.records, FINANCE, Wish(), Choice(), resolved(standing))
        assert leaning.origin == "default, as the user leans"
        assert leaning.weights.recency > Weights().recency
        assert await choose(store.records, SRE, Wish(), Choice(), resolved(standing)) == Choice()
        assert await choose(store.records, FINANCE, Wish(), Choice(), resolved(UNKNOWN)) == Choice()
        assert await choose(store.records, FINANCE, Wish(), Choice()) == Choice()
        chosen = await choose(store.records, FINANCE, Wish(FRESH), Choice(), resolved(standing))
        assert chosen.weights == FRESH

    with_store(task)


@given(st.lists(st.lists(st.integers(-1000, 1000), min_size=4, max_size=4), max_size=30))
def test_learnt_weights_stay_within_half_and_double(leads: list[list[int]]) -> None:
    sums = [sum(column) for column in zip(*leads, strict=True)] or [0, 0, 0, 0]
    moved = leant(Weights(), Leaning((sums[0], sums[1], sums[2], sums[3]), len(leads)))
    for name in ("relevancy", "recency", "richness", "reputation"):
        usual = getattr(Weights(), name)
        assert usual / 2 - 1e-6 <= getattr(moved, name) <= usual * 2 + 1e-6


def test_use_is_counted_for_documents_that_the_scope_sees() -> None:
    async def task(store: Store) -> None:
        secret = Document("secret", personas=frozenset({"audit"}))
        for one in (Document("a"), Document("x" * 999), secret):
            await store.truth.write(ALL, [Put(one, (Chunk(f"{one.id[:9]}#c", "text"),))])
        assert await count_use(store, ALL, Kind.CITED, ["a", "a", "secret", "gone"]) == 1
        assert await count_use(store, ALL, Kind.OPENED, ["a", "x" * 999]) == 2
        assert await count_use(store, ALL, Kind.OPENED, ["secret"]) == 0
        standing = await with_uses(store.records, ALL, UNKNOWN, ["a", "secret", "x" * 999])
        assert standing.use("a") == Use(1, 1)
        assert standing.use("secret") == Use()
        assert standing.use("x" * 999) == Use(0, 1)
        await count_use(store, ALL, Kind.OPENED, ["a"])
        assert (await with_uses(store.records, ALL, standing, ["a", "b"])).use("a") == Use(1, 1)

    with_store(task)


@given(st.integers(-5, 10**12), st.integers(-5, 10**12))
def test_use_adds_a_bounded_and_damped_bit_of_reputation(cited: int, opened: int) -> None:
    move = Use(cited, opened).move
    assert 0.0 <= move <= BY_USE
    assert Use(cited + 1, opened).move >= move
    assert Use(cited, opened + 1).move >= move
