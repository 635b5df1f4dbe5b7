#!/usr/bin/env python3
"""Measure which share of ordinary queries dpcert answers, with dp-accounting for comparison.

Compositions as users write them are drawn from a seed; `--help` shows the ranges. Each query runs with the work of a
default query: with the default digits, and with --digits 15, 8 and 6 if the default proves fewer.
"""

import argparse
import hashlib
import json
import pathlib
import queue
import signal
import sys
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benches" / "coverage"))

import accountant  # noqa: E402
import program  # noqa: E402
import questions  # noqa: E402
import report  # noqa: E402
import warm  # noqa: E402
import wider  # noqa: E402

EXAMPLES = """examples:
  scripts/coverage.py target/release/dpcert --questions 300
  scripts/coverage.py target/release/dpcert --questions 300 --resume --list-failures
  scripts/coverage.py target/release/dpcert --seed 7 --questions 50 --table table.md --out failures.tsv
"""
# Time limit of one query to dp-accounting, in seconds.
PATIENCE_WITH_PEER = 60


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, epilog=EXAMPLES + "\n" + questions.__doc__ + "\n" + wider.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("program", help="the program dpcert")
    parser.add_argument("--questions", type=int, default=300, metavar="N", help="number of queries to draw (300)")
    parser.add_argument("--wider", type=int, default=0, metavar="N", help="number of less ordinary queries to draw (0)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random queries (1)")
    parser.add_argument("--work", default="4e9", metavar="N", help="units of work for each run (4e9)")
    parser.add_argument("--limit", type=int, default=60, metavar="SECONDS", help="processor time after which a run is killed (60)")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="number of queries to run in parallel (1)")
    parser.add_argument("--table", default=ROOT / "benches" / "README.md", metavar="FILE", help="write the table into FILE")
    parser.add_argument("--out", metavar="FILE", help="write the queries with fewer than 15 digits to FILE")
    parser.add_argument("--list-failures", action="store_true", help="print the queries with fewer than 15 digits")
    parser.add_argument("--journal", default=ROOT / "target" / "coverage.jsonl", metavar="FILE", help="append each answer to FILE")
    parser.add_argument("--resume", action="store_true", help="skip queries that the journal already contains")
    parser.add_argument("--accountant", metavar="PYTHON", help="Python interpreter with dp-accounting; without it, dp-accounting is not compared")
    return parser.parse_args()


class Journal:
    """Answers by query name, one a line, after a header line that identifies the run."""

    def __init__(self, path, head, resume):
        self.path, self.records, self.lock = pathlib.Path(path), {}, threading.Lock()
        lines = self.path.read_text().split("\n") if resume and self.path.exists() else []
        # Drop an incomplete last line of an interrupted run.
        lines.pop() if lines else None
        if lines and json.loads(lines[0]) != head:
            sys.exit(f"{path} belongs to another program, seed, amount of work or accountant; run without --resume to start again")
        for record in map(json.loads, lines[1:]):
            self.records[record["name"]] = record
        self.path.parent.mkdir(parents=True, exist_ok=True)
        report.write(self.path, "".join(line + "\n" for line in lines or [json.dumps(head)]))
        self.file = self.path.open("a")

    def add(self, record):
        with self.lock:
            self.records[record["name"]] = record
            self.file.write(json.dumps(record) + "\n")
            self.file.flush()

    def has(self, question):
        record = self.records.get(question.name)
        return record is not None and record["question"] == str(question)


def ask(question, dpcert, peer, lines):
    """All runs for one query, and the answer of dp-accounting. If it has one, also the warm time of dpcert."""
    asked = {"default": dpcert.ask(question)}

    def proven():
        return max((run.digits for run in asked.values() if run.digits is not None), default=-1)

    for wanted in (15, 8, 6):
        # Skip the digits that the default run already requested.
        if proven() < wanted and wanted != dpcert.digits_by_default:
            asked[str(wanted)] = dpcert.ask(question, wanted)
    pld = peer.ask(question) if peer and not wider.is_one(question) else {"unsupported": "not asked"}
    return {
        "name": question.name,
        "question": str(question),
        "asked": {name: run.record() for name, run in asked.items()},
        "pld": pld,
        "warm": lines.ask(question) if "seconds" in pld else None,
    }


def ask_all(asking, dpcert, journal, options):
    """Run the queries that the journal lacks, in threads; the main thread handles signals."""
    left = queue.SimpleQueue()
    for question in asking:
        left.put(question)
    faults = queue.SimpleQueue()
    peers = []

    def work():
        peer = accountant.Accountant(options.accountant, PATIENCE_WITH_PEER) if options.accountant else None
        lines = warm.Warm(dpcert.path, dpcert.work, dpcert.limit)
        workers = [lines, *([peer] if peer else [])]
        peers.extend(workers)
        try:
            while True:
                record = ask(left.get_nowait(), dpcert, peer, lines)
                if dpcert.stopped:
                    break
                journal.add(record)
        except (queue.Empty, KeyboardInterrupt):
            pass
        except BaseException as fault:
            faults.put(fault)
        finally:
            for worker in workers:
                worker.end()

    threads = [threading.Thread(target=work) for _ in range(options.jobs)]
    for thread in threads:
        thread.start()
    try:
        told = 0
        while any(thread.is_alive() for thread in threads):
            for thread in threads:
                thread.join(0.5)
            if len(journal.records) >= told + 10:
                told = len(journal.records)
                print(f"{told} answers", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        dpcert.stop()
        for peer in peers:
            peer.interrupt()
        for thread in threads:
            thread.join()
        print("interrupted; continue with --resume", file=sys.stderr)
        sys.exit(130)
    if not faults.empty():
        raise faults.get()


def main():
    options = arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    path = pathlib.Path(options.program).resolve()
    if not path.is_file():
        sys.exit(f"{options.program} is not a file")
    asking = questions.examples() + [questions.drawn(options.seed, n) for n in range(1, options.questions + 1)]
    asking += [wider.drawn(options.seed, n) for n in range(1, options.wider + 1)]
    version = accountant.version(options.accountant) if options.accountant else None
    head = {
        "program": hashlib.sha256(path.read_bytes()).hexdigest(),
        "seed": options.seed,
        "work": options.work,
        "accountant": version,
    }
    journal = Journal(options.journal, head, options.resume)
    dpcert = program.Program(str(path), options.work, options.limit)
    ask_all([question for question in asking if not journal.has(question)], dpcert, journal, options)

    results = [report.Result(question, journal.records[question.name]) for question in asking]
    report.replace(options.table, report.table(results, head))
    if options.out:
        report.write(options.out, report.failures(results))
    if options.list_failures:
        sys.stdout.write(report.failures(results))
    wrong = [result.question for result in results if result.contradicts]
    for question in wrong:
        print(f"enclosures that do not intersect, or a bug in dpcert: {question}", file=sys.stderr)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
