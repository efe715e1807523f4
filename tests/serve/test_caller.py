"""From a caller and what it names to a scope."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.errors import Forbidden
from sextant.serve.caller import EVERY_ROLE, Caller, Role, Wanted, operator_scope, require, scope_of
from sextant.types import CURATOR, OPERATOR, Scope

names = st.sampled_from(["a", "b", "c"])
maybe = names | st.just("")
personas = st.none() | st.frozensets(names)
roles = st.frozensets(st.sampled_from(list(Role)))
callers = st.builds(Caller, st.just("n"), names, st.none() | names, personas=personas, roles=roles)
wanteds = st.builds(Wanted, maybe, st.frozensets(names, max_size=2), maybe)


@given(callers, wanteds, st.sampled_from(list(Role)))
def test_nobody_without_on_behalf_reaches_another_tenant_or_user(
    caller: Caller, wanted: Wanted, role: Role
) -> None:
    try:
        scope = scope_of(caller, wanted, role)
    except Forbidden:
        return
    assert role in caller.roles
    assert scope.roles == ({CURATOR} if Role.ADMIN in caller.roles else set())
    if Role.ON_BEHALF not in caller.roles:
        assert (scope.tenant, scope.user) == (caller.tenant, caller.user)
    if caller.personas is not None:
        assert scope.personas <= caller.personas
    assert scope.tenant == wanted.tenant or not wanted.tenant
    assert scope.personas == wanted.personas or not wanted.personas
    assert scope.user == wanted.user or not wanted.user


@given(callers, st.sampled_from(list(Role)))
def test_whoever_names_nobody_is_let_in_if_it_has_the_role(caller: Caller, role: Role) -> None:
    if role in caller.roles:
        assert scope_of(caller, Wanted(), role).tenant == caller.tenant
    else:
        with pytest.raises(Forbidden, match=str(role)):
            scope_of(caller, Wanted(), role)
        with pytest.raises(Forbidden, match=str(role)):
            require(caller, role)


@given(callers, wanteds)
def test_only_an_administrator_sees_past_personas_and_only_where_it_may(
    caller: Caller, wanted: Wanted
) -> None:
    try:
        scope = operator_scope(caller, wanted)
    except Forbidden:
        return
    assert Role.ADMIN in caller.roles
    assert scope.sees_all
    plain = scope_of(caller, wanted, Role.ADMIN)
    assert scope == Scope(plain.tenant, plain.personas, plain.user, frozenset({OPERATOR}))


def test_who_asks_on_behalf_of_others_may_name_all_three() -> None:
    backend = Caller("backend", "home", "bot", roles=EVERY_ROLE - {Role.ADMIN})
    assert scope_of(backend, Wanted("acme", frozenset({"sre"}), "ann"), Role.SEARCH) == Scope(
        "acme", frozenset({"sre"}), "ann"
    )
    assert scope_of(backend, Wanted(), Role.SEARCH) == Scope("home", user="bot")


def test_who_names_no_persona_asks_as_all_of_its_own() -> None:
    search = frozenset({Role.SEARCH})
    one = Caller("n", "t", personas=frozenset({"sre"}), roles=search)
    three = Caller("n", "t", personas=frozenset({"sre", "dev", "ops"}), roles=search)
    nobody = Caller("n", "t", personas=frozenset(), roles=search)
    for caller in (one, three, nobody):
        assert scope_of(caller, Wanted(), Role.SEARCH).personas == caller.personas
        for others in ({"hr"}, {"sre", "hr"}):
            with pytest.raises(Forbidden, match="persona"):
                scope_of(caller, Wanted(personas=frozenset(others)), Role.SEARCH)
    for some in (frozenset({"dev"}), frozenset({"dev", "ops"})):
        assert scope_of(three, Wanted(personas=some), Role.SEARCH).personas == some


def test_who_asks_on_behalf_of_others_asks_as_nobody_unless_it_says_as_whom() -> None:
    roles = frozenset({Role.SEARCH, Role.ON_BEHALF})
    service = Caller("n", "t", personas=frozenset({"sre", "dev"}), roles=roles)
    assert scope_of(service, Wanted(), Role.SEARCH).personas == frozenset()
    for some in (frozenset({"sre"}), frozenset({"sre", "dev"})):
        assert scope_of(service, Wanted(personas=some), Role.SEARCH).personas == some


@given(callers, wanteds, st.sampled_from(list(Role)))
def test_a_scope_knows_for_whom_its_caller_may_act(
    caller: Caller, wanted: Wanted, role: Role
) -> None:
    try:
        scope = scope_of(caller, wanted, role)
    except Forbidden:
        return
    assert scope.acts_for == caller.personas


def test_a_refusal_does_not_say_whether_what_was_named_exists() -> None:
    caller = Caller("n", "t", "u", frozenset({"p"}), frozenset({Role.SEARCH}))
    for wanted in (
        Wanted("secret-1"),
        Wanted("", frozenset({"secret-1"})),
        Wanted(user="secret-1"),
    ):
        with pytest.raises(Forbidden) as raised:
            scope_of(caller, wanted, Role.SEARCH)
        assert "secret-1" not in str(raised.value)
