#!/usr/bin/env python3
"""Check the prose of the repository against docs/style.md.

usage: scripts/prose.py [--update | --list FILE...]

Read every sentence of Markdown pages, doc comments, comments, strings, docstrings and help texts, and every name of a
test. Report the sentences that break a rule of RULES or are longer than LONGEST words. Files that are not rewritten yet
stand in scripts/prose-exceptions.txt with their number of findings. More findings than that fail; fewer fail too, until
`--update` lowers the number. Nothing raises a number or adds a file but an edit by hand.
"""

import argparse
import ast
import io
import pathlib
import re
import subprocess
import sys
import tokenize

ROOT = pathlib.Path(__file__).resolve().parents[1]
EXCEPTIONS = "scripts/prose-exceptions.txt"

#: Longest sentence, in words. docs/style.md asks for 25; lists and formulas need a margin.
LONGEST = 40

#: A pattern, and what to write instead.
RULES = [
    (r"\bwho(m)?ever\b|\bwho (asks?|wants|has|would|waits|gives|did|does)\b", "name the subject: you, the caller, the function"),
    (r"\bnobody\b|\bno one\b", "name the subject"),
    (r"^(What|Who) (is|are|was|has|does|follows|comes|fails|says|tells|cannot|can|it|they|stands|remains)\b(?!.*\?)", "begin with the noun"),
    (r"\bwhat is so\b|\bis so(?=[,.;:]|$)", "say what holds"),
    (r"\bso (many|few|much)\b(?! \w+ that\b| that\b| as\b)", "a number, or `that many`"),
    (r"\bcome by\b|\bcame by\b", "compute, obtain"),
    (r"\b(is|are) told\b|\btells?\b", "show, report, return"),
    (r"\bcontent with\b", "accept"),
    (r"\bas one goes\b", "adaptively"),
    (r"\b(has|have) (the |all |no |some |few(er)? )?digits\b", "is proven to N digits"),
    (r"\b(in|for) want of\b", "without"),
    (r"\bof (its|one's|their|his|your) own\b", "custom, separate"),
    (r"\b(is|are|can be) had\b", "is available"),
    (r"\btakes? on\b", "handle, support"),
    (r"\bspeaks? of\b", "mention, describe"),
    (r"\b(and|or) the like\b", "name them"),
    (r"\bdear\b|\bcheaply\b", "expensive, at low cost"),
    (r"\bthe worse one\b|\bthe more private\b", "the larger, at least as private as"),
    (r"\bmistakes? of ours\b", "bug in dpcert"),
    (r"\bon the way\b", "meanwhile, so far"),
    (r"\bsaid to be\b|\bto be asked\b|\bwould do\b", "is, query, suffices"),
    (r"\bpatien(t|ce)\b|\bglance\b|\bthe house\b|\bin the house\b", "time limit, first attempt, module"),
    (r"\bkeeps? (a|the|its|their|every|all) (promise|guarantee)s?\b", "target; meets the target, satisfies the guarantee"),
    (r"\bin the place of\b", "instead of, for"),
    (r"\bis for (you|who)\b", "you must"),
]  # fmt: skip

#: Words that may stand in a rule's place where they are meant literally.
MEANT = re.compile(r"\b(compelled|untold)\b", re.IGNORECASE)

#: Names of tests that say neither the case nor the outcome.
VAGUE = re.compile(r"^(test_?)?(edges?|references?|basic|simple|works|it_works|misc|perhaps_\w+|[a-z]+)$")

# The second case is an entry of a docstring, such as `timeout: time limit in seconds.`
SPLIT = re.compile(r"(?<=[.!?])\s+(?=[^a-z]|[a-z_]+: )")
CODE = re.compile(r"\{[a-z_:#0-9$.]*\}|`+[^`]*`+|\]\([^)]*\)|https?://\S+")

#: Made by the program from texts that are checked where they are written, or copies of the words of others.
GENERATED = re.compile(
    r"^(vectors/data/|tests/cli/|tests/data/|papers/[^/]+/|papers/README\.md|proofs/claims\.md|docs/pages/reference/(commands|mechanisms|names)\.md"
    r"|docs/style\.md|python/dpcert/mechanisms\.py|scripts/prose|tests/prose|LICENSE|.*\.svg$|.*/OFL\.txt)"
)


def sentences(text):
    """The sentences of a paragraph, with code as one word."""
    return [part for part in SPLIT.split(CODE.sub("X", text)) if part]


def of_markdown(text):
    fence, paragraph, start = None, [], 0
    for number, line in enumerate(text.splitlines() + [""], 1):
        stripped = line.strip()
        mark = re.match(r"(`{3,}|~{3,})", stripped)
        if mark:
            fence = None if fence and stripped.startswith(fence) else fence or mark[1]
        begins = not stripped or mark or fence or re.match(r"([-*+]|\d+\.|#+|>|\|)( |$)|\||<", stripped)
        if begins and paragraph:
            yield start, " ".join(paragraph)
            paragraph = []
        if mark or fence or not stripped or stripped.startswith("<"):
            continue
        if stripped.startswith("|"):
            for cell in stripped.strip("|").split("|"):
                yield number, cell.strip()
            continue
        if not paragraph:
            start = number
        paragraph.append(re.sub(r"^([-*+>]|#+|\d+\.)\s+", "", stripped))


STRING = re.compile(r'(?<![\w\'])b?r?(#*)"((?:[^"\\]|\\.)*)"\1', re.DOTALL)
TEST = re.compile(r"#\[test\](?:\s*#\[[^\]]*\])*\s*(?:pub )?fn (\w+)")


def of_rust(text):
    block, start, prose = [], 0, re.compile(r"\s*//[/!]?(?: (.*)|)$")
    code = []
    for number, line in enumerate(text.splitlines() + [""], 1):
        comment = prose.match(line)
        code.append("" if comment else line)
        if comment:
            start = start or number
            block.append(comment[1] or "")
        elif block:
            for offset, paragraph in of_markdown("\n".join(block)):
                yield start + offset - 1, paragraph
            block, start = [], 0
    source = "\n".join(code)
    for found in STRING.finditer(source):
        words = re.sub(r"\\n", "\n", re.sub(r"\\\n\s*", "", found[2]))
        line = source.count("\n", 0, found.start()) + 1
        for paragraph in re.split(r"\n\s*\n|\n(?=\s)|\n", words):
            if len(paragraph.split()) > 3:
                yield line, paragraph.strip()
    for found in TEST.finditer(source):
        yield source.count("\n", 0, found.end()) + 1, f"test {found[1]}"


def of_python(text):
    comments = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            comments.append((token.start[0], token.string.lstrip("#: ")))
    yield from joined(comments)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value.split()) > 3:
            for offset, paragraph in of_markdown(node.value):
                yield node.lineno + offset - 1, paragraph
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            yield node.lineno, f"test {node.name}"


def of_script(text):
    """The comments of a shell script, a Makefile, TOML or YAML."""
    comments = []
    for number, line in enumerate(text.splitlines(), 1):
        found = re.match(r"\s*#(?!!)\s?(.*)", line)
        if found:
            comments.append((number, found[1]))
    yield from joined(comments)


def joined(comments):
    """Comments on consecutive lines as one paragraph."""
    start, last, words = 0, -1, []
    for number, text in comments + [(-9, "")]:
        if words and (number != last + 1 or not text):
            yield start, " ".join(words)
            words = []
        if text and not words:
            start = number
        words += [text] if text else []
        last = number


def paragraphs(name, text):
    """All texts of a file, with their lines."""
    if name.endswith(".md"):
        return of_markdown(text)
    if name.endswith(".rs"):
        return of_rust(text)
    if name.endswith(".py"):
        return of_python(text)
    if name.endswith(".ipynb"):
        import json

        cells = json.loads(text)["cells"]
        return of_markdown("\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown"))
    return of_script(text)


def fault(sentence):
    """What is wrong with a sentence, if anything is."""
    if sentence.startswith("test "):
        name = sentence.removeprefix("test ")
        return f"say the case and the outcome, not `{name}`" if VAGUE.match(name) else None
    for pattern, instead in RULES:
        found = re.search(pattern, MEANT.sub("X", sentence), re.IGNORECASE if not pattern.startswith("^") else 0)
        if found:
            return f"`{found[0].strip()}`: {instead}"
    words = len(sentence.split())
    # A list of many names is long without being hard to read.
    return f"{words} words: split the sentence" if words > LONGEST and sentence.count(",") < 8 else None


def findings(name, text):
    for line, paragraph in paragraphs(name, text):
        for sentence in sentences(paragraph):
            what = fault(sentence)
            if what:
                yield f"{name}:{line}: {what}: {sentence[:140]}"


def files(root):
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True).stdout
    wanted = re.compile(r".*\.(md|rs|py|sh|toml|yml|yaml|ipynb)$|(.*/)?(Makefile|Dockerfile)$")
    return [name for name in listed.split("\0") if wanted.match(name) and not GENERATED.match(name) and (root / name).is_file()]


def exceptions(text):
    """The files that are still in the old style, with their number of findings."""
    rows = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    return {name: int(count) for count, name in rows}


def compared(found, allowed):
    """What fails, as lines."""
    for name in sorted(found.keys() | allowed.keys()):
        now, most = found.get(name, []), allowed.get(name, 0)
        if len(now) > most:
            yield from now
            yield f"{name}: {len(now)} findings, at most {most} are allowed"
        elif len(now) < most:
            yield f"{name}: {len(now)} findings, and the list of exceptions has {most}: run `scripts/prose.py --update`"


def lowered(found, allowed):
    """The list with lower numbers where there are fewer findings. No number is raised, and no file is added."""
    counts = {name: min(most, len(found.get(name, []))) for name, most in allowed.items()}
    return {name: count for name, count in counts.items() if count}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--update", action="store_true", help="lower the numbers of the list of exceptions")
    parser.add_argument("--list", nargs="+", metavar="FILE", help="list all findings in these files or folders")
    options = parser.parse_args()
    names = files(ROOT)
    if options.list:
        chosen = [str(pathlib.Path(one).resolve().relative_to(ROOT)) for one in options.list]
        names = [name for name in names if any(name == one or name.startswith(one + "/") or one == "." for one in chosen)]
    found = {name: list(findings(name, (ROOT / name).read_text(encoding="utf-8"))) for name in names}
    if options.list:
        print("\n".join(line for lines in found.values() for line in lines))
        return 0
    path = ROOT / EXCEPTIONS
    head = [line for line in path.read_text().splitlines() if line.startswith("#")]
    allowed = exceptions(path.read_text())
    if options.update:
        allowed = lowered(found, allowed)
        path.write_text("\n".join(head + [f"{count:4} {name}" for name, count in sorted(allowed.items())]) + "\n")
    faults = list(compared(found, allowed))
    print("\n".join(faults) if faults else f"prose: {len(names)} files, {sum(allowed.values())} exceptions left")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
