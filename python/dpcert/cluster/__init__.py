"""Distributed queries, audits and parameter sweeps with Dask.

    from dask.distributed import Client
    from dpcert import cluster

    questions = cluster.sweep("poisson(rate={rate}, gaussian(sigma={sigma}))^1000", "epsilon",
                              at={"delta": "1e-6"}, rate=["1/100", "1/50"], sigma=[1, 2, 4])
    with Client("scheduler:8786") as client:
        cluster.map(client, questions, out="epsilons.jsonl", progress=True)

The output is in the order of the queries. It is the same, byte for byte, for any number of workers, even if some of them die.
An interrupted run continues where it stopped when you start it again. Answers are limited by work, which is counted and does not
depend on the machine. Only answers that reach ``timeout``, a hard stop, do.

| module | contents |
|---|---|
| ``questions`` | queries as lines of JSON with ids; sweeps over grids of parameters |
| ``engine`` | ordered batches on Dask, a window of them at a time |
| ``output`` | lines of JSON, or parts of Parquet; results that exist are not computed again |
| ``audit`` | audit of an accountant, on the workers |
| ``packages`` | audits of packages, in several versions and settings |
"""

from __future__ import annotations

from .audit import audit
from .engine import Summary, map  # noqa: A004  as in concurrent.futures
from .packages import Audited, Package, audit_packages
from .questions import question, sweep

__all__ = ["Audited", "Package", "Summary", "audit", "audit_packages", "map", "question", "sweep"]
