#!/usr/bin/env python3
"""Generate the reference pages of commands, mechanisms and names in other libraries.

The help of the program has the commands and mechanisms, and `src/mechanism/words.toml` the names.

`reference.py DPCERT` writes them into `docs/pages/reference`. `reference.py --check DPCERT` fails if they are not up to date.
"""

import json
import pathlib
import re
import subprocess
import sys
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/pages/reference"


def subcommands(text):
    """The commands that a help text lists."""
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*?)(?=^\S|\Z)", text, re.MULTILINE)
    return re.findall(r"^  ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else []


def commands(dpcert):
    """The page of commands, with the help of each command."""
    lines = ["# Commands", "", "The output of `--help` for each command, and the topics of `dpcert help`.", ""]

    def tell(path, level):
        text = dpcert(*path, "--help")
        lines.extend([f"{'#' * level} `{' '.join(['dpcert', *path])}`", "", "```text", text.rstrip(), "```", ""])
        for name in subcommands(text):
            if not (path and name == "help"):
                tell([*path, name], min(level + 1, 4))

    tell([], 2)
    told = dpcert("help", "--help")
    listed = re.search(r"topics: ([a-z, ]+)", told)
    topics = listed[1].split(", ") if listed else re.findall(r"^\s+- ([a-z]+):", told, re.MULTILINE)
    for topic in sorted(set(topics) - {"mechanisms"}):
        lines.extend([f"## {topic.capitalize()}", "", "```text", dpcert("help", topic).rstrip(), "```", ""])
    return "\n".join(lines)


#: Domains of parameters and the sign of their effect, as in vectors/catalogue.json.
DOMAINS = {"non-negative": "at least 0", "positive": "greater than 0", "above-one": "greater than 1", "probability": "between 0 and 1",
           "distribution": "probabilities that sum to 1", "constants": "list of numbers"}
TRENDS = {"grows": "increases", "falls": "decreases", "unknown": "not known to be monotone"}


def domain(parameter):
    """The values that a parameter takes."""
    values = parameter["domain"]
    return f"integer, at least {values['integer']['least']}" if isinstance(values, dict) else DOMAINS[values]


def mechanisms(dpcert):
    """The page of mechanisms: the help of each, and its parameters from the catalogue."""
    told = dpcert("help", "mechanisms")
    # The help has one paragraph for each mechanism and shorthand, then paragraphs about the language.
    paragraphs = re.split(r"\n\n", told.strip())
    entries = json.loads((ROOT / "vectors/catalogue.json").read_text())["mechanisms"]
    lines = ["# Mechanisms", "", "A composition of mechanisms is an expression: `*` composes, `^` repeats, parentheses group. The last column of",
             "each table states how the privacy loss changes when the parameter increases.", "",
             "Some parameters have alternatives, and their descriptions name the parameter that they replace: `laplace(epsilon=1/2)` is",
             "`laplace(scale=2)`, and `randomized-response(p=3/4)` is `randomized-response(epsilon=ln(3))`. Give one of them. Answers print",
             "the replaced parameter.", "",
             "For a training run, use the shorthand [`dp-sgd`](#dp-sgd).", ""]
    seen = set()
    for entry in entries:
        name = entry["name"]
        own = [text for text in paragraphs if re.match(rf"{re.escape(name)}\(", text)]
        if len(own) != 1:
            raise SystemExit(f"`dpcert help mechanisms` has {len(own)} paragraphs about {name}, not 1")
        seen.add(own[0])
        lines += [f"## {name}", "", "```text", own[0], "```", ""]
        if not entry["parameters"]:
            continue
        lines += ["| parameter | values | default | privacy loss |", "|---|---|---|---|"]
        for parameter in entry["parameters"]:
            trend = TRENDS[parameter.get("loss", "unknown")]
            lines.append(f"| `{parameter['name']}` | {domain(parameter)} | {parameter.get('default', '')} | {trend} |")
        lines.append("")
    rest = [text for text in paragraphs if text not in seen]
    for text in [text for text in rest if re.match(r"[a-z][a-z0-9-]*\(", text)]:
        rest.remove(text)
        name = text.partition("(")[0]
        lines += [f"## {name}", "", "A shorthand for a composition of the mechanisms above.", "", "```text", text, "```", ""]
    return "\n".join(lines + ["## Syntax of expressions", "", "```text", "\n\n".join(rest), "```", ""])


def names():
    """The page of names in other libraries, with one table for each section of the file."""
    text = (ROOT / "src/mechanism/words.toml").read_text()
    # The search ranks guides and the reference before this page, which has the names of all of them.
    lines = ["---", "search:", "  boost: 0.2", "---", "", "# Names in other libraries", "",
             "The expressions to write for mechanisms, samplers, events and accounting notions of papers and other libraries.",
             "`dpcert help NAME` prints one row. `PoissonSampledDpEvent` and `poisson_sampled` find `poisson-sampled`, too.", "",
             "A guarantee such as `pure-dp(epsilon=...)` bounds the mechanism if your implementation satisfies it. *None* means that",
             "dpcert has no expression: if the mechanism has a stated guarantee, write `approx-dp(epsilon=..., delta=...)` or another.", ""]
    sections = re.split(r"\n# (.+)\n\n(?=\[\[word\]\])", text)[1:]
    for heading, body in zip(sections[::2], sections[1::2]):
        lines += [f"## {heading}", "", "| names | meaning | expression | source |", "|---|---|---|---|"]
        for row in tomllib.loads(body)["word"]:
            known = ", ".join(f"`{name}`" for name in row["names"])
            lines.append(f"| {known} | {row['is']} | {row.get('use', '*none*')} | {row.get('source', '')} |")
        lines.append("")
    return "\n".join(lines)


def main(arguments):
    check = "--check" in arguments
    named = [argument for argument in arguments if argument != "--check"]
    if len(named) != 1:
        sys.exit("usage: reference.py [--check] DPCERT")

    def dpcert(*words):
        """The output of the program."""
        return subprocess.run([named[0], *words], check=True, capture_output=True, text=True, timeout=60).stdout

    stale = []
    for name, text in [("commands.md", commands(dpcert)), ("mechanisms.md", mechanisms(dpcert)), ("names.md", names())]:
        page, text = PAGES / name, text.rstrip() + "\n"
        if not check:
            page.write_text(text)
        elif not page.exists() or page.read_text() != text:
            stale.append(str(page.relative_to(ROOT)))
    if stale:
        sys.exit(f"{' and '.join(stale)}: not up to date; run `make reference`")


if __name__ == "__main__":
    main(sys.argv[1:])
