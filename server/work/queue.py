"""The queue library as a worker uses it: its app, its tasks and a small pool of its own."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from procrastinate import App, PsycopgConnector
from procrastinate.exceptions import ConnectorException
from procrastinate.jobs import DeleteJobCondition, Job, Status
from procrastinate.manager import JobManager

from memory.domain.chats import ChatRef
from memory.errors import reason_of
from memory.postgres.jobs import TASK, UPKEEP_TASK, queue_of, upkeep_lock_of
from memory.postgres.pool import open_queue_pool

UPKEEP_CRON = "*/10 * * * *"

Attend = Callable[[ChatRef, int], Awaitable[None]]
KeepUp = Callable[[str], Awaitable[None]]

# It logs every job with its arguments, which hold people's numbers, and outages with tracebacks.
# A worker says what goes wrong itself.
logging.getLogger("procrastinate").setLevel(logging.CRITICAL)

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueueTerms:
    """How many jobs at once, how often to look for due ones, how long a stop waits, seconds."""

    jobs: int
    poll_s: float
    stop_s: float


async def run_queue(
    conninfo: str, tenants: Sequence[str], terms: QueueTerms, attend: Attend, keep_up: KeepUp
) -> None:
    """Run the tenants' jobs until cancelled; then running jobs end, or are cancelled at `stop_s`.

    Returns early when the queue's connections fail.

    Raises:
        StoreUnavailable, ConnectorException: Postgres cannot be reached.
    """
    async with open_queue_pool(conninfo) as pool:
        app = _app(tenants, attend, keep_up)
        async with app.open_async(pool):
            await app.run_worker_async(
                queues=[queue_of(tenant) for tenant in tenants],
                concurrency=terms.jobs,
                fetch_job_polling_interval=terms.poll_s,
                shutdown_graceful_timeout=terms.stop_s,
                # What was done is in `turns`; a finished job says nothing more.
                delete_jobs=DeleteJobCondition.ALWAYS,
                install_signal_handlers=False,
            )


class _Jobs(JobManager):
    """Ends jobs, and lets go of one that somebody took over while our connection was lost."""

    async def finish_job(self, job: Job, status: Status, delete_job: bool) -> None:
        """Mark a job as ended; whoever took it over ends it otherwise."""
        try:
            await super().finish_job(job, status, delete_job)
        except ConnectorException as error:
            log.warning("job %s was not ended by this worker: %s", job.id, reason_of(error))


def _app(tenants: Sequence[str], attend: Attend, keep_up: KeepUp) -> App:
    app = App(connector=PsycopgConnector())
    app.job_manager = _Jobs(app.connector)

    @app.task(name=TASK)
    async def turns(
        tenant: str, channel: str, account: str, chat_id: str, topic: str, failures: int = 0
    ) -> None:
        await attend(ChatRef(tenant, channel, account, chat_id, topic), failures)

    async def upkeep(timestamp: int, tenant: str) -> None:
        del timestamp
        await keep_up(tenant)

    task = app.task(name=UPKEEP_TASK)(upkeep)
    for tenant in tenants:
        app.periodic(
            cron=UPKEEP_CRON,
            periodic_id=queue_of(tenant),
            queue=queue_of(tenant),
            lock=upkeep_lock_of(tenant),
            queueing_lock=upkeep_lock_of(tenant),
            task_kwargs={"tenant": tenant},
        )(task)
    return app
