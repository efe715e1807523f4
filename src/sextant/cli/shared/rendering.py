"""How answers, hits and traces look on a terminal. Text of documents is shown, never obeyed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.text import Text

from sextant.ask.passages import is_empty
from sextant.ask.phrases import ENGLISH, is_spoken
from sextant.cli.shared.answer_lines import AnswerLines
from sextant.cli.shared.console import out
from sextant.text.markdown import printable
from sextant.text.orders import ORDER
from sextant.types import (
    Answer,
    AnswerState,
    Chunk,
    Citation,
    Document,
    Hit,
    Json,
    Ranked,
    Step,
    Trace,
)

if TYPE_CHECKING:
    from sextant.toolbox.suggest import SuggestedTool

_SNIPPET = 240
_WIDE = 100


def line(*parts: str | tuple[str, str], indent: int = 0) -> None:
    """Print a line of plain texts, or texts with a style each."""
    cleaned = [
        printable(part) if isinstance(part, str) else (printable(part[0]), part[1])
        for part in parts
    ]
    out.print(Text.assemble(" " * indent, *cleaned), highlight=False, soft_wrap=True)


def show_text(text: str) -> None:
    """Print the Markdown of an answer as it is, its points in bold."""
    shown = AnswerLines()
    for own in text.split("\n"):
        shown.show(own, end="\n")


def show_piece(text: str) -> None:
    """Print a piece of an answer where the last one ended."""
    pieces = [Text(printable(own)) for own in text.split("\n")]
    out.print(Text("\n").join(pieces), end="", highlight=False, soft_wrap=True)


def show_answer(answer: Answer, *, is_told: bool = False) -> None:
    """Print an answer unless it was told already, then what it rests on and how sure it is."""
    if is_told:
        line()
    else:
        show_text(answer.text)
    if answer.citations:
        line()
        line(("Sources", "bold"))
    for citation in answer.citations:
        _show_citation(citation, has_quote=not _is_shown(citation, answer))
    if answer.trace.step("plan") is None:
        return
    line()
    sure = f"confidence {answer.verdict.confidence:.2f}"
    style = "green" if answer.state is AnswerState.KNOWN else "bold yellow"
    line((answer.state.value, style), f", {sure}")
    show_missed(answer.trace)


def show_suggested(suggested: Sequence[SuggestedTool]) -> None:
    """Print the tools that carry out what the evidence says, and what calls for each."""
    line()
    line(("Tools", "bold"))
    for one in suggested:
        line((one.tool.id, "cyan"), f"  {one.tool.name}", (f"  [{one.label}]", "dim"), indent=2)
        line(f"“{' '.join(one.statement.split())}”", indent=6)
        if one.requires:
            line(("needs ", "dim"), ", ".join(one.requires), indent=6)
    if not suggested:
        line("No tool clearly carries this out.", indent=2)


def show_missed(trace: Trace) -> None:
    """Print what the budget left out, and what was to be done by a model and was done without."""
    budget = trace.step("budget")
    if budget is not None:
        left_out = ", ".join(map(str, budget.facts["left_out"]))  # type: ignore[arg-type]
        line(f"left out for the budget: {left_out}")
    model = trace.step("model")
    for fallback in model.facts["fallbacks"] if model else ():  # type: ignore[union-attr]
        line(("without the model: ", "yellow"), str(fallback))


def _is_shown(citation: Citation, answer: Answer) -> bool:
    """Whether an answer itself has the words that a source is cited for."""
    own = [one for one in answer.statements if citation.label in one.labels]
    quote = " ".join(citation.quote.split())
    return any(one.block or one.text == quote for one in own)


def _show_citation(citation: Citation, *, has_quote: bool = True) -> None:
    where = f"{citation.chunk_id} {citation.start}:{citation.end}"
    line((f"[{citation.label}]", "cyan"), f" {citation.title}  ", (where, "dim"), indent=2)
    if citation.url:
        line(citation.url, indent=6)
    if not has_quote:
        return
    quote = " ".join(citation.quote.split())
    line(f"“{quote[:_SNIPPET]}{'…' if len(quote) > _SNIPPET else ''}”", indent=6)


def show_ranked(ranked: Ranked, *, explain: bool = False, full: bool = False) -> None:
    """Print hits, best first: what each scores, with explain why, in full the whole passage."""
    if is_empty(ranked.trace):
        line(ENGLISH.empty)
    elif not ranked.hits:
        line("Nothing was found.")
    for number, hit in enumerate(ranked.hits, 1):
        _show_hit(number, hit, full=full)
        if explain:
            _show_ledger(hit)


def _show_hit(number: int, hit: Hit, *, full: bool = False) -> None:
    document, chunk, scores = hit.passage.document, hit.passage.chunk, hit.scores
    title = " > ".join(dict.fromkeys(one for one in (document.title, *chunk.headings) if one))
    line(f"{number:>2}  ", (f"{scores.total:.3f}", "bold"), f"  {title}  ", (chunk.id, "dim"))
    four = ("relevancy", "recency", "richness", "reputation")
    each = "  ".join(f"{name} {getattr(scores, name):.2f}" for name in four)
    line((each, "cyan"), indent=11)
    if ORDER in hit.marks:
        line(("reads like an order to an assistant", "yellow"), indent=11)
    if full:
        _show_passage(document, chunk)
        return
    text = " ".join(chunk.text.split())
    line(text[:_SNIPPET] + ("…" if len(text) > _SNIPPET else ""), indent=11)


def _show_passage(document: Document, chunk: Chunk) -> None:
    """Print where a passage is read, on the web or as a file, and the passage line by line."""
    line((document.url or document.id, "dim"), indent=11)
    line()
    for own in chunk.text.split("\n"):
        line(own, indent=4 if own.strip() else 0)
    line()


def _show_ledger(hit: Hit) -> None:
    for share in hit.ledger.shares:
        sum_ = f"{share.score:.3f} × {share.weight:.3f} = {share.points:.3f}"  # noqa: RUF001 - times
        line(f"{share.name:<10}  {sum_}", indent=11)
    legs = {name: getattr(hit.legs, name) for name in ("keyword", "vector", "graph")}
    each = ", ".join(f"{name} {'—' if own is None else f'{own:.3f}'}" for name, own in legs.items())
    line("found by    ", each, indent=11)
    for note in hit.ledger.notes:
        line("note        ", note, indent=11)
    if hit.ledger.turning:
        line("its rank    ", hit.ledger.turning, indent=11)
    if hit.why:
        line("why         ", hit.why, indent=11)


def show_trace(trace: Trace) -> None:
    """Print the way to an answer, step by step."""
    took = sum(step.milliseconds for step in trace.steps)
    day = trace.now.removesuffix("T00:00:00+00:00")
    line()
    line(("Trace", "bold"), f"  on {day}, at commit {trace.commit}, {took:.1f} ms")
    if trace.locale:
        line(f"locale    {_language(trace.locale)}", indent=2)
    for step in trace.steps:
        _show_step(step)


def _language(locale: str) -> str:
    if is_spoken(locale):
        return locale
    return f"{locale} is not spoken here: fixed sentences are in English"


def _show_step(step: Step) -> None:
    line((f"{step.name:<9}", "bold"), (f"{step.milliseconds:>8.1f} ms", "dim"), indent=2)
    if step.fallback:
        line(("fell back: ", "yellow"), step.fallback, indent=6)
    for name, fact in step.facts.items():
        _show_fact(name.replace("_", " "), fact)


def _show_fact(name: str, fact: Json) -> None:
    if fact is None or fact in ("", (), []):
        return
    if not isinstance(fact, Sequence) or isinstance(fact, str):
        line(f"{name}: {_fact_in_words(fact)}", indent=6)
        return
    items = [_fact_in_words(one) for one in fact]
    joined = ", ".join(items)
    if len(joined) <= _WIDE and not any(isinstance(one, Mapping) for one in fact):
        line(f"{name}: {joined}", indent=6)
        return
    line(f"{name}:", indent=6)
    for one in items:
        line(one, indent=8)


def _fact_in_words(fact: Json) -> str:
    """Return a fact in words; the facts of the line's own steps have words of their own."""
    if isinstance(fact, Mapping):
        pattern = _PATTERNS.get(frozenset(fact))
        values: dict[str, Any] = {name: _fact_in_words(own) for name, own in fact.items()}
        if pattern:
            return pattern.format(**values)
        return ", ".join(f"{name} {own}" for name, own in values.items())
    if isinstance(fact, bool):
        return "yes" if fact else "no"
    if isinstance(fact, float):
        return f"{fact:.3f}".rstrip("0").rstrip(".")
    if isinstance(fact, Sequence) and not isinstance(fact, str):
        return ", ".join(_fact_in_words(one) for one in fact)
    return str(fact)


_PATTERNS = {
    frozenset(
        {"id", "name", "matched", "score", "how"}
    ): "“{matched}” → {name} ({id}) {score} {how}",
    frozenset({"query", "goal"}): "{query} — {goal}",
    frozenset({"chunk", "document", "total", "scores"}): "{total}  {chunk}",
    frozenset({"chunk", "why"}): "{chunk} — {why}",
}
