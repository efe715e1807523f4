from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sextant.llms.local_nets import wordpiece
from sextant.llms.local_nets.wordpiece import WordPiece

TOKENIZER = wordpiece.load()

KNOWN = [
    ("", []),
    (" \t\r\n", []),
    ("Sextant", [3348, 5794, 2102]),
    ("unaffable", [14477, 20961, 3468]),
    ("Hello, World!", [7592, 1010, 2088, 999]),
    ("don't", [2123, 1005, 1056]),
    ("Ångström naïve coöperation", [17076, 15687, 15743, 6792]),
    ("e\u0301tude", [3802, 12672]),
    ("İstanbul", [9960]),
    ("ΣΊΣΥΦΟΣ", [1173, 18199, 29733, 29735, 29736, 29730, 29733]),
    ("六分儀で測る", [100, 1775, 100, 1665, 100, 1687]),
    ("一\U00020000", [1740, 100]),
    ("한국", [1469, 30006, 30021, 29991, 30014, 30020]),
    ("\ufb01ne ½", [1984, 2638, 1092]),
    ("\u03a9mega \u212a", [1179, 4168, 3654, 1047]),
    ("a\x00b\u200bc\ufffd", [5925]),
    ("tab\tnew\nline\u3000wide\u2028end", [21628, 2047, 2240, 2898, 2203]),
    ("$1,000.50 @home #1", [1002, 1015, 1010, 2199, 1012, 2753, 1030, 2188, 1001, 1015]),
    ("“quoted”…—done", [1523, 9339, 1524, 1529, 1517, 2589]),
    ("🧭 compass", [100, 16681]),
    ("x" * 100, [22038, *[20348] * 49]),
    ("x" * 101, [100]),
]


@pytest.mark.parametrize(("text", "ids"), KNOWN)
def test_text_becomes_the_ids_that_the_reference_tokenizer_gives(text: str, ids: list[int]) -> None:
    assert TOKENIZER.ids(text, 256) == [101, *ids, 102]


def test_name_of_a_special_token_in_a_text_is_only_text() -> None:
    assert TOKENIZER.ids("[SEP]", 256) == [101, 1031, 19802, 1033, 102]


def test_word_met_again_has_the_same_ids() -> None:
    fresh = wordpiece.load()
    assert fresh.ids("unaffable", 256) == fresh.ids("unaffable", 256)


@pytest.mark.parametrize("limit", [2, 3, 4, 5, 6])
def test_long_text_is_cut_but_keeps_its_end_mark(limit: int) -> None:
    whole = TOKENIZER.ids("unaffable harbour", 256)
    assert TOKENIZER.ids("unaffable harbour", limit) == [*whole[: limit - 1], 102][:limit]


def test_text_that_just_fits_is_whole() -> None:
    assert TOKENIZER.ids("hello world", 4) == [101, 7592, 2088, 102]


def test_more_words_than_are_kept_in_mind_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wordpiece, "CACHED_WORDS", 2)
    small = wordpiece.load()
    text = "the quick brown fox jumps over the lazy dog and the unaffable cat"
    assert small.ids(text, 256) == TOKENIZER.ids(text, 256)
    assert len(small._known) <= 2


def test_overlong_words_are_not_kept_in_mind() -> None:
    fresh = wordpiece.load()
    fresh.ids("x" * 100_000, 256)
    assert not fresh._known


def test_vocabulary_is_the_one_of_bert_uncased() -> None:
    vocabulary = TOKENIZER._vocabulary
    assert len(vocabulary) == 30_522
    assert [vocabulary[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]")] == [
        0,
        100,
        101,
        102,
    ]


def test_longest_piece_wins_and_a_rest_that_is_unknown_spoils_the_word() -> None:
    tokens = ["[UNK]", "[CLS]", "[SEP]", "a", "ab", "##b", "##c"]
    tokenizer = WordPiece({token: number for number, token in enumerate(tokens)})
    assert tokenizer.ids("abc", 9) == [1, 4, 6, 2]
    assert tokenizer.ids("abd", 9) == [1, 0, 2]


MIXED = st.lists(
    st.sampled_from(["unaffable", " ", "e\u0301", "\u0301", "港", ",", "\u200b", "x" * 101, "\n"])
    | st.characters(),
    max_size=40,
).map("".join)


@given(MIXED, st.data())
def test_places_of_a_text_count_the_ids_of_what_stands_before_them(
    text: str, data: st.DataObject
) -> None:
    """Up to a place between two words, the ids are those of the text cut there."""
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=6))
    limit = data.draw(st.integers(4, 60))
    every = [0, *cuts, len(text)]
    ids, places = TOKENIZER.ids_and_places(text, list(pairwise(every)), limit)
    before = dict(zip(every, [places[0][0], *(end for _, end in places)], strict=True))
    assert before[0] == 1
    assert before[len(text)] == len(ids) - 1
    assert sorted(before.values()) == [before[cut] for cut in sorted(before)]
    for cut in cuts:
        padded = TOKENIZER.ids(f"{text[:cut]} {text[cut:]}", 10_000)
        if padded == TOKENIZER.ids(text, 10_000):
            assert before[cut] == min(len(TOKENIZER.ids(text[:cut], 10_000)) - 1, limit - 1)


def test_a_word_belongs_to_where_it_begins() -> None:
    text = "unaffable harbour"
    ids, places = TOKENIZER.ids_and_places(text, [(0, 2), (5, 9), (10, 11)], 256)
    assert ids == TOKENIZER.ids(text, 256)
    assert places == [(1, 4), (4, 4), (4, 5)]
