"""What MkDocs builds beside the pages that are written: pages made from the proofs, from the figures of papers, from the
schema of the vectors and from the notebooks. The files that they come from are read where they are, so none of them is stale.
"""

import pathlib
import re
import sys

from mkdocs.structure.files import File, InclusionLevel

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import formulas  # noqa: E402
import links  # noqa: E402
import notebooks  # noqa: E402
import schema  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]

#: What of MathJax is needed to set formulas in AsciiMath as pictures: no fonts, nothing that is loaded from elsewhere.
MATHJAX = ["startup.js", "core.js", "input/asciimath.js", "output/svg.js", "output/svg/fonts/tex.js"]

#: Pages of the repository that are shown as they are, but for their links.
COPIES = {
    "vectors/FINDINGS.md": "findings.md",
    "vectors/README.md": "reference/vectors.md",
    "vectors/python/README.md": "reference/vectors-python.md",
    "python/README.md": "reference/python-package.md",
    "python/CLUSTER.md": "how-to/cluster.md",
    "adapters/README.md": "reference/adapters.md",
    "examples/census/README.md": "reference/census-files.md",
    "CHANGELOG.md": "reference/changes.md",
    "papers/README.md": "gallery/papers.md",
    "proofs/axioms.md": "proofs/axioms.md",
    "proofs/claims.md": "proofs/claims.md",
}


def copies():
    """All pages that are shown as they are: where they are, and where they go."""
    found = dict(COPIES)
    for page in sorted(ROOT.glob("proofs/paper/*.md")) + sorted(ROOT.glob("proofs/upstream/*.md")):
        found[str(page.relative_to(ROOT))] = f"proofs/{page.name}"
    for page in sorted(ROOT.glob("papers/*/*.md")):
        found[str(page.relative_to(ROOT))] = f"gallery/{page.parent.name}-{page.name}"
    return found


def title(text):
    return next(line[2:] for line in text.splitlines() if line.startswith("# "))


def gallery():
    """All figures, each with a link to its page."""
    lines = ["# Gallery", "", "Figures of papers, computed again: every point of every curve is certified. A picture leads to"]
    lines += ["its page, with the table of numbers and what the paper prints beside them.", "", '<div class="gallery" markdown>']
    for figure in sorted(ROOT.glob("papers/*/*.svg")):
        name = f"{figure.parent.name}-{figure.stem}"
        caption = title(figure.with_suffix(".md").read_text())
        lines.append(f"[![{caption}]({name}.svg)<br>{figure.parent.name}: {caption}]({name}.md)")
        lines.append("")
    return "\n".join(lines + ["</div>", ""])


def fill(nav, name, entries):
    """The empty section of this name gets these entries."""
    for entry in nav:
        if isinstance(entry, dict):
            for key, value in entry.items():
                if key == name and value == []:
                    entry[key] = entries
                elif isinstance(value, list):
                    fill(value, name, entries)


def on_config(config):
    where = copies()
    proofs = [page for source, page in where.items() if source.startswith("proofs/paper")]
    papers = [page for source, page in where.items() if source.startswith("papers/") and source != "papers/README.md"]
    upstream = [page for source, page in where.items() if source.startswith("proofs/upstream")]
    fill(config.nav, "Proofs", ["proofs/axioms.md", "proofs/claims.md", *proofs, *upstream])
    fill(config.nav, "Commands", ["reference/commands.md", "reference/mechanisms.md", "reference/adapters.md",
                                  "reference/vectors.md", "reference/vectors-python.md", "reference/schema.md",
                                  "reference/python-package.md", "reference/census-files.md", "reference/changes.md"])
    fill(config.nav, "Gallery", ["gallery/index.md", "gallery/papers.md", *papers])
    fill(config.nav, "Notebooks", notebooks.names())
    for section in config.nav:
        for name, entries in section.items() if isinstance(section, dict) else []:
            if name == "How to":
                entries.append("how-to/cluster.md")
            if name == "Reference":
                # The reference is one list.
                section[name] = next(iter(entries[0].values())) + entries[1:]
    config.nav = [entry for entry in config.nav if not isinstance(entry, dict) or [] not in entry.values()]
    return config


def on_files(files, config):
    def add(name, text):
        files.append(File.generated(config, name, content=text))

    where = copies()
    for source, page in where.items():
        add(page, links.rewritten((ROOT / source).read_text(), source, page, where))
    for figure in sorted(ROOT.glob("papers/*/*.svg")):
        add(f"gallery/{figure.parent.name}-{figure.name}", figure.read_bytes())
    add("gallery/index.md", gallery())
    add("reference/schema.md", schema.schema(ROOT))
    add("vectors.schema.json", (ROOT / "vectors/schema.json").read_text())
    for name, text in notebooks.pages().items():
        add(name, text)
    import mathjax

    here = pathlib.Path(mathjax.__file__).parent / "static/mathjax/es5"
    for name in MATHJAX:
        files.append(File.generated(config, f"assets/mathjax/{name}", abs_src_path=str(here / name),
                                    inclusion=InclusionLevel.INCLUDED))
    return files


def on_page_content(html, page, config, files):
    if page.file.src_uri.startswith("proofs/"):
        html = formulas.rendered(html)
    # Roles of reStructuredText, which docstrings have for Sphinx and for editors.
    html = re.sub(r":(?:class|func|meth|mod|data|exc):(?=<code>)", "", html)
    # Tables scroll by themselves on a narrow screen.
    return re.sub(r"(<table>.*?</table>)", r'<div class="wide">\1</div>', html, flags=re.DOTALL)
