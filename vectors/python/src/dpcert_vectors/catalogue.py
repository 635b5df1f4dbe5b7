"""The catalogue of mechanisms and quantities, from ``catalogue.json``, which ``dpcert`` generates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Tuple


def _read() -> Dict[str, Any]:
    """Read the catalogue of the installed package or of the checkout."""
    here = Path(__file__).resolve().parent
    for folder in (here, *here.parents[2:3]):
        if (folder / "catalogue.json").is_file():
            return json.loads((folder / "catalogue.json").read_text(encoding="utf-8"))
    raise ImportError(f"{here}: catalogue.json is missing: install the package, or use a checkout")


_CATALOGUE = _read()
#: Each mechanism by name, with its parameters in order.
MECHANISMS: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _CATALOGUE["mechanisms"]}
#: Each quantity by name.
_QUANTITIES: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _CATALOGUE["quantities"]}
_SIGN = {"grows": +1, "falls": -1, "unknown": 0}

QUANTITIES = tuple(_QUANTITIES)
#: Coordinate of the point of each quantity; quantities without a point are omitted.
COORDINATE: Dict[str, str] = {name: entry["coordinate"] for name, entry in _QUANTITIES.items() if "coordinate" in entry}
#: Coordinates of quantities with more than one: the sets of names that belong together.
POINTS: Dict[str, Tuple[Tuple[str, ...], ...]] = {
    name: tuple(map(tuple, entry["points"])) for name, entry in _QUANTITIES.items() if "points" in entry
}
#: Quantities that are at most 1.
PROBABILITIES = frozenset(name for name, entry in _QUANTITIES.items() if entry["probability"])
#: Quantities that may be negative.
SIGNED = frozenset(name for name, entry in _QUANTITIES.items() if entry.get("signed"))
#: Monotonicity of a quantity in the privacy loss: +1 increasing, -1 decreasing, 0 unknown.
WITH_LOSS: Dict[str, int] = {name: _SIGN[entry["loss"]] for name, entry in _QUANTITIES.items()}
#: Monotonicity of a quantity in the coordinate of its point.
WITH_POINT: Dict[str, int] = {name: _SIGN[entry["along"]] for name, entry in _QUANTITIES.items() if "along" in entry}


def defaults(mechanism: str) -> Dict[str, float]:
    """Return the default values of the parameters that a vector may omit."""
    parameters = MECHANISMS.get(mechanism, {}).get("parameters", ())
    return {entry["name"]: float(entry["default"]) for entry in parameters if "default" in entry}


def grows(mechanism: str, parameter: str) -> int:
    """Return +1 if the privacy loss increases with the parameter, -1 if it decreases, 0 if this is unknown."""
    for entry in MECHANISMS.get(mechanism, {}).get("parameters", ()):
        if entry["name"] == parameter:
            return _SIGN[entry["loss"]]
    return 0
