"""What commands that ask share: their options, and how these become a question and a scope."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sextant.ask.question import Question
from sextant.ask.record.load import MOST, read
from sextant.cli.shared.console import flag, operator
from sextant.errors import Conflict, InvalidInput, TooLarge
from sextant.query import Filter, parse
from sextant.retrieval.recorder import Budget
from sextant.text.codec.decode import loads, shaped
from sextant.types import Preferences, Role, Scope, Turn

_STDIN = "-"

QuestionArgument = Annotated[
    list[str], typer.Argument(metavar="QUESTION", help="What to ask; `-` reads it from stdin.")
]
PersonaOption = Annotated[
    list[str] | None,
    typer.Option(
        "--persona",
        "-p",
        help="Who asks; may be repeated, then what any of them may see counts. Without it, only "
        "what is open to all does.",
    ),
]
OperatorOption = Annotated[
    bool, flag("--operator", help="Ask as who runs the store: nothing is hidden.")
]
UserOption = Annotated[str | None, typer.Option("--user", help="Whose learnt weights and words.")]
HistoryOption = Annotated[
    Path | None,
    typer.Option(
        help='The turns before, as JSON `[{"role": "user", "text": …}, …]`, '
        "or an answer that was saved."
    ),
]
AfterOption = Annotated[
    list[str] | None, typer.Option(help="A question that was asked before this one; may repeat.")
]
FilterOption = Annotated[
    str | None,
    typer.Option("--filter", help='Only what fits, as in `{"tags_any": ["ops"]}`.'),
]
NowOption = Annotated[
    str | None, typer.Option(metavar="DATE", help="The day it is, as in `2026-10-31`; else today.")
]
ProfileOption = Annotated[str, typer.Option(help="Rank by this saved profile.")]
WeightsOption = Annotated[
    str | None, typer.Option(metavar="R=N,…", help="As in `relevancy=0.5,recency=0.5`.")
]
BudgetMsOption = Annotated[
    int, typer.Option(min=0, help="Milliseconds; what takes too long is left out, openly.")
]
BudgetTokensOption = Annotated[
    int, typer.Option(min=0, help="About how many tokens answer and evidence may each have.")
]
LlmOption = Annotated[
    str | None,
    typer.Option(
        "--llm",
        metavar="SCHEME:REST",
        help="The language model, as in `openai:gpt-5`; `none` stays offline.",
    ),
]


def personas_of(given: list[str] | None) -> frozenset[str]:
    """Return the personas that an option names; an empty one is none."""
    return frozenset(filter(None, given or []))


def scope_of(
    tenant: str,
    personas: list[str] | None = None,
    user: str | None = None,
    *,
    is_operator: bool = False,
) -> Scope:
    """Return who asks: nobody in particular unless said otherwise."""
    scope = operator(tenant) if is_operator else Scope(tenant)
    return replace(scope, personas=personas_of(personas), user=user or None)


def question_of(
    words: list[str],
    turns: tuple[Turn, ...],
    filtered: str | None,
    now: str | None,
    profile: str,
    weights: str | None,
    budget: Budget,
    k: int = 10,
) -> Question:
    """Return the question that the options of a command describe."""
    return Question(
        question_text(words),
        turns,
        filter_of(filtered),
        weights_of(weights),
        profile,
        k,
        moment_of(now),
        budget,
    )


def question_text(words: list[str]) -> str:
    """Return the words of a question, or what stands on stdin."""
    text = " ".join(words)
    if text != _STDIN:
        return text
    given: bytes = typer.get_binary_stream("stdin").read(MOST)
    return given.decode("utf-8", "replace")


def turns_of(history: Path | None, after: list[str] | None) -> tuple[Turn, ...]:
    """Return what was said before."""
    if history and after:
        raise InvalidInput("Earlier turns are given twice.", "Use --history or --after.")
    if history is None:
        return tuple(Turn(Role.USER, text) for text in after or ())
    text = text_in(history)
    try:
        given = loads(text)
        if isinstance(given, list):
            return tuple(shaped(Turn, one, f"turn {at}") for at, one in enumerate(given, 1))
    except InvalidInput as error:
        raise InvalidInput(
            f"{history.name} holds no turns: {error.message}.",
            'Write [{"role": "user", "text": …}, …].',
        ) from None
    answer = read(text).answer
    return (Turn(Role.USER, answer.question), Turn(Role.ASSISTANT, answer.text))


def filter_of(text: str | None) -> Filter | None:
    """Read a filter from JSON."""
    if text is None:
        return None
    try:
        tree = loads(text)
    except InvalidInput as error:
        raise InvalidInput(
            f"The filter cannot be read: {error.message}.", 'Write {"tags_any": ["ops"]}.'
        ) from None
    return parse(tree)


def moment_of(text: str | None) -> datetime | None:
    """Read a day or a moment; where it has no offset, it is in UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(f"{text[:40]!r} is not a date.", "Write it like 2026-10-31.") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def weights_of(text: str | None) -> Preferences | None:
    """Read weights; those that are not named are the profile's, or the usual ones."""
    if text is None:
        return None
    names = [item.name for item in fields(Preferences)]
    given: dict[str, float] = {}
    for part in text.split(","):
        name, _, number = (piece.strip() for piece in part.partition("="))
        try:
            given[name] = float(number)
        except ValueError:
            name = ""
        if name not in names:
            raise InvalidInput(
                f"{part[:40]!r} is not a weight.", f"Write NAME=NUMBER, of {', '.join(names)}."
            )
    return Preferences(**given)


def text_in(path: Path, most: int = MOST) -> str:
    """Return the text of a file, or of stdin for ``-``."""
    try:
        if str(path) == _STDIN:
            content = typer.get_binary_stream("stdin").read(most + 1)
        else:
            with path.open("rb") as file:
                content = file.read(most + 1)
    except OSError as error:
        raise InvalidInput(
            f"{path.name} cannot be read: {error.strerror}.", "Name a file that is there."
        ) from None
    if len(content) > most:
        raise TooLarge(f"{path.name} has more than {most:,} bytes.", "Name another file.")
    try:
        return str(content.decode("utf-8"))
    except UnicodeDecodeError:
        raise InvalidInput(f"{path.name} is no text in UTF-8.", "Name another file.") from None


def write_new(path: Path, text: str) -> None:
    """Write a file that is not there yet."""
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise Conflict(f"{path.name} exists already.", "Name a new file.") from None
    except OSError as error:
        raise InvalidInput(
            f"{path.name} cannot be written: {error.strerror}.", "Name another folder."
        ) from None
