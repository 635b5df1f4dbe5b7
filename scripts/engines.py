#!/usr/bin/env python3
"""Measure what each engine contributes: ask the queries that it answered again, with the engine turned off.

Reads the journal of `make coverage`, so that each query runs again only without the engine that answered it. Writes a
table into benches/README.md.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches" / "coverage"))

import program  # noqa: E402
import questions  # noqa: E402
import report  # noqa: E402
import wider  # noqa: E402

BEGIN, END = "<!-- engines: written by make coverage-engines -->", "<!-- end of engines -->"
FEW, MANY = 6, 15
#: Switches of engines by the methods that answers name. An answer that names none of them is by a bound without an engine.
ENGINES = {
    "closed form": "closed",
    "closed form of the k-fold Laplace loss": "closed",
    "sum over the number of clones": "closed",
    "one Poisson sample, through the curve of the mechanism inside": "closed",
    "the larger one of both orders of the curve inside": "closed",
    "the larger one of both profiles of the curve inside": "closed",
    "one sample of fixed size, through the curve of what is inside": "closed",
    "the trade-off function inside, iterated": "closed",
    "the other order of the curve inside": "closed",
    "the profiles of all parts, weighted": "closed",
    "finitely many losses beside a closed form": "closed",
    "optimal composition (binomial tails)": "optimal",
    "optimal composition (lattice convolution)": "optimal",
    "optimal composition (two sorted halves)": "optimal",
    "lattice sum of discrete Gaussians on a tilted contour": "sums",
    "exact composition of atoms": "lattice",
    "lattice convolution": "lattice",
    "enumeration": "enumeration",
    "enumeration of listed losses": "listed",
    "listed losses beside a closed form": "beside",
    "listed losses beside a curve": "beside",
    "enumeration of listed losses beside one Laplace mechanism": "beside-many",
    "listed losses beside Laplace noise in polynomials between its knots": "beside-many",
    "integrals along the boundary of the best test": "two-samples",
    "an integral over the loss of Laplace noise": "integral",
    "polynomials between the knots of samples of Laplace noise": "between-knots",
    "trapezoid rule on a shifted contour": "contour",
    "trapezoid rule on a shifted contour, far out": "almost-periodic",
    "trapezoid rule on a shifted contour, all nodes far out": "swept",
    "nodes in a row, between a minorant and a majorant": "majorized",
    "losses rounded to a common grid": "grid",
    "polygons of trade-off functions, from both sides": "polygons",
    "steps by whether they are large, and a contour for sums with large ones": "large-steps",
    "sum over large losses, each beside small ones between a minorant and a majorant": "large-losses",
    "Chernoff's bound": "chernoff",
}


def proven(run):
    digits = report.proven(run)
    return -1 if digits is None else digits


def read(path):
    """The queries of the journal by name, with their runs."""
    return {record["name"]: record for record in map(json.loads, pathlib.Path(path).read_text().splitlines()[1:])}


def question(name, seed):
    if name.startswith("example"):
        return next(asked for asked in questions.examples() if asked.name == name)
    return (wider if "-" in name else questions).drawn(seed, int(name.rpartition("-")[2]))


def tasks(records):
    """Engine, query, digits (None: the default) and the run that the engine answered."""
    for name, record in records.items():
        run = record["asked"]["default"]
        if proven(run) >= FEW:
            yield ENGINES.get(run["method"]), name, None, run
        long = record["asked"].get(str(MANY), run)
        if proven(long) >= MANY:
            yield ENGINES.get(long["method"]), name, MANY, long


def table(found, seed, number):
    """The section between the marks. `found` maps engines to lists of (digits, run with it, run without it)."""
    rows = []
    for engine in sorted(found, key=lambda engine: -len(found[engine])):
        few = [(a, b) for wanted, a, b in found[engine] if wanted is None]
        many = [(a, b) for wanted, a, b in found[engine] if wanted == MANY]
        kept = [(a, b) for wanted, a, b in found[engine] if proven(b) >= (wanted or FEW)]
        ratios = [math.log(b["seconds"] / a["seconds"]) for a, b in kept if a["seconds"] > 0 and b["seconds"] > 0]
        cells = [engine, len(few), sum(proven(b) < FEW for _, b in few), len(many), sum(proven(b) < MANY for _, b in many)]
        cells.append(f"{math.exp(sum(ratios) / len(ratios)):.2g}" if ratios else "")
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join([
        BEGIN, "", "## Engines", "",
        "What each engine contributes. Every query of the coverage run was asked again without the engine that answered it",
        "(`DPCERT_WITHOUT=NAME` turns one off). *Lost* queries have fewer than 6 or 15 digits then. The last column is the time",
        "without the engine over the time with it, for the queries that still have their digits (geometric mean).", "",
        "| engine | 6 digits | lost | 15 digits | lost | time without it |", "|---|---|---|---|---|---|", *rows, "",
        f"{number} queries, seed {seed}. `make coverage-engines` after `make coverage` repeats the table.", "", END, "",
    ])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", help="the program dpcert")
    parser.add_argument("--journal", default=ROOT / "target" / "coverage.jsonl", metavar="FILE", help="journal of the coverage run")
    parser.add_argument("--table", default=ROOT / "benches" / "README.md", metavar="FILE", help="write the table into FILE")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of queries to run in parallel (1)")
    parser.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="processor time after which a run is killed (60)")
    options = parser.parse_args()
    head = json.loads(pathlib.Path(options.journal).read_text().splitlines()[0])
    records = read(options.journal)
    unknown = {run["method"] for _, _, _, run in tasks(records)} - set(ENGINES)
    if unknown:
        print(f"methods without a switch: {', '.join(sorted(unknown))}", file=sys.stderr)

    def ask(task):
        engine, name, wanted, run = task
        without = program.Program(options.program, head["work"], options.limit, [engine])
        return engine, wanted, run, without.ask(question(name, head["seed"]), wanted).record(), name

    found = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for engine, wanted, run, other, name in pool.map(ask, [task for task in tasks(records) if task[0]]):
            found[engine].append((wanted, run, other))
            if proven(other) < (wanted or FEW):
                print(f"{engine}: {name} has {other['digits']} instead of {run['digits']} digits", file=sys.stderr)
    report.replace_between(options.table, table(found, head["seed"], len(records)), BEGIN, END)


if __name__ == "__main__":
    main()
