"""Jobs that outlive their request and their process. Knows the verbs of the core, no protocol."""

from sextant.serve.jobs.job import whose
from sextant.serve.jobs.queue import Arrival, Jobs, open_jobs
from sextant.types.serving import Bounds, Job, Kind, Order, Progress, State, Whose

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
