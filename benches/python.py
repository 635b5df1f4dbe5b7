"""Measure the overhead of Python and of a cluster in one run, and write the figures into python/CLUSTER.md.

    python.py PAGE

Short operations are timed many times, and the smallest time counts, because other load only adds to it. For answers on a
cluster, the processor time of the workers is measured as well, which does not depend on other load.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BEGIN, END = "<!-- written by `make bench-python`: begin -->\n", "<!-- end -->\n"

#: Price of a core-hour in the example of the page, in dollars.
PRICE = 0.04

IMPORT = "import time; t = time.perf_counter(); import dpcert; print(time.perf_counter() - t)"


def imports(rounds=21):
    """Import time in new processes, in milliseconds: the smallest and the median."""
    times = []
    for _ in range(rounds):
        told = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
        times.append(float(told.stdout) * 1e3)
    return min(times), statistics.median(times)


def least(call, times):
    best = float("inf")
    for _ in range(times):
        started = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - started)
    return best


def overheads(rounds=12, times=200):
    """Microseconds of closed forms in Python and in the library alone, by an open session and as one call; taking turns."""
    import dpcert
    from dpcert._dpcert import own_time

    rows = []
    for quantity, mechanism, at in [
        ("delta", "gaussian(sigma=1)^10", {"epsilon": 1}),
        ("epsilon", "laplace(scale=2)", {"delta": 0.01}),
        ("beta", "gdp(mu=1)", {"alpha": 0.05}),
        ("kl", "gaussian(sigma=2)^5", {}),
    ]:
        texts = [(name, dpcert._dpcert.number(value)) for name, value in at.items()]
        session = dpcert.session(mechanism)
        pairs = {
            "in a session": (lambda: session.ask(quantity, **at), True),
            "as one call": (lambda: dpcert.ask(quantity, mechanism, **at), False),
        }
        for how, (call, is_open) in pairs.items():
            python = own = float("inf")
            for _ in range(rounds):
                python = min(python, least(call, times))
                own = min(own, own_time(mechanism, quantity, texts, times, is_open))
            rows.append((f"{quantity} of {mechanism}, {how}", python * 1e6, own * 1e6))
    return rows


def processor(client):
    return sum(client.run(time.process_time).values())


def started(workers):
    from distributed import Client, LocalCluster

    # One core for each, as the page says.
    local = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=":0")
    return local, Client(local)


def overhead_of_a_query(rounds=3, count=4096):
    """Microseconds that a cluster adds to each of many cheap questions: on the clock, and of the worker's processor."""
    import dpcert
    from dpcert import cluster
    from dpcert.cluster.questions import known

    best = (float("inf"), float("inf"), float("inf"))
    local, client = started(1)
    with local, client:
        for turn in range(rounds):
            # Other questions each time: what was asked is not asked again.
            asked = list(cluster.sweep("gdp(mu={mu})", "delta", {"epsilon": 1}, mu=[f"{turn * count + i + 1}/1000" for i in range(count)]))
            lines = [one.line for one in known(asked)]
            clock, used = time.perf_counter(), processor(client)
            cluster.map(client, asked)
            clock, used = time.perf_counter() - clock, processor(client) - used
            alone = time.perf_counter()
            dpcert.lines(lines)
            alone = time.perf_counter() - alone
            best = min(best, ((clock - alone) / count * 1e6, used / count * 1e6, alone / count * 1e6))
    return best


TEMPLATE, AT = "poisson(rate={rate}, gaussian(sigma={sigma}))^1000", {"delta": "1e-6"}


def throughput(rounds=2, count=256):
    """Queries per second with one and with two workers, in turn; processor time and disk space per query."""
    from dpcert import cluster

    best, used, sizes = {1: 0.0, 2: 0.0}, {1: float("inf"), 2: float("inf")}, {}
    for turn in range(rounds):
        for workers in (1, 2):
            rates = [f"{100 + i + 1000 * (2 * turn + workers)}/100000" for i in range(count // 4)]
            asked = list(cluster.sweep(TEMPLATE, "epsilon", AT, rate=rates, sigma=[1, "3/2", 2, 4]))
            local, client = started(workers)
            with local, client, tempfile.TemporaryDirectory() as folder:
                before = processor(client)
                clock = time.perf_counter()
                cluster.map(client, asked, out=Path(folder) / "a.jsonl", batch=16)
                best[workers] = max(best[workers], count / (time.perf_counter() - clock))
                used[workers] = min(used[workers], (processor(client) - before) / count)
                sizes["jsonl"] = (Path(folder) / "a.jsonl").stat().st_size / count
                cluster.map(client, asked, out=Path(folder) / "a.parquet")
                sizes["parquet"] = sum(part.stat().st_size for part in (Path(folder) / "a.parquet").iterdir()) / count
    return best, used, sizes


def three(value):
    return f"{float(f'{value:.2g}'):,.10g}"


def page():
    load = os.getloadavg()[0]
    shortest, middle = imports()
    rows = overheads()
    added, used_cheap, cheap = overhead_of_a_query()
    rate, used, sizes = throughput()
    cost = used[1]
    hours = cost * 1e6 / 3600
    text = [
        f"Measured by `make bench-python` in one run, on {os.cpu_count()} cores under a load of {load:.1f} when it began; Python "
        f"{sys.version.split()[0]}. Short times are the smallest of many alternating runs.",
        "",
        "| | measured | target |",
        "|---|---|---|",
        f"| `import dpcert` in a new process | smallest {three(shortest)} ms, median {three(middle)} ms of 21 runs | 100 ms |",
    ]
    for what, python, own in rows:
        text.append(
            f"| {what} | {three(python)} us, of which the library takes {three(own)}: overhead {three(max(python - own, 0))}, ratio "
            f"{three(python / own)} | overhead 30 |"
        )
    text += [
        f"| a cheap query on a cluster of one worker | {three(added)} us more than the {three(cheap)} us without a cluster | |",
        f"| `epsilon` of `{TEMPLATE}` on one worker | {three(rate[1])} queries per second | |",
        f"| the same on two workers | {three(rate[2])} queries per second: {three(rate[2] / rate[1])} times as many | |",
        f"| the same, processor time per query | {three(cost * 1e3)} ms on one worker, {three(used[2] * 1e3)} ms on two | |",
        f"| size of an answer on disk | {three(sizes['jsonl'])} bytes of JSON, {three(sizes['parquet'])} bytes of Parquet | |",
        "",
        "The processor time of one query does not depend on the load. It gives the cost of a sweep of 10^6 queries of the last kind:",
        "",
        "| 10^6 queries | |",
        "|---|---|",
        f"| processor time | {three(cost * 1e6)} s, {three(hours)} core hours |",
        f"| on 100 cores | {three(hours * 60 / 100)} minutes |",
        f"| in dollars, at {PRICE} per core hour | {three(hours * PRICE)} |",
        f"| the client, which distributes and writes | at most {three(added)} s in total; this is the limit for cheaper queries |",
        f"| size on disk | {three(sizes['jsonl'] * 1e6 / 1e9)} GB of JSON lines, {three(sizes['parquet'] * 1e6 / 1e9)} GB of Parquet |",
        "",
    ]
    figures = {
        "import_ms": [shortest, middle], "overhead_us": rows, "cluster_us": [added, used_cheap, cheap],
        "per_second": rate, "processor_s": used, "bytes": sizes, "load": load,
    }  # fmt: skip
    return "\n".join(text), figures


def main(path):
    path = Path(path)
    before = path.read_text(encoding="utf-8")
    head, _, rest = before.partition(BEGIN)
    _, _, tail = rest.partition(END)
    assert tail or rest, f"{path} has no place for the figures"
    text, figures = page()
    print(text)
    print(json.dumps(figures))
    path.write_text(head + BEGIN + "\n" + text + "\n" + END + tail, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
