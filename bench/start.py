"""Measure how long commands take to start: CPU seconds of whole processes, on the sample knowledge.

``python bench/start.py`` runs this checkout; ``--against DIR`` runs another one in turns with it,
with the same interpreter and packages. Byte code and caches are warm, as after the first run.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.report import Bar
from bench.serving.processes import started

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "If Service A fails, what breaks and who owns escalation?"
READY = "Ctrl+C ends it."
"""The last line of ``sextant serve`` before it waits: the doors are open and the store was read."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """A tree of sources, the folder that its commands run in, and their environment."""

    source: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """What a command sees: no setting of whoever measures, and byte code that is kept."""
        kept = {name: value for name, value in os.environ.items() if not _is_foreign(name)}
        return kept | {
            "PYTHONPATH": str(self.source / "src"),
            "SEXTANT_CONFIG": str(self.source / "src/sextant/sample/sextant.toml"),
            "SEXTANT_STORE": f"sqlite:{self.folder / 'store'}",
            "SEXTANT_SERVE_FOLDER": str(self.folder / "serve"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "OPENBLAS_NUM_THREADS": "1",
        }


Measure = Callable[[Checkout], float]


def main() -> None:
    """Measure in turns and report; what is over its bar is told by the exit status."""
    options = _options()
    sources = {"here": ROOT} | ({"against": options.against.resolve()} if options.against else {})
    with tempfile.TemporaryDirectory(prefix="sextant-start-") as folder:
        checkouts = {name: _prepared(path, Path(folder, name)) for name, path in sources.items()}
        seconds = {what: _in_turns(one, checkouts, options.runs) for what, one in MEASURES.items()}
    sys.exit(0 if _show(seconds, options.runs) else 1)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9, help="of each command, at least 2")
    parser.add_argument("--against", type=Path, help="another checkout, measured in turns")
    return parser.parse_args()


def _prepared(source: Path, folder: Path) -> Checkout:
    """Take the sample knowledge in, and run everything once so that all caches are warm."""
    folder.mkdir()
    checkout = Checkout(source, folder)
    _command_seconds(checkout, "ingest", str(source / "src/sextant/sample/knowledge"))
    for measure in MEASURES.values():
        measure(checkout)
    return checkout


def _in_turns(
    measure: Measure, checkouts: Mapping[str, Checkout], runs: int
) -> dict[str, list[float]]:
    """Return what each checkout took, run by run, one after another."""
    seconds: dict[str, list[float]] = {name: [] for name in checkouts}
    for _ in range(runs):
        for name, checkout in checkouts.items():
            seconds[name].append(measure(checkout))
    return seconds


def _command_seconds(checkout: Checkout, *arguments: str) -> float:
    """Return the CPU time of a command from its start to its end, as the kernel counted it."""
    process = subprocess.Popen(
        [sys.executable, "-m", "sextant", *arguments],
        cwd=checkout.folder,
        env=checkout.environment,
        stdout=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"sextant {' '.join(arguments)} failed in {checkout.source}")
    return used.ru_utime + used.ru_stime


def _serve_seconds(checkout: Checkout) -> float:
    """Return the CPU time of a server up to the line that says that it is ready."""
    with started(["sextant", "serve", "--port", "0"], checkout.environment) as server:
        assert server.process.stdout
        if not any(line.startswith(READY) for line in server.process.stdout):
            raise SystemExit(f"sextant serve was never ready in {checkout.source}")
        return server.cpu_ms() / 1e3


def _is_foreign(name: str) -> bool:
    return name.startswith("SEXTANT_") or name in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")


MEASURES: dict[str, Measure] = {
    "sextant --help": lambda checkout: _command_seconds(checkout, "--help"),
    f'sextant ask "{QUESTION}"': lambda checkout: _command_seconds(checkout, "ask", QUESTION),
    "sextant serve, until it is ready": _serve_seconds,
}
BARS = dict(zip(MEASURES, (Bar(0.4), Bar(1.0), Bar(1.5)), strict=True))


def _show(seconds: Mapping[str, Mapping[str, list[float]]], runs: int) -> bool:
    """Print medians and extremes beside the bars, and return whether all bars hold."""
    names = list(next(iter(seconds.values())))
    title = f"CPU seconds of the process, user and system: median of {runs} (least to most)"
    table = Table("command", *names, "bar", title=title, box=None)
    held = []
    for what, each in seconds.items():
        held.append(BARS[what].holds(statistics.median(each["here"])))
        verdict = "[green]ok" if held[-1] else "[red]over"
        table.add_row(what, *map(_spread, each.values()), f"{BARS[what]} {verdict}")
    Console(width=140).print(table)
    return all(held)


def _spread(seconds: list[float]) -> str:
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


if __name__ == "__main__":
    main()
