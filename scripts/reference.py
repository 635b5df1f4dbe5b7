#!/usr/bin/env python3
"""The pages of the reference that the program tells, its commands and its mechanisms: `reference.py DPCERT` writes them into
`docs/pages/reference`, and `reference.py --check DPCERT` fails where they are not what would be written.
"""

import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/pages/reference"


def subcommands(text):
    """The commands that a help lists, but for `help` below other commands."""
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*?)(?=^\S|\Z)", text, re.MULTILINE)
    return re.findall(r"^  ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else []


def commands(dpcert):
    """Every command with its help, as clap has it."""
    lines = ["# Commands", "", "Each command's `--help`, as the program prints it.", ""]

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


def mechanisms(dpcert):
    """Every mechanism, as the catalogue has it and as the program tells it."""
    told = dpcert("help", "mechanisms")
    # One paragraph each; what is before and after them is of the language.
    paragraphs = re.split(r"\n\n", told.strip())
    domains = json.loads((ROOT / "vectors/catalogue.json").read_text())["mechanisms"]
    lines = ["# Mechanisms", "", "A composition is written as an expression: `*` composes, `^` repeats, parentheses group.", ""]
    seen = set()
    for entry in domains:
        name = entry["name"]
        own = [text for text in paragraphs if re.match(rf"{re.escape(name)}\(", text)]
        if len(own) != 1:
            raise SystemExit(f"`dpcert help mechanisms` tells {len(own)} times of {name}")
        seen.add(own[0])
        lines += [f"## {name}", "", "```text", own[0], "```", ""]
        lines += ["| parameter | domain | unless given | the privacy loss |", "|---|---|---|---|"]
        for parameter in entry["parameters"]:
            domain = parameter["domain"]
            if isinstance(domain, dict):
                domain = ", ".join(f"{kind} {json.dumps(value)}" for kind, value in domain.items())
            trend = {"grows": "grows with it", "falls": "falls with it"}.get(parameter.get("loss"), "either")
            lines.append(f"| `{parameter['name']}` | {domain} | {parameter.get('default', '')} | {trend} |")
        lines.append("")
    rest = [text for text in paragraphs if text not in seen]
    return "\n".join(lines + ["## The language", "", "```text", "\n".join(rest), "```", ""])


def main(arguments):
    check = "--check" in arguments
    named = [argument for argument in arguments if argument != "--check"]
    if len(named) != 1:
        sys.exit("which program tells the reference? reference.py [--check] DPCERT")

    def dpcert(*words):
        """What the program says."""
        return subprocess.run([named[0], *words], check=True, capture_output=True, text=True, timeout=60).stdout

    stale = []
    for name, text in [("commands.md", commands(dpcert)), ("mechanisms.md", mechanisms(dpcert))]:
        page, text = PAGES / name, text.rstrip() + "\n"
        if not check:
            page.write_text(text)
        elif not page.exists() or page.read_text() != text:
            stale.append(str(page.relative_to(ROOT)))
    if stale:
        sys.exit(f"{' and '.join(stale)}: not what the program tells; `make reference` writes them anew")


if __name__ == "__main__":
    main(sys.argv[1:])
