"""Audits of packages over Dask: what the program says, in order, whatever dies."""

import json
import os
import pathlib
import shlex
import signal
import subprocess
import sys
import threading

import pytest

import dpcert

distributed = pytest.importorskip("distributed")
pyarrow_parquet = pytest.importorskip("pyarrow.parquet")

from dpcert import cluster  # noqa: E402

ROOT = pathlib.Path(os.environ.get("DPCERT_CHECKOUT", pathlib.Path(__file__).resolve().parents[2]))
FAKE = ROOT / "tests/fixtures/adapters/fake.py"
ONLY = ["gaussian-delta-000"]


def fake(how, **options):
    return cluster.Package(adapter=f"{shlex.quote(sys.executable)} {shlex.quote(str(FAKE))} {how}", **options)


@pytest.fixture(scope="module")
def two():
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local:
        with distributed.Client(local) as client:
            yield client


@pytest.fixture(scope="module")
def whole(two):
    """Two packages, the second in a setting, in one go."""
    packages = [fake("low"), fake("right", settings={"FAKE_API": "other"}), fake("low")]
    return packages, cluster.audit_packages(two, packages, only=ONLY, parts=2)


def test_judgements_are_those_of_the_program(two, whole):
    _, audited = whole
    lines = [json.loads(line) for line in audited.lines]
    told = subprocess.run(
        [sys.executable, "-m", "dpcert", "audit", "--adapter", fake("low").adapter, "--only", *ONLY, "--json"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    # A false claim was found.
    assert told.returncode == 1, told.stderr
    wanted = {}
    for record in map(json.loads, told.stdout.splitlines()):
        if record.pop("type") == "judgement":
            del record["seconds"]
            wanted[record.pop("id")] = record
    found = {}
    for line in lines:
        if line["type"] == "judgement" and line["api"] == "low":
            assert line["id"] == f"{fake('low')}/{line['question']}"
            found[line["question"]] = {name: value for name, value in line.items() if name not in ("id", "type", "question")}
    assert found == wanted and len(found) > 10
    # A package that is named twice is asked once, and the settings have reached the process.
    assert (audited.parts, audited.resumed, audited.given_up) == (4, 0, {})
    assert {line["api"] for line in lines if line["type"] == "judgement"} == {"low", "other"}
    assert sum(audited.verdicts.values()) == 2 * len(wanted) == len({line["id"] for line in lines}) - 4
    assert audited.verdicts["unsound"] and audited.verdicts["sound"]


def test_lines_do_not_depend_on_the_workers(whole):
    packages, audited = whole
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as local:
        with distributed.Client(local) as client:
            again = cluster.audit_packages(client, packages, only=ONLY, parts=2)
    assert again.lines == audited.lines


def test_parts_are_all_questions_in_other_pieces(two, whole):
    _, audited = whole
    other = cluster.audit_packages(two, fake("low"), only=ONLY, parts=3)
    judgements = [{line for line in one.lines if '"type":"judgement"' in line and '"low"' in line} for one in (audited, other)]
    assert judgements[0] == judgements[1] and other.parts == 3


def test_an_audit_goes_on_after_its_last_part(two, whole, tmp_path):
    packages, audited = whole
    wanted = "".join(line + "\n" for line in audited.lines)
    path = tmp_path / "a.jsonl"

    places = [index for index, line in enumerate(audited.lines) if '"type":"part"' in line]
    # In the middle of the third part: two are whole.
    lines_of_three_parts = audited.lines[: (places[1] + places[2]) // 2]

    class Enough(Exception):
        pass

    def stop(line, seen=[]):  # noqa: B006
        seen.append(line)
        if len(seen) == len(lines_of_three_parts):
            raise Enough

    with pytest.raises(Enough):
        cluster.audit_packages(two, packages, only=ONLY, parts=2, out=path, on_line=stop)
    half = path.read_text()
    assert half and wanted.startswith(half) and half != wanted
    # In the middle of a part, and of a line.
    path.write_text(half[:-5])
    again = cluster.audit_packages(two, packages, only=ONLY, parts=2, out=path)
    assert path.read_text() == wanted and 0 < again.resumed < 4 and again.verdicts == audited.verdicts
    done = cluster.audit_packages(two, packages, only=ONLY, parts=2, out=path)
    assert (done.resumed, done.verdicts, path.read_text()) == (4, audited.verdicts, wanted)
    with pytest.raises(dpcert.InputError, match="the output belongs to another audit"):
        cluster.audit_packages(two, packages, only=ONLY, parts=4, out=path)
    assert path.read_text() == wanted


def test_parquet_goes_on_too(two, whole, tmp_path, monkeypatch):
    from dpcert.cluster import output

    packages, audited = whole
    monkeypatch.setattr(output, "ROWS", 16)

    class Enough(Exception):
        pass

    def stop(line, seen=[]):  # noqa: B006
        seen.append(line)
        if len(seen) == 39:
            raise Enough

    with pytest.raises(Enough):
        cluster.audit_packages(two, packages, only=ONLY, parts=2, out=tmp_path / "a.parquet", on_line=stop)
    cluster.audit_packages(two, packages, only=ONLY, parts=2, out=tmp_path / "a.parquet")
    cluster.audit_packages(two, packages, only=ONLY, parts=2, out=tmp_path / "b.parquet")
    first, second = (sorted((tmp_path / name).glob("*")) for name in ("a.parquet", "b.parquet"))
    assert [part.read_bytes() for part in first] == [part.read_bytes() for part in second]
    rows = [row for part in first for row in pyarrow_parquet.read_table(part).to_pylist()]
    assert tuple(row["line"] for row in rows) == audited.lines
    assert {row["verdict"] for row in rows if row["type"] == "judgement"} == set(audited.verdicts)


def test_a_worker_may_die_in_the_middle_of_an_audit(whole, tmp_path):
    packages, audited = whole
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as local:
        with distributed.Client(local) as client:
            pids = client.run(os.getpid)
            killed = threading.Event()

            def kill(line):
                if not killed.is_set():
                    os.kill(next(iter(pids.values())), signal.SIGKILL)
                    killed.set()

            cluster.audit_packages(client, packages, only=ONLY, parts=2, out=tmp_path / "a.jsonl", on_line=kill)
            assert killed.is_set()
    assert (tmp_path / "a.jsonl").read_text().splitlines() == list(audited.lines)


def test_what_a_killed_worker_has_started_ends(tmp_path):
    """The program ends when its standard input does, and takes the adapter along."""
    named = tmp_path / "hanging"
    adapter = f"{shlex.quote(sys.executable)} {shlex.quote(str(FAKE))} hang x {shlex.quote(str(named))}"
    command = [sys.executable, "-m", "dpcert.cluster._program", "audit", "--adapter", adapter, "--only", *ONLY, "--time-limit", "600"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path / "j.jsonl")], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    try:
        for _ in range(600):
            if named.exists():
                break
            threading.Event().wait(0.1)
        assert named.exists()
        process.stdin.close()
        assert process.wait(60) == 3
        assert b"interrupted" in process.stderr.read()
    finally:
        process.kill()
        process.wait()


def test_whoever_cannot_be_asked_is_told(two):
    gone = cluster.Package(adapter="/nowhere/at/all")
    audited = cluster.audit_packages(two, [gone, fake("right")], only=["gaussian-delta-0006"], parts=1)
    assert len(audited.given_up) == 1 and "not found" in next(iter(audited.given_up.values()))
    assert audited.verdicts == {"sound": 1, "unsupported": 3}
    for name, told in [("open-dp", "did you mean `opendp`"), ("opendp:x", "has no API `x`"), ("opendp@ 1:opendp", "is not a version of")]:
        with pytest.raises(dpcert.InputError, match=told):
            cluster.audit_packages(two, name, only=ONLY, parts=1)
    with pytest.raises(dpcert.InputError, match="no query id contains"):
        cluster.audit_packages(two, fake("right"), only="nothing-of-this-name", parts=1)


def test_what_is_no_package(two):
    for arguments in ({}, {"name": "opacus", "adapter": "true"}):
        with pytest.raises(dpcert.InputError, match="either a name or an adapter"):
            cluster.Package(**arguments)
    for bad in ({"name": 3}, {"name": "opacus", "settings": {"X": 1}}):
        with pytest.raises(TypeError, match="must be strings"):
            cluster.Package(**bad)
    for settings in ({"": "1"}, {"A=B": "1"}, {"A": "1\0"}):
        with pytest.raises(dpcert.InputError, match="environment variable .* cannot be set to"):
            cluster.Package("opacus", settings=settings)
    with pytest.raises(TypeError, match="a package must be a name or a Package, not int"):
        cluster.audit_packages(two, [3])
    for parts in (0, 1.5, 10**6):
        with pytest.raises(dpcert.InputError, match="parts must be an integer"):
            cluster.audit_packages(two, "opacus", parts=parts)


def test_two_versions_of_a_package(two, tmp_path):
    """Installed by the workers, from their pins and from another one."""
    # A third one that is at hand is not what is asked.
    (tmp_path / "other/mpmath-9.9.dist-info").mkdir(parents=True)
    (tmp_path / "other/mpmath.py").write_text("raise ImportError('another version')")
    (tmp_path / "other/mpmath-9.9.dist-info/METADATA").write_text("Metadata-Version: 2.1\nName: mpmath\nVersion: 9.9\n")
    beside = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(tmp_path / "other")]))
    names = [cluster.Package("mpmath@1.3.0:textbook", settings={"PYTHONPATH": beside}), "mpmath:textbook"]
    audited = cluster.audit_packages(two, names, only="gaussian-delta-000", parts=2, cache=tmp_path)
    judged = [line for line in map(json.loads, audited.lines) if line["type"] == "judgement"]
    assert not audited.given_up and len({line["question"] for line in judged}) * 2 == len(judged)
    assert [line["version"] for line in judged[:: len(judged) - 1]] == ["1.3.0", "1.4.1"]
    assert audited.verdicts["sound"] > 10


def test_what_is_found_elsewhere_does_not_count_as_installed(tmp_path):
    """A package that pip would find already there, in the very version of the pins, where the adapter does not look."""
    pins = dict(line.split("==") for line in (ROOT / "adapters/requirements/mpmath.txt").read_text().splitlines() if "==" in line)
    told = tmp_path / f"other/mpmath-{pins['mpmath']}.dist-info"
    told.mkdir(parents=True)
    (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: mpmath\nVersion: {pins['mpmath']}\n")
    (told / "RECORD").write_text("")
    (told / "INSTALLER").write_text("pip\n")
    beside = os.pathsep.join(filter(None, [str(tmp_path / "other"), os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": beside, "PIP_TARGET": str(tmp_path / "target")}
    command = [sys.executable, "-m", "dpcert", "audit", "mpmath:textbook", "--only", "gaussian-delta-0006", "--cache", str(tmp_path / "cache"), "--json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    judged = [line for line in map(json.loads, done.stdout.splitlines()) if line["type"] == "judgement"]
    assert judged and {line["version"] for line in judged} == {pins["mpmath"]}, done.stderr
    assert "sound" in {line["verdict"] for line in judged}


def test_settings_of_the_adapters_that_are_there(two):
    """dp-accounting on two grids: some claims differ, and each judgement has its grid."""
    script = shlex.quote(str(ROOT / "adapters/dp_accounting_adapter.py"))
    of = {"adapter": f"{shlex.quote(sys.executable)} {script} pld", "time_limit": 60.0}
    grids = [{"DPCERT_SETTING_VALUE_DISCRETIZATION_INTERVAL": grid} for grid in ("1e-3", "1e-1")]
    unknown = {"DPCERT_SETTING_EPS_ERROR": "1"}
    packages = [cluster.Package(settings=settings, **of) for settings in [*grids, unknown]]
    audited = cluster.audit_packages(two, packages, only="gaussian-delta-000", parts=1)
    judged = [line for line in map(json.loads, audited.lines) if line["type"] == "judgement" and line["kind"] == "upper"]
    fine, coarse = ([line for line in judged if line["version"].endswith(f"value_discretization_interval={grid}")] for grid in ("0.001", "0.1"))
    assert [one["question"] for one in fine] == [other["question"] for other in coarse] and len(fine) > 3
    assert all("value_discretization_interval=0.1)" in other["call"] for other in coarse)
    assert any(float(one["claim_decimal"]) < float(other["claim_decimal"]) for one, other in zip(fine, coarse))
    (why,) = audited.given_up.values()
    assert "has no such setting" in why


def test_an_audit_in_another_setting_is_another_audit(tmp_path):
    command = [sys.executable, "-m", "dpcert", "audit", "--adapter", fake("right").adapter, "--only", "gaussian-delta-0006"]
    command += ["--out", str(tmp_path / "a.jsonl")]
    codes = []
    for settings in ({}, {"DPCERT_SETTING_GRID": "1"}, {}):
        done = subprocess.run(command, env={**os.environ, **settings}, capture_output=True, text=True, check=False)
        codes.append(done.returncode)
        assert done.returncode == 0 or "is the journal of another audit" in done.stderr
    assert codes == [0, 2, 0]
