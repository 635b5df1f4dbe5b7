"""Which mechanisms and quantities there are: ``catalogue.json``, which ``dpcert`` writes from its own catalogue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Dict, Tuple


def _read() -> Dict[str, Any]:
    """From the installed package, or from beside it in a checkout."""
    here = Path(__file__).resolve().parent
    for folder in (here, *here.parents[2:3]):
        if (folder / "catalogue.json").is_file():
            return json.loads((folder / "catalogue.json").read_text(encoding="utf-8"))
    raise ImportError(f"{here}: catalogue.json is missing, neither installed nor in a checkout")


_CATALOGUE = _read()
#: Each mechanism by name, with its parameters in order.
MECHANISMS: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _CATALOGUE["mechanisms"]}
#: Each quantity by name.
_QUANTITIES: Dict[str, Dict[str, Any]] = {entry["name"]: entry for entry in _CATALOGUE["quantities"]}
_SIGN = {"grows": +1, "falls": -1, "unknown": 0}

QUANTITIES = tuple(_QUANTITIES)
#: Where each quantity is asked for; the others are numbers rather than curves.
COORDINATE: Dict[str, str] = {name: entry["coordinate"] for name, entry in _QUANTITIES.items() if "coordinate" in entry}
#: Where those are asked for that have more than one coordinate: the names that belong together.
POINTS: Dict[str, Tuple[Tuple[str, ...], ...]] = {
    name: tuple(map(tuple, entry["points"])) for name, entry in _QUANTITIES.items() if "points" in entry
}
#: What is never above 1.
PROBABILITIES = frozenset(name for name, entry in _QUANTITIES.items() if entry["probability"])
#: What may be below 0; all else never is.
SIGNED = frozenset(name for name, entry in _QUANTITIES.items() if entry.get("signed"))
#: To which side a quantity grows with the privacy loss, and with the point at which it is asked for.
WITH_LOSS: Dict[str, int] = {name: _SIGN[entry["loss"]] for name, entry in _QUANTITIES.items()}
WITH_POINT: Dict[str, int] = {name: _SIGN[entry["along"]] for name, entry in _QUANTITIES.items() if "along" in entry}


def defaults(mechanism: str) -> Dict[str, float]:
    """The parameters that a vector may leave out, and what they then are."""
    parameters = MECHANISMS.get(mechanism, {}).get("parameters", ())
    return {entry["name"]: float(entry["default"]) for entry in parameters if "default" in entry}


def grows(mechanism: str, parameter: str) -> int:
    """To which side the privacy loss grows with a parameter; 0 where nothing is assumed."""
    for entry in MECHANISMS.get(mechanism, {}).get("parameters", ()):
        if entry["name"] == parameter:
            return _SIGN[entry["loss"]]
    return 0
