"""How well a confidence tells right from wrong: the area under the curve, and risk by coverage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_WIDTH, _HEIGHT, _EDGE = 640, 400, 48
_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e")


def auroc(right: Sequence[float], wrong: Sequence[float]) -> float:
    """Return how often a right one is above a wrong one; a tie counts half."""
    one, other = np.asarray(right)[:, None], np.asarray(wrong)[None]
    return float(np.mean((one > other) + 0.5 * (one == other)))


def miscalibration(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> float:
    """Return how far confidence is from the share that is right, on average over its range."""
    sure, truth = np.asarray(confidence), np.asarray(right, float)
    places = np.minimum((sure * bins).astype(int), bins - 1)
    gaps = [
        abs(float(sure[own].mean() - truth[own].mean())) * float(own.mean())
        for place in range(bins)
        if (own := places == place).any()
    ]
    return sum(gaps)


@dataclass(frozen=True, slots=True)
class Point:
    """With so much of the questions answered, the surest first, so many answers are wrong."""

    coverage: float
    risk: float
    confidence: float


def risk_by_coverage(confidence: Sequence[float], wrong: Sequence[bool]) -> list[Point]:
    """Return the whole curve, from the surest answer alone to all of them."""
    order = np.argsort(-np.asarray(confidence), kind="stable")
    mistakes = np.cumsum(np.asarray(wrong, float)[order])
    count = np.arange(1, len(order) + 1)
    sure = np.asarray(confidence)[order]
    return [
        Point(float(one), float(other), float(at))
        for one, other, at in zip(count / len(order), mistakes / count, sure, strict=True)
    ]


def at_coverages(curve: Sequence[Point], wanted: Sequence[float]) -> list[Point]:
    """Return the point of the curve at each of these coverages."""
    return [min(curve, key=lambda point: abs(point.coverage - share)) for share in wanted]


def picture(curves: dict[str, Sequence[Point]]) -> str:
    """Draw curves as SVG: coverage from left to right, risk upwards."""
    top = max(point.risk for curve in curves.values() for point in curve) or 1.0
    lines = [_line(curve, top, _colour(at)) for at, curve in enumerate(curves.values())]
    names = [_name(name, at) for at, name in enumerate(curves)]
    return "\n".join((_HEAD, *_axes(top), *lines, *names, "</svg>\n"))


def _line(curve: Sequence[Point], top: float, colour: str) -> str:
    places = " ".join(f"{_x(one.coverage):.1f},{_y(one.risk / top):.1f}" for one in curve)
    return f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{places}"/>'


def _axes(top: float) -> list[str]:
    base, left, right, roof = _y(0), _x(0), _x(1), _y(1)
    frame = f'<path d="M{left} {roof}V{base}H{right}" fill="none" stroke="#444"/>'
    marks = [
        f'<text x="{_x(share)}" y="{base + 18}" text-anchor="middle">{share:.0%}</text>'
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    marks += [
        f'<text x="{left - 6}" y="{_y(share) + 4}" text-anchor="end">{share * top:.0%}</text>'
        for share in (0.0, 0.5, 1.0)
    ]
    title = f'<text x="{_x(0.5)}" y="{_HEIGHT - 8}" text-anchor="middle">coverage (risk: up)</text>'
    return [frame, *marks, title]


def _name(name: str, at: int) -> str:
    return f'<text x="{_x(0) + 12}" y="{_y(1) + 16 * (at + 1)}" fill="{_colour(at)}">{name}</text>'


def _colour(at: int) -> str:
    return _COLOURS[at % len(_COLOURS)]


def _x(share: float) -> float:
    return _EDGE + share * (_WIDTH - 2 * _EDGE)


def _y(share: float) -> float:
    return _HEIGHT - _EDGE - share * (_HEIGHT - 2 * _EDGE)


_HEAD = (
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
    'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
)
