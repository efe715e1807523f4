"""What was found, weighed: passages that count, edges and blocks that answer, and a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

from sextant.ask import model_steps as modelled
from sextant.ask.blocks import Block, cut_blocks
from sextant.ask.edges import EdgeAnswer
from sextant.ask.passages import QueryResult, merge_hits
from sextant.ask.pick import Picked, pick_passages
from sextant.ask.piece_odds import OddsByText, read_piece_odds
from sextant.ask.respell import respell
from sextant.ask.run import Run
from sextant.ask.score import Readings, Scored, score_passages
from sextant.ask.verdict import Judgement, judge
from sextant.retrieval.recorder import estimated_tokens
from sextant.text.markdown import readable
from sextant.text.names import spaced
from sextant.text.relation_kinds import kind_of
from sextant.types import FollowUp, Hit, KeyPoint, Verdict

_SCORED, _OF_EACH = 24, 8
"""Passages that are scored: the best of all, and at least so many of each query."""

_IN_PART = 0.45
"""How sure an answer can be at most to which a part is missing: less than one that is known."""

_EXPLAINS = 0.3
"""A block behind edges is likelier than that to answer as well; not fitted."""

_EXACT = frozenset({"exact", "normalised"})
_MOST_FOLLOW_UPS = 3


@dataclass(frozen=True, slots=True)
class PartAnswer:
    """What the graph and the pages say to a part of a question."""

    found: QueryResult
    blocks: tuple[Block, ...] = ()
    is_open: bool = False

    @property
    def edges(self) -> tuple[EdgeAnswer, ...]:
        """What the graph says."""
        return self.found.edges.answers


@dataclass(frozen=True, slots=True)
class Evidence:
    """A question's parts with their answers, the passages that count, and whether it is enough."""

    question: str
    parts: tuple[PartAnswer, ...]
    hits: tuple[Hit, ...]
    verdict: Verdict

    @property
    def edges(self) -> tuple[EdgeAnswer, ...]:
        """What the graph says to all parts."""
        return tuple(edge for part in self.parts for edge in part.edges)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """What the pages say to all parts."""
        return tuple(block for part in self.parts for block in part.blocks)


async def weigh(run: Run, rounds: Sequence[Sequence[QueryResult]]) -> Evidence:
    """Choose among what was found round by round, see what it says to each part, and judge that."""
    found = [one for own in rounds for one in own]
    sources = _sources(merge_hits(found), [one.hits for one in found])
    asked = [_known_names(one, sources) for one in rounds[0] if not one.is_besides]
    await run.late.read(hit.passage for hit in sources if run.late.is_met(hit.passage))
    texts = _respelt(run, asked, sources)
    meant = [text for one, text in zip(asked, texts, strict=True) if one.embedded_as]
    odds = await read_piece_odds(
        run.means, run.scope, sources, meant, run.late, run.embedder_seconds
    )
    readings, today = Readings(run.means.words), run.now.date()
    scored = [score_passages(text, sources, odds.odds_for(text), readings, today) for text in texts]
    picked = await _rerank(run, rounds, texts, scored, readings, odds)
    with run.recorder.step("judge") as notes:
        answers, judgement = _answer_parts(run, asked, texts, scored, readings)
        hits = _with_blocks(picked.hits, sources, answers)
        verdict = _verdict(answers, judgement, picked.missing)
        if run.talk:
            text, words = asked[0].part.text, run.means.words
            verdict = await modelled.judged(run.talk, text, hits, verdict, words, notes)
        notes.facts |= {
            "sufficient": verdict.sufficient,
            "confidence": verdict.confidence,
            "signs": {name: round(own, 4) for name, own in asdict(judgement.signs).items()},
            "follow_ups": [one.query for one in verdict.follow_ups],
            "blocks": [one.quote.passage.chunk.id for part in answers for one in part.blocks],
        }
    return Evidence(asked[0].part.text, tuple(answers), hits, verdict)


def _known_names(one: QueryResult, sources: Sequence[Hit]) -> QueryResult:
    """Return a query without the unknown names that a passage has: somebody here is called so."""
    if not one.edges.unknown:
        return one
    texts = [spaced(f"{hit.passage.document.title} {hit.passage.chunk.text}") for hit in sources]
    unknown = [name for name in one.edges.unknown if not any(spaced(name) in own for own in texts)]
    near = {name: own for name, own in one.edges.near.items() if name in unknown}
    return replace(one, edges=replace(one.edges, unknown=tuple(unknown), near=near))


def _respelt(run: Run, asked: Sequence[QueryResult], sources: Sequence[Hit]) -> list[str]:
    """Return what is asked with misspelt words as the passages spell them."""
    passages = [hit.passage for hit in sources]
    known = [
        f"{one.document.title} {' '.join(one.chunk.headings)} {one.chunk.text}" for one in passages
    ]
    return [respell(one.part.text, known, run.means.words) for one in asked]


def _sources(everything: Sequence[Hit], found: Sequence[Sequence[Hit]]) -> tuple[Hit, ...]:
    """Return the passages that are scored, best first: the best of all and of each query."""
    each = (hit for own in found for hit in own[:_OF_EACH])
    kept = {hit.passage.chunk.id for hit in (*everything[:_SCORED], *each)}
    return tuple(hit for hit in everything if hit.passage.chunk.id in kept)


def _answer_parts(
    run: Run,
    asked: Sequence[QueryResult],
    texts: Sequence[str],
    scored: Sequence[tuple[Scored, ...]],
    readings: Readings,
) -> tuple[list[PartAnswer], Judgement]:
    """Return what answers each part, and how sure it is that pages answer what edges do not."""
    parts = list(zip(asked, scored, strict=True))[1:] or [(asked[0], scored[0])]
    paged = [at for at, (one, _) in enumerate(parts) if _is_for_pages(one)]
    texts = [texts[0], *(texts[at + 1] for at in paged if len(texts) > 1)]
    ranked = [scored[0], *(parts[at][1] for at in paged)]
    if len(parts) == 1:
        texts, ranked = texts[:1], ranked[:1]
    blocks = _affordable_blocks(run, cut_blocks(ranked, readings)) if paged else ()
    judgement = judge(texts, ranked, blocks, readings)
    answers = []
    for at, (one, _) in enumerate(parts):
        number = paged.index(at) + (len(parts) > 1) if at in paged else -1
        own = tuple(block for block in blocks if block.part == number)
        own = own or _explaining(one, parts[at][1], readings)
        named = tuple(_about_named(one, own))
        if any(_says_kind(block, one.edges.silent) for block in named):
            one = replace(one, edges=replace(one.edges, silences=(), beside=()))
        is_told = bool(at in paged and judgement.is_sufficient and not one.edges.silences)
        is_open = not one.edges.answers and not is_told
        quoted = {quote.key[0] for edge in one.edges.beside for quote in edge.quotes}
        if one.edges.silences:
            own = tuple(block for block in own if block.quote.key[0] not in quoted)[:1]
        answers.append(PartAnswer(one, own, is_open))
    return _nearest(answers, judgement), judgement


def _says_kind(block: Block, kinds: Collection[str]) -> bool:
    """Whether the point of a block has words of a relation that the graph has no edge of."""
    point = spaced(block.markdown[slice(*block.point)] if block.point else block.markdown)
    phrases = (one for kind in map(kind_of, kinds) for one in (*kind.forwards, *kind.backwards))
    return any(spaced(phrase) in point for phrase in phrases)


def _is_for_pages(one: QueryResult) -> bool:
    """Whether pages are asked, since no edge answers."""
    return not one.edges.answers and not one.edges.unknown


def _explaining(
    one: QueryResult, scored: Sequence[Scored], readings: Readings
) -> tuple[Block, ...]:
    """Return the block that says what else follows from a failure, behind who is hit by it."""
    own = [each for each in scored if one.edges.subjects & {*each.hit.passage.chunk.entity_ids}]
    if not one.edges.answers or not own or own[0].likelihood < _EXPLAINS:
        return ()
    quoted = {quote.passage.chunk.id for edge in one.edges.answers for quote in edge.quotes}
    blocks = cut_blocks([own[:1]], readings)
    return tuple(block for block in blocks if block.quote.passage.chunk.id not in quoted)


def _nearest(answers: list[PartAnswer], judgement: Judgement) -> list[PartAnswer]:
    """Return the answers; of what is not known, blocks only as far as they come near."""
    if judgement.is_near:
        return answers
    return [
        replace(part, blocks=tuple(_about_named(part.found, part.blocks))[:1])
        if part.is_open
        else part
        for part in answers
    ]


def _about_named(found: QueryResult, blocks: Sequence[Block]) -> Iterator[Block]:
    """Yield the blocks of passages about somebody whom a part names exactly."""
    named = [one for one in found.linked if one.how in _EXACT]
    ids, names = {one.entity_id for one in named}, {spaced(one.matched) for one in named}
    for block in blocks:
        passage = block.quote.passage
        text = spaced(f"{passage.document.title} {passage.chunk.text}")
        if ids.intersection(passage.chunk.entity_ids) or any(name in text for name in names):
            yield block


def _with_blocks(
    hits: tuple[Hit, ...], sources: Sequence[Hit], answers: Sequence[PartAnswer]
) -> tuple[Hit, ...]:
    """Return the chosen hits, and those that only a block is taken from: a model sees them, too."""
    used = {block.quote.passage.chunk.id for part in answers for block in part.blocks}
    known = {hit.passage.chunk.id for hit in hits}
    return (*hits, *(hit for hit in sources if hit.passage.chunk.id in used - known))


def _verdict(
    answers: Sequence[PartAnswer], judgement: Judgement, missing: Sequence[str]
) -> Verdict:
    """Return whether all parts are answered, as surely as the least sure of them."""
    is_paged = any(not part.edges for part in answers)
    sure = [edge.confidence for part in answers for edge in part.edges]
    sure += [judgement.confidence] if is_paged else []
    is_known = not any(part.is_open for part in answers)
    confidence = round(min(sure, default=0.0), 4)
    if not is_known:
        confidence = min(confidence, judgement.confidence, _IN_PART)
    open_parts = [part.found.part.text for part in answers if part.is_open]
    lacking = open_parts if len(answers) > 1 else list(missing)
    return Verdict(
        is_known,
        confidence,
        tuple(_key_points(answers)),
        () if is_known else tuple(lacking),
        () if is_known else tuple(_follow_ups(answers))[:_MOST_FOLLOW_UPS],
    )


def _key_points(answers: Sequence[PartAnswer]) -> Iterator[KeyPoint]:
    for part in answers:
        for edge in part.edges:
            yield from (KeyPoint(edge.text, one.passage.chunk.id) for one in edge.quotes[:1])
        for block in part.blocks:
            text = block.markdown[slice(*block.point)] if block.point else block.markdown
            yield KeyPoint(readable(text), block.quote.passage.chunk.id)


def _follow_ups(answers: Sequence[PartAnswer]) -> Iterator[FollowUp]:
    """Yield an open part anew, by a name that is known instead of the one that nobody bears."""
    for part in answers:
        text, goal = part.found.part.text, part.found.part.goal
        for unknown, near in part.found.edges.near.items():
            yield FollowUp(text.replace(unknown, near), goal)


async def _rerank(
    run: Run,
    rounds: Sequence[Sequence[QueryResult]],
    texts: Sequence[str],
    scored: Sequence[tuple[Scored, ...]],
    readings: Readings,
    odds: OddsByText,
) -> Picked:
    """Choose the few passages that cover the parts; by a model, if there is one."""
    with run.recorder.step("rerank") as notes:
        picked = pick_passages(texts, scored, readings, phrases=run.phrases)
        if run.talk:
            batches = [
                [modelled.Batch(one.part.text, one.part.goal, one.hits) for one in own]
                for own in rounds
            ]
            picked = await modelled.reranked(run.talk, texts[0], batches, picked, notes)
        picked = replace(picked, hits=_affordable(run, picked.hits))
        notes.facts |= {
            "kept": [{"chunk": hit.passage.chunk.id, "why": hit.why} for hit in picked.hits],
            "duplicates": picked.duplicates,
        }
        run.late.note(notes, [hit.passage for hit in picked.hits])
        if odds.failure:
            words_alone = f"Pieces are judged by words alone: {odds.failure}"
            notes.fallback = f"{notes.fallback} {words_alone}".strip()
    return picked


def _affordable(run: Run, hits: Sequence[Hit]) -> tuple[Hit, ...]:
    """Leave out what is more than the budget of tokens, but never the best passage."""
    allowed, kept = run.question.budget.tokens, list[Hit]()
    for hit in hits:
        texts = [one.passage.chunk.text for one in (*kept, hit)]
        if allowed and kept and estimated_tokens(texts) > allowed:
            run.recorder.leave_out("passages")
            break
        kept.append(hit)
    return tuple(kept)


def _affordable_blocks(run: Run, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Leave out the last blocks where the answer would have more tokens than the budget."""
    allowed = run.question.budget.tokens
    while allowed and len(blocks) > 1 and estimated_tokens(b.markdown for b in blocks) > allowed:
        run.recorder.leave_out("statements")
        blocks = blocks[:-1]
    return blocks
