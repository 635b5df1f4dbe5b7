"""Check every vector file against the schema with a validator that shares no code with this project."""

import json
import pathlib
import sys

from jsonschema import Draft202012Validator


def main(schema_path: str, data_path: str) -> int:
    schema = json.loads(pathlib.Path(schema_path).read_text())
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    files = sorted(pathlib.Path(data_path).glob("*.json"))
    if not files:
        print(f"no vector files in {data_path}")
        return 1
    bad = 0
    for file in files:
        document = json.loads(file.read_text())
        for error in validator.iter_errors(document):
            bad += 1
            print(f"{file}: {error.json_path}: {error.message}")
        # Check the schema itself: it must refuse an unknown field.
        if validator.is_valid(document | {"surprise": 1}):
            bad += 1
            print(f"{file}: the schema accepts an unknown field")
    print(f"{len(files)} files checked against the schema, {bad} errors")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
