"""The recipes of CLUSTER.md for Kubernetes and Slurm, run to their end: what would be machines of a cluster are processes here."""

import contextlib
import importlib.metadata
import json
import os
import pathlib
import re
import subprocess
import sys
import threading
import urllib.request

import dask_kubernetes.operator
import pyarrow.parquet

from dpcert import cluster

ROOT = pathlib.Path(os.environ.get("DPCERT_CHECKOUT", pathlib.Path(__file__).resolve().parents[2]))
PAGES = pathlib.Path(os.environ.get("DPCERT_PYTHON", pathlib.Path(__file__).parents[1]))


def questions():
    return cluster.sweep("gaussian(sigma={sigma})", "epsilon", at={"delta": "1e-6"}, sigma=[1, 2, 3, 4])


def recipe(title):
    """What the page says to run."""
    section = (PAGES / "CLUSTER.md").read_text(encoding="utf-8").split(f"\n## {title}\n")[1].split("\n## ")[0]
    (code,) = re.findall(r"^```python\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return code


def smaller(code, **numbers):
    """The same with other numbers, each of which has to be there once."""
    for name, number in numbers.items():
        code, times = re.subn(rf"\b{name}=\d+", f"{name}={number}", code)
        assert times == 1, name
    return code


def test_slurm_recipe_writes_all_answers(tmp_path, monkeypatch):
    """`sbatch` starts the job beside itself, as Slurm would on a node, and `scancel` ends it."""
    tools = tmp_path / "bin"
    tools.mkdir()
    # Dask removes the script of a job once it is submitted.
    (tools / "sbatch").write_text(
        f'#!/bin/sh\ncp "$1" {tmp_path}/job.sh\nsetsid bash -e {tmp_path}/job.sh >{tmp_path}/job.log 2>&1 &\necho "Submitted batch job $!"\n'
    )
    (tools / "scancel").write_text(f'#!/bin/sh\nkill -- "-$1"\ntouch {tmp_path}/cancelled\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    (tmp_path / "dpcert/bin").mkdir(parents=True)
    (tmp_path / "dpcert/bin/activate").write_text("export ACTIVATED=1\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)

    exec(smaller(recipe("Slurm"), cores=2, processes=2, jobs=1), {"questions": questions()})
    lines = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [line["mechanism"] for line in lines] == [f"gaussian(sigma={sigma})" for sigma in (1, 2, 3, 4)]
    script = (tmp_path / "job.sh").read_text()
    for wanted in ("#SBATCH -p normal", "#SBATCH -t 04:00:00", "--cpus-per-task=2", "--nworkers 2", "--nthreads 1 "):
        assert wanted in script, script
    assert (tmp_path / "cancelled").exists(), "the job outlives what started it"


class Pods(str):
    """What Dask's operator makes of a cluster: a process for each container, by the arguments that its manifest has. Of the workers
    there are two. It is the address of the scheduler, which is what a client wants."""

    def __new__(cls, custom_cluster_spec):
        of = custom_cluster_spec["spec"]
        assert of["worker"]["replicas"] == 50 and custom_cluster_spec["kind"] == "DaskCluster"
        scheduler = cls.container(of["scheduler"]["spec"], "--port", "0", "--dashboard-address", ":0", "--scheduler-file", "scheduler.json")
        for _ in range(600):
            if pathlib.Path("scheduler.json").exists() and pathlib.Path("scheduler.json").read_text().endswith("}"):
                break
            assert scheduler.poll() is None, "the scheduler has ended"
            threading.Event().wait(0.1)
        found = json.loads(pathlib.Path("scheduler.json").read_text())
        self = super().__new__(cls, found["address"])
        # The operator asks this before it lets workers start.
        host = re.fullmatch(r"tcp://(.*):\d+", found["address"])[1]
        with urllib.request.urlopen(f"http://{host}:{found['services']['dashboard']}/health") as answer:
            assert answer.status == 200
        self.processes = [scheduler]
        for number in range(2):
            settings = {"DASK_WORKER_NAME": f"worker-{number}", "DASK_SCHEDULER_ADDRESS": str(self)}
            self.processes.append(cls.container(of["worker"]["spec"], "--dashboard-address", ":0", **settings))
        return self

    @staticmethod
    def container(spec, *more, **settings):
        (one,) = spec["containers"]
        assert one["image"] == "registry.example/dpcert:1" and one["resources"]["limits"] == {"cpu": "1", "memory": "3Gi"}
        program, *arguments = one["args"]
        # The image has what Python packages install, and no more.
        (entry,) = importlib.metadata.entry_points(group="console_scripts", name=program)
        arguments = [re.sub(r"\$\((\w+)\)", lambda name: settings[name[1]], argument) for argument in arguments]
        start = f"import sys; sys.argv[0] = {program!r}; from {entry.module} import {entry.attr}; sys.exit({entry.attr}())"
        return subprocess.Popen([sys.executable, "-c", start, *arguments, *more], env={**os.environ, **settings})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self.processes:
            process.terminate()
        for process in self.processes:
            process.wait(60)


def test_kubernetes_recipe_writes_all_answers(tmp_path, monkeypatch):
    monkeypatch.setattr(dask_kubernetes.operator, "KubeCluster", Pods)
    monkeypatch.chdir(tmp_path)
    seen = []
    real = cluster.map
    monkeypatch.setattr(cluster, "map", lambda client, *rest, **options: seen.append(threads(client)) or real(client, *rest, **options))

    exec(recipe("Kubernetes"), {"questions": questions()})
    parts = sorted((tmp_path / "answers.parquet").glob("*"))
    assert sum(len(pyarrow.parquet.read_table(part)) for part in parts) == 4
    # A pod has one core, and its worker one thread.
    assert seen == [[1, 1]]


def threads(client):
    client.wait_for_workers(2, timeout=60)
    return [worker["nthreads"] for worker in client.scheduler_info(n_workers=-1)["workers"].values()]


def test_audits_of_packages(monkeypatch):
    """What the page audits is what can be audited; the audits themselves are in test_packages.py."""
    from dask import distributed

    from dpcert.cluster import packages as own

    seen = []

    def audit(client, packages, **options):
        seen.extend(own._each(packages))
        assert client == "scheduler:8786" and options == {"out": "judged.jsonl", "progress": True}
        return cluster.Audited({}, 0, 0, {})

    monkeypatch.setattr(distributed, "Client", contextlib.nullcontext)
    monkeypatch.setattr(cluster, "audit_packages", audit)
    exec(recipe("Audits of packages"), {})
    names = [str(package) for package in seen]
    assert "dp-accounting@0.4.4:pld" in names and {"opacus:prv", "opacus:rdp", "opacus:gdp"} < set(names)
    chosen = {name for package in seen for name in package.settings if name.startswith("DPCERT_SETTING_")}
    told = (ROOT / "adapters/README.md").read_text(encoding="utf-8")
    assert chosen and all(f"`{name}`" in told for name in chosen)
