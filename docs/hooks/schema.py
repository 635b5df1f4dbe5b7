"""The page of the schema of the vectors."""

import json


def schema(root):
    """The schema of vector files, one section for each definition."""
    whole = json.loads((root / "vectors/schema.json").read_text())
    lines = ["# Schema of golden vectors", "", "Files of golden vectors follow this schema ([JSON Schema 2020-12, as a file]"
             "(../vectors.schema.json)).", ""]
    definitions = whole.pop("$defs", {})
    for name, part in [("A file", whole), *definitions.items()]:
        lines += [f"## {name}", ""]
        if part.get("description"):
            lines += [part["description"], ""]
        lines += ["```json", json.dumps(part, indent=2, ensure_ascii=False), "```", ""]
    return "\n".join(lines)
