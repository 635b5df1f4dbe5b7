"""The questions of the golden vectors, asked through the wheel: what comes back is what `dpcert answer` prints.

`DPCERT` is the program. Of the questions every `DPCERT_EVERY`th is asked, 25 unless it is given; 1 is all.
"""

import json
import os
import pathlib
import subprocess
import unittest
from fractions import Fraction

import dpcert

DATA = os.environ.get("DPCERT_VECTORS") or pathlib.Path(__file__).parents[3] / "vectors" / "data"
PROGRAM = os.environ.get("DPCERT")
EVERY = int(os.environ.get("DPCERT_EVERY", "25"))
LIMIT = 600
# The default number of digits depends on the load of the machine, so the test requests this number to compare bytes. For a verdict,
# digits are omitted, and the digits of a bound are those of its theorem.
DIGITS = 15


def constant(value):
    """A number of a vector in the language of constants."""
    if isinstance(value, str):
        return value
    ((name, text),) = value.items()
    return text if name == "expr" else f"{name}({text})"


def questions():
    """Return every n-th vector with its answer."""
    cases = []
    for path in sorted(pathlib.Path(DATA).glob("*.json")):
        file = json.loads(path.read_text(encoding="utf-8"))
        if file.get("format", "").startswith("dpcert-vectors/"):
            cases += [(file["quantity"], case) for case in file["cases"]]
    assert len(cases) > 5000, len(cases)
    return cases[::EVERY]


@unittest.skipUnless(PROGRAM, "DPCERT names no program")
class Bytes(unittest.TestCase):
    maxDiff = None

    def test_the_bytes_are_those_of_the_program(self):
        asked = questions()
        lines = []
        for quantity, case in asked:
            at = {name: constant(value) for name, value in case.get("at", {}).items()}
            line = {"id": case["id"], "quantity": quantity, "mechanism": case["mechanism"], "at": at, "direction": case["direction"]}
            if quantity not in ("order", "calibrate") and not case.keys() & {"limit", "theorem", "game"}:
                line["digits"] = DIGITS
            if "other" in case:
                # Of two compositions, and at no point.
                line["other"] = case["other"]["mechanism"]
                del line["at"]
            if "limit" in case:
                # If there are two bounds, the answer has both.
                theorem = {name: value for name, value in case["limit"].items() if name != "bound"}
                line.update(theorem, quantity=quantity.removeprefix("limit-"), alone=True)
            if "theorem" in case:
                theorem = case["theorem"]
                given = {name: constant(value) for name, value in theorem["given"].items()}
                line = {"id": case["id"], "quantity": quantity, "theorem": theorem["name"], "given": given}
            if "game" in case:
                line = {"id": case["id"], "quantity": quantity, **case["game"]}
                for name in ("epsilon", "delta"):
                    line[name] = [constant(value) for value in line[name]]
            lines.append(json.dumps(line))
        told = subprocess.run(
            [PROGRAM, "answer"], input="\n".join(lines), capture_output=True, text=True, check=False
        )
        told = told.stdout.splitlines()
        self.assertEqual(len(told), len(asked))
        # As lines of JSON, and as objects in sessions.
        self.assertEqual(dpcert.lines(lines), told)
        session = None
        for (quantity, case), line in zip(asked, told):
            with self.subTest(case["id"]):
                if "limit" in case:
                    self.assertNotIn("error", json.loads(line))
                    continue
                if "theorem" in case:
                    (said,) = (number for number in json.loads(line)["says"] if number["name"] == case["theorem"]["says"])
                    self.holds(case["answer"], said)
                    continue
                if "game" in case:
                    self.holds(case["answer"], json.loads(line))
                    continue
                if quantity == "order":
                    self.assertEqual(json.loads(line)["verdict"], case["answer"]["order"].replace("-", " "))
                    continue
                if quantity == "calibrate":
                    at = {name: constant(value) for name, value in case["at"].items()}
                    self.meets(case["answer"], dpcert.calibrate(case["mechanism"], direction=case["direction"], **at))
                    continue
                if session is None or str(session.mechanism) != case["mechanism"]:
                    session = dpcert.session(case["mechanism"], timeout=LIMIT)
                at = {name: constant(value) for name, value in case.get("at", {}).items()}
                answer = session.ask(quantity, digits=DIGITS, direction=case["direction"], id=case["id"], **at)
                self.assertEqual(answer.json(), line)
                self.meets(case["answer"], answer)

    def holds(self, stored, said):
        """The stored enclosure and a number as an object of JSON have the truth in common."""
        self.assertNotIn("error", said)
        self.assertLessEqual(Fraction(said["lower"]), Fraction(stored["upper_decimal"]))
        self.assertLessEqual(Fraction(stored["lower_decimal"]), Fraction(said["upper"]))

    def meets(self, stored, answer):
        """The stored enclosure and the answer have the truth in common."""
        if stored["kind"] == "infinite":
            self.assertEqual(answer.kind, "infinite")
        elif stored["kind"] == "exact":
            exact = Fraction(stored["exact"])
            self.assertTrue(answer.lower <= exact <= answer.upper)
        else:
            self.assertTrue(answer.lower <= Fraction(stored["upper_decimal"]) and Fraction(stored["lower_decimal"]) <= answer.upper)


if __name__ == "__main__":
    unittest.main()
