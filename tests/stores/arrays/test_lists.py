"""Keys in order: every one is found at its place, and nothing else is."""

from hypothesis import given
from hypothesis import strategies as st

from sextant.stores.arrays.lists import Keys, heads_of, pack_strings

# Few letters, the zero byte among them, and keys longer than a head: many keys share theirs.
KEYS = st.lists(st.binary(max_size=12).map(lambda key: bytes(one % 3 for one in key)), unique=True)


@given(KEYS.filter(bool), KEYS)
def test_keys_are_found_where_they_are_and_others_nowhere(
    keys: list[bytes], others: list[bytes]
) -> None:
    ordered = sorted(keys)
    index = Keys(*pack_strings(ordered), heads_of(ordered))
    places = {key: at for at, key in enumerate(ordered)}
    asked = ordered + others
    assert index.find_all(asked) == [places.get(key, -1) for key in asked]


SPACED = st.text("ab ", max_size=8).map(str.encode)


@given(st.lists(SPACED, unique=True), SPACED.filter(bytes.strip))
def test_strings_are_found_by_whole_words_of_theirs(keys: list[bytes], words: bytes) -> None:
    ordered = sorted(keys)
    index = Keys(*pack_strings(ordered), heads_of(ordered))
    holding = [at for at, key in enumerate(ordered) if b" %b " % words in b" %b " % key]
    assert list(index.with_words(words)) == holding
