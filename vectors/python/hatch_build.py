"""Build hook: copies the vectors, the catalogue and the licences from the folders above into wheels and source archives."""

from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "dpcert_vectors"


class Vectors(BuildHookInterface):
    def initialize(self, version, build_data):
        root = Path(self.root)
        # An editable install reads ../data; a source archive already has all files in the package.
        if version == "editable" or (root / "src" / PACKAGE / "data").is_dir():
            return
        package = PACKAGE if self.target_name == "wheel" else f"src/{PACKAGE}"
        wanted = {
            root / "../data": "data",
            root / "../catalogue.json": "catalogue.json",
            root / "../LICENSE-CC0": "licenses/LICENSE-CC0",
            root / "../../LICENSE-APACHE": "licenses/LICENSE-APACHE",
            root / "../../LICENSE-MIT": "licenses/LICENSE-MIT",
        }
        for source, target in wanted.items():
            if not source.exists():
                raise FileNotFoundError(f"{source.resolve()} is missing: build from a checkout or from a source archive")
            build_data["force_include"][str(source.resolve())] = f"{package}/{target}"
