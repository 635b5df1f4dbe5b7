"""Pages that the program tells: its commands and its mechanisms; and the schema of the vectors."""

import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def dpcert(*arguments):
    """What the program says."""
    given = os.environ.get("DPCERT")
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    built = [pathlib.Path(given)] if given else [target / "release/dpcert", target / "debug/dpcert"]
    binary = next((path for path in built if path.exists()), None)
    if binary is None:
        raise SystemExit(f"the reference is told by the program, which is not built: {built[0]}")
    return subprocess.run([binary, *arguments], check=True, capture_output=True, text=True, timeout=60).stdout


def subcommands(text):
    """The commands that a help lists, but for `help` below other commands."""
    listed = re.search(r"^Commands:\n((?:  .*\n|\n)*?)(?=^\S|\Z)", text, re.MULTILINE)
    return re.findall(r"^  ([a-z][a-z-]*)", listed[1], re.MULTILINE) if listed else []


def commands():
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


def mechanisms(root):
    """Every mechanism, as the catalogue has it and as the program tells it."""
    told = dpcert("help", "mechanisms")
    # One paragraph each; what is before and after them is of the language.
    paragraphs = re.split(r"\n\n", told.strip())
    domains = json.loads((root / "vectors/catalogue.json").read_text())["mechanisms"]
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


def schema(root):
    """The schema of files of vectors, definition by definition."""
    whole = json.loads((root / "vectors/schema.json").read_text())
    lines = ["# Schema of vectors", "", "Files of golden vectors are JSON of this schema ([JSON Schema 2020-12, as a file]"
             "(../vectors.schema.json)).", ""]
    definitions = whole.pop("$defs", {})
    for name, part in [("A file", whole), *definitions.items()]:
        lines += [f"## {name}", ""]
        if part.get("description"):
            lines += [part["description"], ""]
        lines += ["```json", json.dumps(part, indent=2, ensure_ascii=False), "```", ""]
    return "\n".join(lines)
