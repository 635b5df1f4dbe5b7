"""Test the action: run the steps of `action.yml` with a small accountant, the built program and a simulated forge."""

import json
import shlex
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from runner import ROOT, Expression  # noqa: E402
from workflow import DPCERT, EVENT, Workflow  # noqa: E402


class Action(Workflow):
    def setUp(self):
        super().setUp()
        text = subprocess.run([DPCERT, "audit", "--protocol", "minimal.py"], check=True, capture_output=True, text=True).stdout
        self.accountant = self.temp / "accountant.py"
        # Its claims of a delta are half of the true values.
        self.accountant.write_text(text.replace('"estimate": claim.hex()', '"upper": (claim / 2).hex()'))
        self.assertNotEqual(self.accountant.read_text(), text)

    def audit(self, event=EVENT, **inputs):
        given = {"adapter": f"python3 {shlex.quote(str(self.accountant))}", "only": "gaussian-delta-000"} | inputs
        return self.run_action(event, **given)

    def test_an_accountant_is_audited_and_the_table_is_commented(self):
        run = self.audit()
        self.assertEqual(run.used, ["actions/setup-python@v5", "actions/cache@v4"])
        judged = [json.loads(line) for line in Path(run.outputs["judged"]).read_text().splitlines()]
        unsound = [one for one in judged if one.get("verdict") == "unsound" and one["size"] not in ("rounding", "negligible")]
        self.assertGreater(len(unsound), 3)
        self.assertEqual(run.outputs["unsound"], str(len(unsound)), run.said)
        # The step fails as the audit does, and the later steps still run.
        self.assertEqual(run.codes, {"Build dpcert if not cached": 0, "Audit": 1, "Comment": 0}, run.said)
        pages = list(Path(run.outputs["report"]).iterdir())
        self.assertEqual([page.name for page in pages], ["adapter.html"])
        self.assertIn("<!doctype html>", pages[0].read_text().lower())
        self.assertEqual(len(self.forge.comments), 1)
        body = self.forge.comments[0]["body"]
        self.assertEqual(body.split("\n", 1)[1], run.summary)
        self.assertIn(f"{len(unsound)} unsound claims", body)

    def test_a_later_run_updates_its_comment(self):
        others = [self.forge.add("somebody", "I like it")["id"] for _ in range(3)]
        first = self.audit()
        # A user quotes the comment, and another accountant is audited.
        quoted = self.forge.add("somebody", self.forge.comments[3]["body"])["body"]
        self.audit(adapter=f"python3 {shlex.quote(str(self.accountant))} # another")
        self.assertEqual(len(self.forge.comments), 6)
        second = self.audit(every="2")
        self.assertNotEqual(first.summary, second.summary)
        self.assertEqual(len(self.forge.comments), 6, self.forge.asked)
        self.assertIn(second.summary.removeprefix(first.summary)[-200:], self.forge.comments[3]["body"])
        self.assertEqual(self.forge.comments[4]["body"], quoted)
        self.assertEqual([one["id"] for one in self.forge.comments[:3]], others)
        self.assertEqual({one["body"] for one in self.forge.comments[:3]}, {"I like it"})

    def test_a_personal_token_updates_the_comment_of_its_user(self):
        self.forge = self.stand_in(login="somebody")
        self.audit()
        self.audit()
        self.assertEqual([one["user"]["login"] for one in self.forge.comments], ["somebody"])

    def test_a_token_without_permission_warns_and_does_not_fail(self):
        self.forge = self.stand_in(status=403)
        run = self.audit(every="1000")
        self.assertEqual(set(run.codes.values()), {0}, run.said)
        self.assertIn("::warning::the token has no permission to comment on pull request 7", run.said)
        self.forge = self.stand_in(status=500)
        run = self.audit(every="1000")
        self.assertEqual(run.codes["Comment"], 1)
        self.assertNotIn("Traceback", run.said)

    def test_without_a_pull_request_there_is_no_comment(self):
        for event, comment in [({}, "true"), (EVENT, "false")]:
            run = self.audit(event=event, comment=comment, every="1000")
            self.assertNotIn("Comment", run.codes)
            self.assertIn("Privacy audit", run.summary)
        self.assertEqual(self.forge.asked, [])

    def test_a_failed_audit_has_no_table(self):
        for wrong in [{"every": "0"}, {"every": "$(touch hacked)"}, {"fail_on": "sometimes"}, {"adapter": ""}, {"baseline": "nowhere.jsonl"},
                      {"adapter": "", "package": "--list"}, {"adapter": "", "package": "nobody"}]:
            run = self.audit(**wrong)
            self.assertNotEqual(run.codes["Audit"], 0, wrong)
            self.assertEqual(run.codes["Comment"], 0, run.said)
            self.assertNotIn("Traceback", run.said)
            self.assertEqual((run.summary, run.outputs["unsound"]), ("", ""), wrong)
        self.assertEqual(self.forge.comments, [])
        self.assertFalse((self.temp / "hacked").exists())

    def test_results_in_the_baseline_do_not_fail(self):
        first = self.audit(fail_on="failed")
        again = self.audit(fail_on="failed", baseline=first.outputs["judged"])
        self.assertEqual(again.codes["Audit"], 0, again.said)
        self.assertNotEqual(first.outputs["judged"], again.outputs["judged"])

    def test_the_program_is_built_once(self):
        """A simulated cargo records its arguments and installs a link to the program."""
        shutil.rmtree(self.temp / "dpcert")
        (self.tools / "cargo").write_text(
            f'#!/bin/sh\necho "$@" >>{shlex.quote(str(self.temp / "told"))}\n'
            f'while [ "$1" != --root ]; do shift; done\nmkdir -p "$2/bin" && ln -s {shlex.quote(str(DPCERT))} "$2/bin/dpcert"\n')
        (self.tools / "cargo").chmod(0o755)
        (self.tools / "m4").symlink_to("/bin/true")
        for _ in range(2):
            run = self.audit(event={}, every="1000")
            self.assertEqual(set(run.codes.values()), {0}, run.said)
        self.assertEqual((self.temp / "told").read_text(), f"install --quiet --locked --path {ROOT} --root {self.temp}/dpcert\n")


class Expressions(unittest.TestCase):
    def test_follow_the_syntax_of_workflows(self):
        values = {"inputs": {"comment": "true", "empty": ""}, "github": {"event": {}}}
        for text, value in [
            ("inputs.comment == 'true' && github.event.pull_request.number", None),
            ("inputs.empty || inputs.comment", "true"),
            ("!(inputs.comment != 'true') && 'it''s'", "it's"),
            ("always() && success()", True),
        ]:
            self.assertEqual(Expression(text, values).value(), value, text)
        for wrong in ["inputs.comment ==", "a ? b", "nothing.known"]:
            with self.assertRaises((ValueError, KeyError, IndexError)):
                Expression(wrong, values).value()


if __name__ == "__main__":
    unittest.main()
