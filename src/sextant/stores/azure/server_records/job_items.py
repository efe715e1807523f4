"""How a job stands in an item. What is never searched by is where the container has no index."""

from __future__ import annotations

from sextant.stores.azure.cosmos.containers import Item
from sextant.stores.azure.server_records.partition import SERVERS, record_id
from sextant.stores.server_records.job_rows import JobRow
from sextant.types.serving import Job, Kind, Order, Progress, State, Whose

JOB = "server-job"


def job_item_id(job_id: str) -> str:
    """Return the id of a job's item."""
    return record_id(JOB, job_id)


def item_of(row: JobRow) -> Item:
    """Return a job as an item."""
    job, whose, order = row.job, row.job.whose, row.job.order
    return {
        "id": job_item_id(job.id),
        "tenant": SERVERS,
        "kind": JOB,
        "number": row.number,
        "jobId": job.id,
        "of": whose.tenant,
        "user": whose.user,
        "caller": whose.caller,
        "personas": sorted(whose.personas),
        "status": job.state.value,
        "owner": row.owner,
        "home": row.home,
        "size": row.size,
        "mark": row.mark,
        "created": job.created,
        "ended": job.ended,
        "document": {
            "attempts": row.attempts,
            "notBefore": row.not_before,
            "isUnwanted": row.is_unwanted,
            "order": [order.kind.value, order.what, order.lane, dict(order.spec)],
            "version": job.version,
            "started": job.started,
            "progress": [job.progress.done, job.progress.total, job.progress.what],
            "report": job.report,
            "problem": job.problem,
            "retries": job.retries,
        },
    }


def row_of(item: Item) -> JobRow:
    """Return a job from its item."""
    own = item["document"]
    return JobRow(
        item["number"],
        _job_of(item),
        item["owner"],
        item["size"],
        own["attempts"],
        own["notBefore"],
        own["isUnwanted"],
        item["mark"],
        item["home"],
    )


def _job_of(item: Item) -> Job:
    own = item["document"]
    kind, what, lane, spec = own["order"]
    return Job(
        item["jobId"],
        Whose(item["of"], frozenset(item["personas"]), item["user"], item["caller"]),
        Order(Kind(kind), what, lane, spec),
        State(item["status"]),
        own["version"],
        item["created"],
        own["started"],
        item["ended"],
        Progress(*own["progress"]),
        own["report"],
        own["problem"],
        own["retries"],
    )
