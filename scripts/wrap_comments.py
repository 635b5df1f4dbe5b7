#!/usr/bin/env python3
"""Break comments and strings of Rust that are wider than 120 columns, which rustfmt leaves as they are.

`wrap_comments.py FILE...` rewraps each comment paragraph from the first line that is too wide, and splits strings that
have a line to themselves. It leaves tables and code in comments and all other wide lines unchanged, and lists them.
"""

import re
import sys

WIDTH = 120
COMMENT = re.compile(r"^(\s*)(//!|///|//)( ?)(.*)$")
ITEM = re.compile(r"^(\s*(?:[*+-]|\d+[.)]) +)")
# A plain string that has a line to itself.
STRING = re.compile(r'^\s*"(?:[^"\\]|\\.)*"[,;)]*$')
# What would begin a list, a heading, a quotation or a table at the start of a line.
STARTER = re.compile(r"^(?:[*+-]$|\d+[.)]$|[#>|=])")


def words(text):
    """The words of a text; short code in backticks is one."""
    found, joined = [], ""
    for word in text.split():
        joined = f"{joined} {word}" if joined else word
        if joined.count("`") % 2 == 0 or len(joined) > 60:
            found.append(joined)
            joined = ""
    return found + ([joined] if joined else [])


def fill(prefix, first, hang, text):
    """Lines of a paragraph: `first` before its first line, `hang` before the others."""
    lines, line = [], []
    width = lambda line: len(prefix) + len(first if not lines else hang) + len(" ".join(line))
    for word in words(text):
        if line and width([*line, word]) > WIDTH:
            rest = [word]
            while len(line) > 1 and STARTER.match(rest[0].split()[0]):
                rest.insert(0, line.pop())
            lines.append(" ".join(line))
            line = rest
        else:
            line.append(word)
    lines.append(" ".join(line))
    return [prefix + (first if at == 0 else hang) + text for at, text in enumerate(lines)]


def broken(line):
    """The lines of a string: a backslash at the end, and the blanks before the next word do not count."""
    indent = line[: len(line) - len(line.lstrip())]
    lines = []
    while len(line) > WIDTH:
        at = line.rfind(" ", len(indent), WIDTH - 1)
        if at <= len(indent) or line[at + 1] == " ":
            break
        lines.append(line[: at + 1] + "\\")
        line = f"{indent} {line[at + 1 :]}"
    return [*lines, line]


def wrapped(lines):
    out, at, fenced = [], 0, False
    while at < len(lines):
        line = lines[at]
        found = COMMENT.match(line)
        if found and found[4].lstrip().startswith("```"):
            fenced = not fenced
        if not found or fenced or len(line) <= WIDTH or found[4].lstrip().startswith(("|", "```")):
            fenced = fenced and bool(found)
            out += broken(line) if STRING.match(line) else [line]
            at += 1
            continue
        indent, marker, blank, text = found.groups()
        prefix = indent + marker + blank
        item = ITEM.match(text)
        first = item[1] if item else re.match(r"\s*", text)[0]
        # A line in the middle of an item hangs as it does; so do those after it.
        hang = " " * len(first)
        parts = [text[len(first) :]]
        at += 1
        while at < len(lines):
            more = COMMENT.match(lines[at])
            if not more or more[1] != indent or more[2] != marker or not more[4].strip():
                break
            if ITEM.match(more[4]) or re.match(r"\s*(```|[#|>]|\[[^\]]*\]:)", more[4]):
                break
            if more[4].startswith("    ") and not hang.startswith("    "):
                break
            parts.append(more[4].strip())
            at += 1
        out += fill(prefix, first, hang, " ".join(parts))
    return out


def main(paths):
    left = 0
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = wrapped(text.split("\n"))
        new = "\n".join(lines)
        if new != text:
            with open(path, "w", encoding="utf-8") as file:
                file.write(new)
        for number, line in enumerate(lines, 1):
            if len(line) > WIDTH:
                left += 1
                print(f"{path}:{number}: {len(line)} columns: {line.strip()[:60]}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
