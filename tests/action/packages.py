"""Test the action on a real package, released and from a reference. Installs from the network; run by scripts/audit_test.sh."""

import unittest
from pathlib import Path

from workflow import Workflow


class Packages(Workflow):
    QUESTIONS = {"only": "gaussian-delta-000", "every": "4"}

    def test_a_released_package(self):
        run = self.run_action(package="dp-accounting:closed-form", **self.QUESTIONS)
        self.assertEqual(run.codes["Audit"], 0, run.said)
        self.assertIn("| dp-accounting 0.6.0 closed-form |", run.summary)

    def test_a_reference(self):
        run = self.run_action(package="dp-accounting:closed-form", reference="dp-accounting==0.5.0", **self.QUESTIONS)
        self.assertEqual(run.codes["Audit"], 0, run.said)
        self.assertIn("| dp-accounting 0.5.0 closed-form |", run.summary)
        self.assertEqual([page.name for page in Path(run.outputs["report"]).iterdir()], ["closed-form.html"])
        self.assertEqual(self.forge.comments[0]["body"].split("\n", 1)[1], run.summary)


if __name__ == "__main__":
    unittest.main()
