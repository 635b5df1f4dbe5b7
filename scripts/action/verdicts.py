"""Print the table of verdicts of an audit in Markdown: a row for each API, then the worst unsound claims.

    verdicts.py JUDGED.jsonl
"""

import json
import sys
from pathlib import Path

COLUMNS = ["unsound", "rounding", "negligible", "failed", "undecided", "loose", "sound", "unsupported"]
#: Sizes of unsound claims that are counted apart, as in the totals of the audit.
APART = {"rounding", "negligible"}
SIZES = ["gross", "slight"]
WORST = 10


def cell(text):
    """Foreign text for a table cell, with markup and mentions escaped."""
    for sign, other in {"&": "&amp;", "<": "&lt;", ">": "&gt;", "|": "&#124;", "`": "&#96;", "\n": " ", "@": "&#64;"}.items():
        text = text.replace(sign, other)
    return text[:200]


def column(judgement):
    size = judgement.get("size")
    return size if judgement["verdict"] == "unsound" and size in APART else judgement["verdict"]


def shown(at):
    """The point of a query, as text."""
    return ", ".join(f"{name} {float.fromhex(value):.6g}" for name, value in (at or {}).items() if value)


def verdict(judged, unsound):
    """The overall result, in one sentence."""
    answered = [one for one in judged if column(one) not in ("failed", "unsupported")]
    if unsound:
        return f"**Not sound: {len(unsound)} of {len(answered)} claims overstate the privacy.**"
    if not answered:
        return "**Nothing was judged: the accountant returned no claim.**"
    return f"**No unsound claim among {len(answered)}.**"


def table(lines):
    """The page, and the number of claims that are unsound by more than a rounding error."""
    judged = [record for record in map(json.loads, lines) if record["type"] == "judgement"]
    counts = {}
    for one in judged:
        row = counts.setdefault((one["peer"], one["version"] or "", one["api"]), dict.fromkeys(COLUMNS, 0))
        row[column(one)] += 1
    unsound = [one for one in judged if column(one) == "unsound"]
    text = ["## Privacy audit", "", verdict(judged, unsound), "", f"{len(judged)} queries with proven answers, {len(unsound)} unsound claims.", ""]
    text += ["| accountant | " + " | ".join(COLUMNS) + " |", "|---|" + "---:|" * len(COLUMNS)]
    for (peer, version, api), row in sorted(counts.items()):
        name = " ".join(part for part in [peer, version, api] if part)
        text.append(f"| {cell(name)} | " + " | ".join(str(row[name]) for name in COLUMNS) + " |")
    if unsound:
        text += ["", "| id | size | query | claimed | proven |", "|---|---|---|---|---|"]
        unsound.sort(key=lambda one: SIZES.index(one["size"]) if one["size"] in SIZES else len(SIZES))
        for one in unsound[:WORST]:
            truth = one["truth"] or {}
            proven = f"{truth['lower']} to {truth['upper']}" if truth.get("lower") else truth.get("kind", "")
            asked = f"{one['quantity']} of {one['mechanism']} at {shown(one['at'])}"
            parts = [one["id"], one["size"] or "", asked, one["claim_decimal"] or "", proven]
            text.append("| " + " | ".join(map(cell, parts)) + " |")
        if len(unsound) > WORST:
            text += ["", f"... and {len(unsound) - WORST} more."]
    text += ["", "*Unsound*: the claim provably overstates the privacy, by more than a rounding error.", ""]
    return "\n".join(text), len(unsound)


if __name__ == "__main__":
    page, _ = table(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())
    print(page, end="")
