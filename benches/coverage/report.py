"""The results of a run: the table in benches/README.md, and the list of queries with fewer than 15 digits."""

import math
import os
import pathlib
import statistics
from fractions import Fraction

import wider
from program import EXACT

BEGIN, END = "<!-- coverage: written by make coverage -->", "<!-- end of coverage -->"
WANTED = 15
# Relative tolerance for dp-accounting, whose parameters are rounded to doubles.
ROUNDED = Fraction(1, 10**9)
COLUMNS = ["question", "asks", "digits", "seconds", "seconds to try all", "method", "kind", "reason"]


class Result:
    """One query and its answers, from the journal."""

    def __init__(self, question, record):
        self.question = question
        self.asked, self.pld, self.warm = record["asked"], record["pld"], record.get("warm")

    @property
    def seconds(self):
        """Processor time at the digits that the program proves by default."""
        return self.asked["default"]["seconds"]

    @property
    def best(self):
        """The run that proves the most digits; the first of several."""
        return max(self.asked.values(), key=lambda run: -1 if proven(run) is None else proven(run))

    @property
    def digits(self):
        return proven(self.best)

    def at_least(self, d):
        return self.digits is not None and self.digits >= d

    @property
    def bounded(self):
        return self.digits is not None and self.best["kind"] != "infinite"

    @property
    def contradicts(self):
        """Whether two enclosures of the query do not intersect, or a run failed."""
        runs = [ends(run) for run in self.asked.values() if ends(run)]
        apart = bool(runs) and max(lower for lower, _ in runs) > min(upper for _, upper in runs)
        return apart or any(run["code"] == 1 or run["code"] > 3 for run in self.asked.values())

    @property
    def faster(self):
        """Whether the default run proves six digits in less processor time than dp-accounting as a running process."""
        return self._faster_than(self.pld["seconds"], self.asked["default"])

    @property
    def faster_started(self):
        """The same, if dp-accounting starts for the query."""
        return self._faster_than(self.pld["seconds"] + self.pld["start"], self.asked["default"])

    @property
    def faster_warm(self):
        """The same, if both are running processes."""
        return self.warm is not None and self._faster_than(self.pld["seconds"], self.warm)

    @staticmethod
    def _faster_than(seconds, run):
        d = proven(run)
        return d is not None and d >= 6 and run["seconds"] < seconds

    @property
    def error(self):
        """The relative error of dp-accounting, and whether it is too low; None without six digits or for a true value of 0."""
        if "value" not in self.pld or not self.at_least(6) or not ends(self.best):
            return None
        value = float.fromhex(self.pld["value"]) if "0x" in self.pld["value"] else float(self.pld["value"])
        lower, upper = ends(self.best)
        if upper == 0 or not math.isfinite(value):
            return None
        return float(Fraction(value) * 2 / (lower + upper) - 1), Fraction(value) < lower * (1 - ROUNDED)


def proven(run):
    return EXACT if run["digits"] == "exact" else run["digits"]


def ends(run):
    if run["digits"] is None or run["lower"] is None or run["upper"] is None:
        return None
    return Fraction(run["lower"]), Fraction(run["upper"])


# The table -------------------------------------------------------------------------


def share(count, of):
    """A percentage, rounded down, so that 100% means all."""
    return f"{math.floor(1000 * count / of) / 10:g}%" if of else ""


def percentile(values, percent):
    """The smallest value that at least `percent` per cent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(percent / 100 * len(ordered)) - 1)]


def row(name, results):
    n = len(results)
    times = [result.seconds for result in results]
    cells = [name, str(n), share(sum(r.bounded for r in results), n)]
    cells += [share(sum(r.at_least(d) for r in results), n) for d in (6, 8, WANTED)]
    cells += [f"{statistics.median(times):.2g}", f"{percentile(times, 99):.2g}"]
    return "| " + " | ".join(cells) + " |"


def side_by_side(results):
    """Results of dp-accounting for the same queries."""
    both = [r for r in results if "seconds" in r.pld]
    if not both:
        return []
    errors = [r.error for r in both if r.error is not None]
    sizes = [abs(error) for error, _ in errors]
    silent = sum("error" in r.pld for r in both)
    lines = [
        f"dp-accounting's PLD accepts {len(both)} of these queries. dpcert proves six digits or more in less processor time for:",
        "",
        f"- {share(sum(r.faster_started for r in both), len(both))} of them if both programs start for each query "
        f"(Python needs {statistics.median(r.pld['start'] for r in both):.2g} s to start),",
        f"- {share(sum(r.faster for r in both), len(both))} if only dpcert starts and dp-accounting is a running process,",
        f"- {share(sum(r.faster_warm for r in both), len(both))} if both are running processes (`dpcert answer`, "
        f"{statistics.median(r.warm['seconds'] if r.warm else math.inf for r in both):.2g} s at the median).",
        "",
        f"As a running process, dp-accounting takes {statistics.median(r.pld['seconds'] for r in both):.2g} s at the median and "
        f"{percentile([r.pld['seconds'] for r in both], 99):.2g} s at the 99th percentile, "
        f"and has no answer to {silent} of them.",
    ]
    if errors:
        low = sum(below for _, below in errors)
        lines.append(
            f"Compared with the {len(errors)} certified answers of six digits, its relative error is {statistics.median(sizes):.1g} "
            f"at the median and {max(sizes):.1g} at worst. Its pessimistic bound is below the true value {low} times, by a "
            "relative error of more than 1e-9."
        )
    return lines


def table(results, run):
    """The section between the marks, with the marks."""
    less_ordinary = [r for r in results if wider.is_one(r.question)]
    drawn = [r for r in results if not r.question.name.startswith("example") and not wider.is_one(r.question)]
    examples = [r for r in results if r.question.name.startswith("example")]
    rows = [row("all", drawn)] if drawn else []
    for n, name in [(1, "one factor"), (2, "two factors"), (3, "three factors")]:
        some = [r for r in drawn if len(r.question.steps) == n]
        rows += [row(name, some)] if some else []
    for name in sorted({family for r in drawn for family in r.question.families}):
        rows.append(row(f"with {name}", [r for r in drawn if name in r.question.families]))
    for name in ("delta", "epsilon", "beta"):
        some = [r for r in drawn if r.question.quantity == name]
        rows += [row(name, some)] if some else []
    if examples:
        rows.append(row("`benches/coverage/examples.txt`", examples))
    if less_ordinary:
        rows.append(row("less ordinary queries", less_ordinary))
    for name in sorted({wider.kind(r.question) for r in less_ordinary}):
        rows.append(row(f"less ordinary: {name}", [r for r in less_ordinary if wider.kind(r.question) == name]))
    return "\n".join(
        [
            BEGIN,
            "",
            "## Coverage",
            "",
            "The share of ordinary queries that dpcert answers. `benches/coverage/questions.py` draws compositions of one to three",
            f"factors, as users write them, and lists the ranges. The points are neither trivial nor extreme. Each run has {run['work']} units",
            "of work, so the numbers of digits are the same on every machine.",
            "",
            "- A *bound* is a finite upper end of epsilon, or an enclosure of delta or beta that is narrower than 0 to 1.",
            "- With d digits, the midpoint of the enclosure has a relative error of at most 10^-d. The digits are the most that are",
            "  proven by default or with `--digits` 15, 8 or 6.",
            "- Times are processor seconds of the default run on one thread, with its start, whether it has an answer or not.",
            "- A query counts for each family in it.",
            "- `benches/coverage/wider.py` draws the less ordinary queries and lists their ranges.",
            "",
            "| queries | number | bound | 6 digits | 8 digits | 15 digits | median | 99th percentile |",
            "|---|---|---|---|---|---|---|---|",
            *rows,
            "",
            *side_by_side(results),
            f"dp-accounting {run['accountant']} runs with its defaults (intervals of 1e-4, pessimistic)." if run["accountant"] else "dp-accounting was not run.",
            "",
            f"{len(drawn)} ordinary and {len(less_ordinary)} less ordinary queries drawn with seed {run['seed']}, and {len(examples)} fixed queries.",
            f"`make coverage COVERAGE_SEED={run['seed']} COVERAGE_QUESTIONS={len(drawn)} COVERAGE_WIDER={len(less_ordinary)}` repeats them.",
            "",
            END,
            "",
        ]
    )


def replace(path, text):
    """Replace the section of the coverage in the file, or append it."""
    replace_between(path, text, BEGIN, END)


def replace_between(path, text, begin, end):
    """Replace the section between two marks in the file, or append it."""
    path = pathlib.Path(path)
    old = path.read_text() if path.exists() else ""
    before, mark, rest = old.partition(begin)
    _, _, after = rest.partition(end + "\n")
    write(path, before + text + after if mark else old.rstrip("\n") + ("\n\n" if old else "") + text)


def write(path, text):
    """Write to a temporary file and rename it, so that an interrupted run leaves the old text."""
    path = pathlib.Path(path)
    beside = path.with_name(path.name + ".tmp")
    beside.write_text(text)
    os.replace(beside, path)


# The list --------------------------------------------------------------------------


def failures(results):
    """Tab-separated lines of queries with fewer than 15 digits, the fewest first."""
    short = [r for r in results if not r.at_least(WANTED)]
    short.sort(key=lambda r: (-1 if r.digits is None else r.digits, r.question.name))
    lines = ["\t".join(COLUMNS)]
    for r in short:
        best = r.best
        last = r.asked.get(str(WANTED), r.asked["default"])
        reason = best["reason"] or last["reason"]
        spent = sum(run["seconds"] for run in r.asked.values())
        cells = [
            r.question.name, str(r.question), "none" if r.digits is None else str(r.digits), f"{r.seconds:.3f}", f"{spent:.3f}",
            best["method"], best["kind"], reason,
        ]
        lines.append("\t".join(" ".join(cell.split()) for cell in cells))
    return "\n".join(lines) + "\n"
