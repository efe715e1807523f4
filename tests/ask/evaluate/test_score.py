"""What an answer is worth: what it says, what it does not say, and what it rests on."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from sextant.ask.evaluate.cases import Case
from sextant.ask.evaluate.score import Evaluation, Total, evaluate, holds, is_named, score
from sextant.errors import InvalidInput
from sextant.types import Answer, Citation, Verdict

CASE = Case(
    "Who owns Process X?",
    "one-hop-01",
    "one-hop",
    "train",
    must=("Team Y",),
    must_not=("Team Yarrow", "Team Q"),
    documents=("processes/x.md", "teams/y.md"),
)
HOPELESS = Case("Who painted it?", "none-01", "unanswerable", "test", must_not=("Rembrandt",))


def cited(label: str, document_id: str) -> Citation:
    return Citation(label, f"{document_id}#c0", document_id, label, "", "…", 0, 1, "v1")


def answer(
    text: str,
    documents: Sequence[str] = ("docs/processes/x.md",),
    confidence: float = 0.9,
    *,
    known: bool = True,
) -> Answer:
    citations = tuple(cited(f"Page {at}", name) for at, name in enumerate(documents))
    return Answer("?", text, Verdict(known, confidence), citations=citations)


def test_an_answer_is_right_that_says_what_it_must_from_where_it_must() -> None:
    found = score(CASE, answer("It is owned by **team y**. [Page 0]"))
    assert (found.is_right, found.cites_main, found.cites_all) == (True, True, False)
    both = score(CASE, answer("Team Y.", ("docs/processes/x.md", "docs/teams/y.md")))
    assert (both.is_right, both.cites_all) == (True, True)


@pytest.mark.parametrize(
    "given",
    [
        answer("Team Yarrow does."),
        answer("Team Y, not Team Q."),
        answer("Somebody."),
        answer("Team Y.", ("docs/teams/y.md",)),
        answer("Team Y.", ("docs/other-processes/x.md",)),
        answer("Team Y.", ()),
        answer("Team Y.", known=False),
    ],
)
def test_an_answer_is_wrong_that_lacks_any_of_it(given: Answer) -> None:
    assert not score(CASE, given).is_right


def test_what_lacks_and_what_should_not_be_there_is_named() -> None:
    found = score(CASE, answer("Team Q and Team Yarrow."))
    assert (found.lacking, found.forbidden) == (("Team Y",), ("Team Yarrow", "Team Q"))


def test_the_label_of_a_source_is_not_a_word_of_the_answer() -> None:
    labelled = Answer(
        "?", "A team. [Team Y]", Verdict(True, 0.5), citations=(cited("Team Y", "processes/x.md"),)
    )
    assert score(CASE, labelled).lacking == ("Team Y",)


def test_what_cannot_be_answered_is_right_when_it_is_not() -> None:
    assert score(HOPELESS, answer("That is not known.", (), known=False)).is_right
    assert not score(HOPELESS, answer("Somebody did.")).is_right
    assert not score(HOPELESS, answer("Rembrandt did.")).is_right


def test_what_only_comes_nearest_is_not_told_and_may_say_anything() -> None:
    nearest = score(HOPELESS, answer("It may be Rembrandt.", known=False))
    assert nearest.is_right
    assert not nearest.is_answered
    assert nearest.forbidden == ("Rembrandt",)


def test_words_are_whole_and_of_any_case() -> None:
    assert holds("It is TEAM Y.", "team y")
    assert not holds("Team Yarrow", "Team Y")
    assert not holds("150 EUR", "50")
    assert holds("a+b (c)", "(C)")


def test_a_path_means_the_document_whatever_its_source_is_called() -> None:
    assert is_named("a/b.md", "a/b.md")
    assert is_named("a/b.md", "sample/a/b.md")
    assert not is_named("a/b.md", "sample/xa/b.md")


def test_totals_are_by_kind_and_by_split_with_the_confidence_of_right_and_wrong() -> None:
    cases = (CASE, CASE, HOPELESS)
    given = [answer("Team Y."), answer("?", confidence=0.3), answer("?", (), 0.1, known=False)]
    found = Evaluation(tuple(map(score, cases, given)))
    assert found.total == Total("all", 3, 2)
    assert found.by_kind == (Total("one-hop", 2, 1), Total("unanswerable", 1, 1))
    assert found.by_split == (Total("train", 2, 1), Total("test", 1, 1))
    assert [one.case.id for one in found.wrong] == ["one-hop-01"]
    assert found.confidence(right=True) == pytest.approx(0.5)
    assert found.confidence(right=False) == pytest.approx(0.3)
    assert Evaluation(()).confidence(right=True) is None
    assert Evaluation(()).total.share == 0.0


def test_every_question_is_asked_in_order_and_progress_is_told() -> None:
    heard: list[tuple[str, int, int]] = []
    asked: list[str] = []

    async def ask(case: Case) -> Answer:
        asked.append(case.id)
        return answer("Team Y.")

    def listen(what: str, done: int, total: int) -> None:
        heard.append((what, done, total))

    found = asyncio.run(evaluate(ask, (CASE, HOPELESS), listen))
    assert asked == ["one-hop-01", "none-01"] == [one.case.id for one in found.scores]
    assert heard == [("Asking", 0, 2), ("Asking", 1, 2), ("Asking", 2, 2)]


def test_a_question_that_is_refused_is_named() -> None:
    async def ask(case: Case) -> Answer:
        raise InvalidInput(f"{len(case.question)} characters are too many.", "Shorten it.")

    with pytest.raises(InvalidInput) as refused:
        asyncio.run(evaluate(ask, (CASE,)))
    assert str(refused.value) == (
        "one-hop-01 cannot be asked: 19 characters are too many. Shorten it."
    )
