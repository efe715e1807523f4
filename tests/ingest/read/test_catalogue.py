"""Backstage catalogues."""

import pytest

from sextant.errors import BrokenFile
from sextant.ingest.read import format_of, read
from sextant.ingest.values import Fact
from tests.ingest.read.checks import check_sound

CATALOGUE = """\
apiVersion: backstage.io/v1alpha1
kind: Component
metadata:
  name: payments-api
  title: Payments API
  description: Takes money.
  tags: [java, tier-1]
  labels: {tier: "1"}
  annotations:
    sextant.dev/aliases: Pay, PayAPI
    sextant.dev/escalates-to: sre
    pagerduty.com/service-id: P1
  links:
  - url: https://runbooks.example/pay
    title: Runbook
spec:
  type: service
  lifecycle: production
  owner: team-payments
  system: shop
  dependsOn: [resource:ledger-db, "component:infra/queue"]
  dependencyOf: [component:checkout]
  providesApis: [pay-v1]
  consumesApis: [other/bank]
  subcomponentOf: money
---
apiVersion: backstage.io/v1alpha1
kind: Group
metadata: {name: team-payments, namespace: Default}
spec:
  type: team
  profile: {displayName: Team Payments}
  parent: engineering
  children: [sub]
  members: [ann]
---
apiVersion: backstage.io/v1alpha1
kind: User
metadata: {name: ann, namespace: people}
spec: {memberOf: [team-payments, "group:default/oncall"]}
---
apiVersion: backstage.io/v1alpha1
kind: System
metadata: {name: shop}
spec: {owner: "user:ann", domain: sales}
"""
PAY = "component:default/payments-api"
TEAM = "group:default/team-payments"


def test_every_entity_is_a_document_with_its_facts() -> None:
    readings = read("catalog-info.yaml", CATALOGUE.encode())
    for reading in readings:
        check_sound(reading)
    assert [reading.part for reading in readings] == [
        PAY,
        TEAM,
        "user:people/ann",
        "system:default/shop",
    ]
    pay = readings[0]
    assert (pay.title, pay.source_type, pay.tags) == (
        "Payments API",
        "catalogue",
        frozenset({"java", "tier-1"}),
    )
    entity = pay.entities[0]
    assert (entity.id, entity.name, entity.type) == (PAY, "Payments API", "service")
    assert entity.aliases == frozenset({"payments-api", "Pay", "PayAPI"})
    assert entity.metadata["tier"] == "1"
    assert entity.metadata["owner"] == "team-payments"
    assert entity.metadata["lifecycle"] == "production"
    assert set(pay.facts) == {
        Fact(PAY, TEAM, "owned_by"),
        Fact(PAY, "system:default/shop", "part_of"),
        Fact(PAY, "resource:default/ledger-db", "depends_on"),
        Fact(PAY, "component:infra/queue", "depends_on"),
        Fact("component:default/checkout", PAY, "depends_on"),
        Fact(PAY, "api:default/pay-v1", "provides_api"),
        Fact(PAY, "api:other/bank", "consumes_api"),
        Fact(PAY, "component:default/money", "part_of"),
        Fact(PAY, "group:default/sre", "escalates_to"),
    }


def test_every_fact_is_said_in_words() -> None:
    text = read("catalog-info.yaml", CATALOGUE.encode())[0].text
    assert "Payments API is a service in production." in text
    assert "Payments API is owned by Team Payments." in text
    assert "checkout depends on Payments API." in text
    assert "Payments API escalates to sre." in text
    assert "Runbook: https://runbooks.example/pay" in text


def test_groups_users_and_systems_imply_their_own_kinds() -> None:
    _, group, user, system = read("catalog-info.yaml", CATALOGUE.encode())
    assert group.entities[0].type == "team"
    assert group.title == "Team Payments"
    assert set(group.facts) == {
        Fact(TEAM, "group:default/engineering", "part_of"),
        Fact("group:default/sub", TEAM, "part_of"),
        Fact("user:default/ann", TEAM, "member_of"),
    }
    assert set(user.facts) == {
        Fact("user:people/ann", "group:people/team-payments", "member_of"),
        Fact("user:people/ann", "group:default/oncall", "member_of"),
    }
    assert set(system.facts) == {
        Fact("system:default/shop", "user:default/ann", "owned_by"),
        Fact("system:default/shop", "domain:default/sales", "part_of"),
    }


def test_an_entity_without_a_name_is_refused() -> None:
    with pytest.raises(BrokenFile, match=r"Entity 1 .* metadata\.name"):
        read("a.yaml", b"apiVersion: backstage.io/v1alpha1\nkind: API\nmetadata: {title: X}\n")


def test_two_entities_of_one_id_are_refused() -> None:
    one = "apiVersion: backstage.io/v1alpha1\nkind: API\nmetadata: {name: x}\n"
    with pytest.raises(BrokenFile, match="twice"):
        read("a.yaml", f"{one}---\n{one}".encode())


def test_a_reference_that_is_none_is_noted() -> None:
    text = "apiVersion: backstage.io/v1\nkind: API\nmetadata: {name: x}\nspec: {owner: 'a:'}\n"
    (reading,) = read("a.yaml", text.encode())
    assert reading.facts == ()
    assert "'a:'" in reading.notes[0]


def test_catalogues_are_known_by_their_head() -> None:
    assert format_of("x.yaml", "", CATALOGUE.encode()) == "catalogue"
    assert format_of("x.yaml", "", b"a: 1") == "yaml"
    assert read("x.yaml", b"a: 1")[0].source_type == "yaml"


def test_locations_are_plain_yaml() -> None:
    text = b"apiVersion: backstage.io/v1alpha1\nkind: Location\nmetadata: {name: all}\n"
    (reading,) = read("a.yaml", text)
    assert (reading.entities, reading.source_type) == ((), "yaml")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("user", "a user"),
        ("unit", "a unit"),
        ("university", "a university"),
        ("one-off", "a one-off"),
        ("url", "a url"),
        ("api", "an api"),
        ("application", "an application"),
        ("uninstaller", "an uninstaller"),
        ("upstream", "an upstream"),
        ("hour", "an hour"),
        ("honest broker", "an honest broker"),
        ("host", "a host"),
    ],
)
def test_a_kind_has_the_article_that_goes_with_its_sound(kind: str, expected: str) -> None:
    head = "apiVersion: backstage.io/v1alpha1\nkind: Component\nmetadata: {name: x}\n"
    data = f"{head}spec: {{type: {kind}}}"
    [reading] = read("catalog-info.yaml", data.encode())
    assert f"x is {expected}." in reading.text
