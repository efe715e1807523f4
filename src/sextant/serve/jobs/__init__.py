"""Jobs that outlive their request and their process. Knows the verbs of the core, no protocol."""

from sextant.serve.jobs.job import Bounds, Job, Kind, Order, Progress, State, Whose, whose
from sextant.serve.jobs.queue import Arrival, Jobs, open_jobs

__all__ = [
    "Arrival",
    "Bounds",
    "Job",
    "Jobs",
    "Kind",
    "Order",
    "Progress",
    "State",
    "Whose",
    "open_jobs",
    "whose",
]
