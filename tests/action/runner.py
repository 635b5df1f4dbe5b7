"""Run the steps of `action.yml` as a workflow runner does.

Expressions are evaluated, each step runs as a bash script with its environment, and its output files are read. Steps with
`uses` are not run; their results are provided by the test.
"""

import os
import re
import subprocess
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
TOKEN = re.compile(r"\s*(&&|\|\||==|!=|[()!,]|'(?:[^']|'')*'|[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)")


class Expression:
    """An expression of a workflow, with the known values."""

    def __init__(self, text, values, failed=False):
        self.tokens, at = [], 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"not an expression: {text}")
            self.tokens.append(found[1])
            at = found.end()
        self.values, self.failed, self.asks_for_status = values, failed, "always" in self.tokens or "failure" in self.tokens

    def value(self):
        value = self.either()
        if self.tokens:
            raise ValueError(f"unexpected tokens {self.tokens}")
        return value

    def next(self, *wanted):
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def either(self):
        value = self.both()
        while self.next("||"):
            other = self.both()
            value = value or other
        return value

    def both(self):
        value = self.equal()
        while self.next("&&"):
            other = self.equal()
            value = value and other
        return value

    def equal(self):
        value = self.one()
        while sign := self.next("==", "!="):
            value = (value == self.one()) == (sign == "==")
        return value

    def one(self):
        if self.next("!"):
            return not self.one()
        if self.next("("):
            value = self.either()
            assert self.next(")")
            return value
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self.next("("):
            assert self.next(")"), f"{token} has arguments"
            return {"always": True, "failure": self.failed, "success": not self.failed}[token]
        # A missing value is empty, as the pull request on a push; an unknown context is an error.
        value = self.values
        for depth, name in enumerate(token.split(".")):
            value = value[name] if depth == 0 else (value or {}).get(name)
        return value


def filled(text, values):
    """The text with its expressions evaluated."""
    put = lambda found: str(Expression(found[1], values).value() or "")  # noqa: E731
    return re.sub(r"\$\{\{(.*?)\}\}", put, str(text))


class Run:
    """The result of a run: exit codes of the steps, outputs of the action, its summary, and everything printed."""

    def __init__(self, temp, inputs, event, environment, folder=None):
        action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        values = {
            "github": {"action_path": str(ROOT), "token": "the token of the workflow", "repository": "somebody/accountant", "event": event},
            "runner": {"temp": str(temp), "os": "Linux"},
            "steps": {},
        }
        unknown = set(inputs) - set(action["inputs"])
        assert not unknown, f"unknown inputs: {unknown}"
        values["inputs"] = {
            name: inputs.get(name, filled(one.get("default", ""), values)) for name, one in action["inputs"].items()
        }
        self.codes, self.said, self.used, failed = {}, "", [], False
        summary = temp / "summary.md"
        for number, step in enumerate(action["runs"]["steps"]):
            if "uses" in step:
                self.used.append(step["uses"])
                continue
            condition = Expression(str(step.get("if", "success()")), values, failed)
            if not condition.value() or failed and not condition.asks_for_status:
                continue
            assert step["shell"] == "bash"
            script, output = temp / f"step-{number}.sh", temp / f"output-{number}"
            script.write_text(filled(step["run"], values), encoding="utf-8")
            output.touch()
            own = {name: filled(value, values) for name, value in step.get("env", {}).items()}
            files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script],
                env=os.environ | environment | own | files, cwd=folder or temp, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, check=False,
            )
            self.said += done.stdout
            self.codes[step["name"]] = done.returncode
            failed = failed or done.returncode != 0
            if "id" in step:
                lines = output.read_text(encoding="utf-8").splitlines()
                values["steps"][step["id"]] = {"outputs": dict(line.split("=", 1) for line in lines)}
        self.failed = failed
        self.summary = summary.read_text(encoding="utf-8") if summary.exists() else ""
        self.outputs = {name: filled(one["value"], values) for name, one in action.get("outputs", {}).items()}
