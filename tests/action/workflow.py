"""A workflow that uses the action, with the built program, a simulated forge and temporary folders."""

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from forge import Forge  # noqa: E402
from runner import ROOT, Run  # noqa: E402

TARGET = ROOT / os.environ.get("CARGO_TARGET_DIR", "target")
DPCERT = TARGET / os.environ.get("PROFILE", "release") / "dpcert"
TOKEN = "the token of the workflow"
EVENT = {"pull_request": {"number": 7}}


class Workflow(unittest.TestCase):
    def setUp(self):
        # The path contains a blank, as paths of self-hosted runners may.
        self.temp = Path(tempfile.mkdtemp(prefix="a runner's "))
        self.addCleanup(shutil.rmtree, self.temp)
        self.forge = self.stand_in()
        binary = self.temp / "dpcert/bin/dpcert"
        binary.parent.mkdir(parents=True)
        binary.symlink_to(DPCERT)
        # actions/setup-python provides `python`.
        self.tools = self.temp / "tools"
        self.tools.mkdir()
        (self.tools / "python").symlink_to(shutil.which("python3"))

    def stand_in(self, **more):
        forge = Forge(TOKEN, **more)
        self.addCleanup(forge.close)
        return forge

    def run_action(self, event=EVENT, **inputs):
        environment = {
            "GITHUB_API_URL": self.forge.address,
            "PATH": f"{self.tools}:{os.environ['PATH']}",
            "XDG_CACHE_HOME": str(self.temp / "cache"),
        }
        return Run(self.temp, {name.replace("_", "-"): value for name, value in inputs.items()}, event, environment)
