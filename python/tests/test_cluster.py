"""Questions over Dask: order, duplicates, death of a worker, going on, files."""

import json
import os
import signal
import threading
import time

import pytest

import dpcert

distributed = pytest.importorskip("distributed")
pyarrow_parquet = pytest.importorskip("pyarrow.parquet")

from dpcert import cluster  # noqa: E402


@pytest.fixture(scope="module")
def two():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local:
        with distributed.Client(local) as client:
            yield client


@pytest.fixture(scope="module")
def one():
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as local:
        with distributed.Client(local) as client:
            yield client


def grid(count=40):
    questions = cluster.sweep("gaussian(sigma={sigma})^{k}", "epsilon", {"delta": ["1e-5", 1e-6]}, sigma=range(1, count // 2 + 1), k=[3])
    return list(questions)


def expected(questions):
    """Return the output without a cluster."""
    from dpcert.cluster.questions import known

    return dpcert.lines([asked.line for asked in known(questions)])


def test_a_sweep_asks_for_every_combination():
    questions = list(cluster.sweep("poisson(rate={r}, gaussian(sigma={s}))", "delta", {"epsilon": [1, 2]}, r=["1/2", 0.25], s=[3]))
    assert [q["mechanism"] for q in questions[::2]] == ["poisson(rate=1/2, gaussian(sigma=3))", "poisson(rate=1/4, gaussian(sigma=3))"]
    assert [q["at"] for q in questions[:2]] == [{"epsilon": "1"}, {"epsilon": "2"}]
    for bad in (dict(template="{x}"), dict(template="{}"), dict(template="{"), dict(template="a", epsilon=[1])):
        template = bad.pop("template")
        with pytest.raises(dpcert.InputError):
            list(cluster.sweep(template, "delta", {"epsilon": 1}, **bad))


def test_answers_come_in_order_whatever_the_workers(one, two):
    questions = grid()
    wanted = expected(questions)
    for client, batch in ((one, 7), (two, 7), (two, 1), (two, 1000)):
        seen = []
        summary = cluster.map(client, questions, batch=batch, on_line=seen.append)
        assert list(summary.lines) == seen == wanted
        assert (summary.questions, summary.errors, summary.undecided, summary.resumed) == (len(questions), 0, 0, 0)


def test_duplicates_are_dropped_by_id(two):
    questions = grid(4)
    again = [json.dumps(dict(reversed(list(q.items())))) for q in questions]
    summary = cluster.map(two, questions + again)
    assert list(summary.lines) == expected(questions) and summary.questions == len(questions)
    one = {**questions[0], "id": "x"}
    assert len(cluster.map(two, [one, one]).lines) == 1
    with pytest.raises(dpcert.InputError, match="query 2: another query has the same id 'x'"):
        cluster.map(two, [one, {**questions[1], "id": "x"}])


def test_what_is_wrong_is_a_line_in_its_place(two):
    questions = [cluster.question("kl", "gdp(mu=1)"), {"quantity": "kl", "mechanism": "gausian()", "id": "bad"}, "{}"]
    summary = cluster.map(two, questions, batch=1)
    lines = [json.loads(line) for line in summary.lines]
    assert lines[0]["exact"] == "1/2" and (lines[1]["id"], lines[1]["line"]) == ("bad", 2)
    assert "did you mean `gaussian`?" in lines[1]["error"] and "missing field `quantity`" in lines[2]["error"]
    assert (summary.errors, summary.questions) == (2, 3)
    for bad, told in [(["x"], "query 1: this is not JSON"), ([3], "expected an object"), ([{"id": 3}], "the id must be a string")]:
        with pytest.raises(dpcert.InputError, match=told):
            cluster.map(two, bad)


@pytest.mark.parametrize("allowed", [3, 0])
def test_a_worker_may_die(tmp_path, allowed):
    """One of two is killed in the middle, without a warning; the file is what it would have been, also where Dask gives up what
    it was doing at once."""
    import dask

    setting = dask.config.set({"distributed.scheduler.allowed-failures": allowed})
    questions = grid(400)
    wanted = expected(questions)
    local = distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0")
    with setting, local:
        with distributed.Client(local) as client:
            assert client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.allowed_failures) == allowed
            pids = client.run(os.getpid)
            killed = threading.Event()

            def kill(line, seen=[]):  # noqa: B006
                seen.append(line)
                if len(seen) == 40:
                    os.kill(next(iter(pids.values())), signal.SIGKILL)
                    killed.set()

            summary = cluster.map(client, questions, out=tmp_path / "a.jsonl", batch=4, on_line=kill)
            assert killed.is_set() and summary.questions == len(questions)
            assert (tmp_path / "a.jsonl").read_text().splitlines() == wanted
            # It was dead, and not only told to go: another process is in its place, or none.
            deadline = time.monotonic() + 30
            while set(client.run(os.getpid).values()) == set(pids.values()) and time.monotonic() < deadline:
                time.sleep(0.2)
            assert set(client.run(os.getpid).values()) != set(pids.values())


def test_a_run_goes_on_where_it_stopped(two, tmp_path):
    questions = grid(60)
    wanted = "".join(line + "\n" for line in expected(questions))
    path = tmp_path / "a.jsonl"

    class Enough(Exception):
        pass

    def stop(line, seen=[]):  # noqa: B006
        seen.append(line)
        if len(seen) == 23:
            raise Enough

    with pytest.raises(Enough):
        cluster.map(two, questions, out=path, batch=5, on_line=stop)
    half = path.read_text()
    assert 0 < len(half) < len(wanted) and wanted.startswith(half)
    # Cut off in the middle of a line, as a machine without power does.
    path.write_text(half[:-9])
    summary = cluster.map(two, questions, out=path, batch=8)
    assert path.read_text() == wanted and 0 < summary.resumed < len(questions) == summary.questions
    # Once more: nothing is left to do.
    assert cluster.map(two, questions, out=path).resumed == len(questions) and path.read_text() == wanted


def test_files_that_are_something_else_are_left_alone(two, tmp_path):
    for text in ("hello\n", '{"no": "id"}\n', "[1]\n"):
        path = tmp_path / "a.jsonl"
        path.write_text(text)
        with pytest.raises(dpcert.InputError, match=r"a\.jsonl:1: this"):
            cluster.map(two, grid(2), out=path)
        assert path.read_text() == text
    with pytest.raises(dpcert.InputError, match="out must be a .jsonl file or a .parquet folder"):
        cluster.map(two, [], out=tmp_path / "a.csv")


def test_parquet_has_parts(two, tmp_path, monkeypatch):
    from dpcert.cluster import output

    monkeypatch.setattr(output, "ROWS", 16)
    questions = grid(50)
    wanted = expected(questions)

    def rows(folder):
        parts = sorted(folder.glob("*"))
        assert [part.name for part in parts] == [f"part-{i:06}.parquet" for i in range(len(parts))]
        return [row for part in parts for row in pyarrow_parquet.read_table(part).to_pylist()]

    first = tmp_path / "a.parquet"
    cluster.map(two, questions[:30], out=first, batch=7)
    assert [row["line"] for row in rows(first)] == wanted[:30]
    summary = cluster.map(two, questions, out=first, batch=7)
    found = rows(first)
    assert summary.resumed == 30 and [row["line"] for row in found] == wanted
    told = json.loads(wanted[3])
    row = found[3]
    assert (row["id"], row["kind"], row["digits"], row["lower"]) == (told["id"], told["kind"], told["digits"], told["lower"])
    assert row["f64_lower"] == float.fromhex(told["f64_lower"]) and json.loads(row["at"]) == told["at"]
    # In one go the files are the same, byte for byte.
    second = tmp_path / "b.parquet"
    cluster.map(two, questions, out=second, batch=3)
    assert [part.read_bytes() for part in sorted(first.glob("*"))] == [part.read_bytes() for part in sorted(second.glob("*"))]
    (second / "part-000000.parquet").unlink()
    with pytest.raises(dpcert.InputError, match="a part is missing"):
        cluster.map(two, questions, out=second)


def too_small(question):
    """An accountant that promises nine tenths of the truth, now and then nothing, and now and then raises."""
    sigma = int(question["mechanism"].split("=")[1].split(")")[0])
    if sigma % 5 == 0:
        return None
    if sigma % 7 == 0:
        raise OSError("no more")
    truth = float(dpcert.epsilon(question["mechanism"], delta=question["at"]["delta"]))
    return truth * (0.9 if sigma % 2 else 1.05)


def test_claims_are_judged_where_they_are_made(two):
    summary = cluster.audit(two, too_small, grid(20), batch=3)
    lines = [json.loads(line) for line in summary.lines]
    for line in lines:
        sigma = int(line["mechanism"].split("=")[1].split(")")[0])
        verdict = "unsupported" if sigma % 5 == 0 else "failed" if sigma % 7 == 0 else "unsound" if sigma % 2 else "sound"
        assert line["verdict"] == verdict, line
        if verdict == "unsound":
            assert 0.89 < float(line["ratio"][0]) <= float(line["ratio"][1]) < 0.91
            assert float(line["delta_at_claim"][0]) > float(__import__("fractions").Fraction(line["at"]["delta"]))
        if verdict == "failed":
            assert line["error"] == "OSError: no more"
    assert summary.questions == 20


def test_a_batch_has_a_question(two):
    for batch in (0, -1, 2.5):
        with pytest.raises(ValueError, match="batch must be an integer of at least 1"):
            cluster.map(two, [], batch=batch)
    assert cluster.map(two, []).questions == 0
