"""Work that outgrows one machine, over Dask: many questions, claims of an accountant, sweeps over parameters.

    from dask.distributed import Client
    from dpcert import cluster

    questions = cluster.sweep("poisson(rate={rate}, gaussian(sigma={sigma}))^1000", "epsilon",
                              at={"delta": "1e-6"}, rate=["1/100", "1/50"], sigma=[1, 2, 4])
    with Client("scheduler:8786") as client:
        cluster.map(client, questions, out="epsilons.jsonl", progress=True)

What is written is in the order of the questions, byte for byte the same whatever the number of workers, and whether or
not some of them died. A run that was interrupted goes on where it stopped when it is started again. (An answer that a
limit of time cut short depends on the machine; ``max_bits`` and ``max_memory`` do not.)

| module | is |
|---|---|
| ``questions`` | questions as lines of JSON with ids, sweeps over grids of parameters |
| ``engine`` | batches over Dask, in order, a window of them at a time |
| ``output`` | lines of JSON, or Parquet in parts: what is there already is not computed again |
| ``audit`` | an accountant's claims, judged where they are made |
| ``packages`` | audits of packages, of several versions and in several settings |
"""

from __future__ import annotations

from .audit import audit
from .engine import Summary, map  # noqa: A004  as in concurrent.futures
from .packages import Audited, Package, audit_packages
from .questions import question, sweep

__all__ = ["Audited", "Package", "Summary", "audit", "audit_packages", "map", "question", "sweep"]
