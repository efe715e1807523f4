"""How near the packed nets come to those in PyTorch that they were made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bench.distilling.student import PLACES, student_of
from bench.distilling.teacher import INSTRUCTION, opened
from sextant.llms.bge_small import bge_graph, reader_graph
from sextant.llms.bge_small.nets import Net
from sextant.llms.local_nets import wordpiece
from sextant.llms.local_nets.onnx_running import started

Arrays = Mapping[str, NDArray[Any]]

_LENGTHS = (20, 60, 146, PLACES)


def least_alike(
    model: Path, bge: Arrays, student: Arrays, reader: Arrays, texts: Sequence[str]
) -> dict[str, float]:
    """Return the least cosine between what a packed net says and what PyTorch says, by net."""
    teacher, tokenizer = opened(model, "cpu"), wordpiece.load()
    texts_ids = [tokenizer.ids(text, length) for text in texts for length in _LENGTHS]
    questions = [tokenizer.ids(INSTRUCTION + text, 40) for text in texts]
    taught = student_of(teacher.weights["words"], student)
    taught.is_rounded, taught.is_watching = True, False
    asker = Net(started(bge_graph.written(bge, first_only=True)))
    whole = Net(started(bge_graph.written(bge, first_only=False)))
    packed = Net(started(reader_graph.written(bge, reader)))

    def of_teacher(ids: Sequence[int]) -> NDArray[Any]:
        return np.asarray(teacher.vectors(torch.tensor([ids]))[0])

    def of_student(ids: Sequence[int]) -> NDArray[Any]:
        with torch.no_grad():
            return np.asarray(taught.vectors(torch.tensor([ids]))[0])

    return {
        "reader": min(_cosine(packed.rows(ids).mean(0), of_student(ids)) for ids in texts_ids),
        "asker": min(_cosine(asker.rows(ids)[0], of_teacher(ids)) for ids in questions),
        "bge": min(_cosine(whole.rows(ids)[0], of_teacher(ids)) for ids in texts_ids),
    }


def _cosine(one: NDArray[Any], other: NDArray[Any]) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))
