"""What says the same in other words is alike; what is not known says nothing."""

from sextant.ask.evidence.marking.likeness import likeness
from sextant.text.words import Words
from tests.ask.evidence.pieces import passage, said


def alike(asked: str, *texts: str) -> list[float]:
    words = Words()
    return likeness(words.terms(asked), [words.terms(text) for text in texts])


def test_other_words_for_the_same_are_more_alike_than_words_for_something_else() -> None:
    same, other = alike(
        "How many parcels fit in one basket?",
        "A cart may hold 40 packages.",
        "The engineer on duty is called at night.",
    )
    assert same > other


def test_a_text_is_like_itself_whatever_the_order_of_its_words() -> None:
    assert alike("the broker slows down", "down slows the broker") == [1.0]


def test_a_text_of_unknown_words_is_neither_alike_nor_unlike() -> None:
    assert alike("the broker slows down", "", "xqzzt wvvkq") == [0.0, 0.0]
    assert alike("xqzzt", "the broker slows down") == [0.0]


def test_no_texts_have_no_likeness() -> None:
    assert alike("the broker slows down") == []


def test_a_sentence_in_other_words_is_said_though_it_shares_none_with_the_question() -> None:
    page = passage("depot", "The office closes in winter. Doctors look after sick people.")
    assert said("Which physicians treat patients?", page)[0] == "Doctors look after sick people."
