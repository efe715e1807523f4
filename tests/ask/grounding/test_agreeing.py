"""Sentences made of a source's own words that say something else, and some that say the same."""

import pytest

from sextant.ask.grounding.support import is_supported
from tests.ask.pieces import WORDS, passage


def says(source: str, text: str, title: str = "Notes") -> bool:
    return is_supported(text, [passage("p", source, title)], WORDS)


@pytest.mark.parametrize(
    ("title", "source", "text"),
    [
        (
            "Harbor",
            "Harbor keeps mail. Anchor is owned by Team Keel.",
            "Harbor is owned by Team Keel.",
        ),
        ("Harbor", "Anchor is owned by Team Keel.", "Team Keel owns Harbor."),
        ("Alpha", "Alpha is in Oslo. Beta is in Rome.", "Alpha is in Rome."),
        ("Alpha", "Alpha is old. Beta is in Rome. It is big.", "Alpha is big."),
        ("Harbor", "The database is slower than the cache.", "Harbor is slower than the cache."),
    ],
)
def test_the_title_is_no_subject_where_there_is_one(title: str, source: str, text: str) -> None:
    assert not says(source, text, title)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("It is owned by Team Keel.", "Harbor is owned by Team Keel."),
        ("It is owned by Team Keel.", "Team Keel owns Harbor."),
        ("The service restarts every night.", "Harbor restarts every night."),
        ("Owned by Team Keel since May.", "Harbor is owned by Team Keel."),
        ("Harbor keeps mail and restarts every night.", "Harbor restarts every night."),
    ],
)
def test_the_title_is_the_subject_of_what_leans(source: str, text: str) -> None:
    assert says(source, text, "Harbor")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("The cache is slower than the database.", "The database is slower than the cache."),
        ("Backups run before the upgrade.", "The upgrade runs before backups."),
        ("The parent process kills the child.", "The child kills the parent process."),
        (
            "The job copies invoices from the ledger to the archive.",
            "The job copies invoices from the archive to the ledger.",
        ),
        (
            "The job copies invoices from the ledger to the archive.",
            "The job copies invoices to the ledger from the archive.",
        ),
        ("The price rose from 10 euros to 15 euros.", "The price rose from 15 euros to 10 euros."),
        (
            "Passwords expire after 90 days for contractors and after 180 days for employees.",
            "Passwords expire after 180 days for contractors.",
        ),
        (
            "Passwords expire after 90 days for employees and after 180 days for contractors.",
            "Passwords expire after 90 days for contractors.",
        ),
        (
            "Version 2.1 fixed the leak and version 2.2 added the export.",
            "Version 2.2 fixed the leak.",
        ),
        ("Alpha uses PostgreSQL 15 and Beta uses MySQL 8.", "Alpha uses MySQL 8."),
        ("Alpha uses PostgreSQL 15, Beta uses MySQL 8.", "Alpha uses MySQL 8."),
        ("Harbor is owned by Team Keel.", "Harbor owns Team Keel."),
        ("Harbor is owned by Team Keel.", "Harbor is Team Keel."),
        ("Harbor depends on Dock Store.", "Harbor is Dock Store."),
        ("The predecessor of Harbor is owned by Team Keel.", "Harbor is owned by Team Keel."),
        ("Harbor's predecessor is owned by Team Keel.", "Harbor is owned by Team Keel."),
        ("Ann reports to Ben, who reports to Cid.", "Ann reports to Cid."),
        ("Is Harbor owned by Team Keel?", "Harbor is owned by Team Keel."),
        ("It is a myth that Harbor is safe.", "Harbor is safe."),
        ("The vendor claims that Harbor is safe.", "Harbor is safe."),
        ("Team Keel owns Harbor.", "Team Keel is owned by Harbor."),
    ],
)
def test_who_does_what_to_whom_is_looked_at(source: str, text: str) -> None:
    assert not says(source, text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("Every night, the job copies invoices.", "The job copies invoices every night."),
        ("The job copies invoices every night.", "Invoices are copied by the job every night."),
        ("If the disk is full, the job stops.", "The job stops if the disk is full."),
        ("The price rose from 10 euros to 15 euros.", "The price rose to 15 euros."),
        ("The form is checked by Team Keel every day.", "Team Keel checks the form every day."),
        ("Alpha uses PostgreSQL 15 and Beta uses MySQL 8.", "Beta uses MySQL 8."),
        ("Ann Lee leads Team Keel, which owns Harbor.", "Team Keel owns Harbor."),
        ("The job runs at 05:10 and pays refunds.", "The job pays refunds."),
    ],
)
def test_the_same_in_another_order_is_the_same(source: str, text: str) -> None:
    assert says(source, text)


HARBOR = passage(
    "h",
    "Harbor Queue keeps messages for 72 hours and depends on Dock Store. It is owned by Team Keel.",
    "Harbor Queue",
)
TIDAL = passage(
    "t",
    "Tidal Desk is owned by Night Crew. It depends on Harbor Queue and restarts every night.",
    "Tidal Desk",
)


@pytest.mark.parametrize(
    "text",
    [
        "Tidal Desk is owned by Team Keel.",
        "Harbor Queue restarts every night.",
        "Tidal Desk is owned by Night Crew and depends on Dock Store.",
        "Harbor Queue depends on Tidal Desk.",
        "Then Harbor Queue restarts every night.",
        "It is Harbor Queue that restarts every night.",
        "Dock Store keeps messages for 72 hours.",
        "Dock Store is owned by Team Keel.",
    ],
)
def test_two_sources_do_not_make_a_third_fact(text: str) -> None:
    assert not is_supported(text, [HARBOR, TIDAL], WORDS)


@pytest.mark.parametrize(
    "text",
    [
        "Tidal Desk is owned by Night Crew and depends on Harbor Queue.",
        "Harbor Queue is owned by Team Keel, and Tidal Desk is owned by Night Crew.",
        "Harbor Queue depends on Dock Store and is owned by Team Keel.",
    ],
)
def test_clauses_may_be_said_in_several_places(text: str) -> None:
    assert is_supported(text, [HARBOR, TIDAL], WORDS)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("On 3 March the relay failed for 20 minutes.", "The relay failed for 3 minutes."),
        (
            "The job retries 5 times with a timeout of 30 seconds.",
            "The job retries 30 times with a timeout of 5 seconds.",
        ),
        ("Support answers within 4 hours on weekdays.", "Support answers within 4 weekdays."),
        ("The office approves loans up to 500 EUR.", "The office approves loans over 500 EUR."),
        ("Refunds are paid within 14 days.", "Refunds are paid after 14 days."),
        ("Some customers get a discount.", "All customers get a discount."),
        ("Customers get a discount.", "All customers get a discount."),
        ("Managers can approve refunds.", "Only managers can approve refunds."),
        ("Only managers can approve refunds.", "Managers can approve refunds."),
        ("If the disk is full, the job stops.", "The disk is full."),
        ("If the disk is full, the job stops.", "The job stops."),
        ("The outage was probably caused by a switch.", "The outage was caused by a switch."),
        ("Anchor is owned by Team Keel.", "Anchor will be owned by Team Keel."),
        ("Anchor will be owned by Team Keel.", "Anchor is owned by Team Keel."),
        ("Anchor is owned by Team Keel.", "Anchor is owned by Team Keel, not."),
        ("The lock opens at least 5 times.", "The lock opens at most 5 times."),
        ("Harbor used to be owned by Team Keel.", "Harbor is owned by Team Keel."),
        ("The lock opens unless the battery is low.", "The lock opens."),
    ],
)
def test_a_sentence_is_no_stronger_than_its_source(source: str, text: str) -> None:
    assert not says(source, text)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (
            "| name | deputy | lead |\n|---|---|---|\n| Keel | Ann | Ben |\n| Reef | Cid | Dan |",
            "The lead of Keel is Ann.",
        ),
        (
            "| name | deputy | lead |\n|---|---|---|\n| Keel | Ann | Ben |\n| Reef | Cid | Dan |",
            "The lead of Reef is Ben.",
        ),
    ],
)
def test_a_cell_belongs_to_its_row_and_its_column(source: str, text: str) -> None:
    assert not says(source, text)
