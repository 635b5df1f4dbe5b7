"""Shared module of the adapters: read queries, run the package, write claims.

An adapter turns a query into the few lines of Python that a user of the package would
write, ending in a `print` of the claimed number (or numbers). It runs exactly these lines,
and sends them as the `call` of the claim, so a report shows the code that was executed:

    Program(
        "from dp_accounting.pld import privacy_loss_distribution as pld",
        "d = pld.from_gaussian_mechanism(2.0).self_compose(10)",
        "print(d.get_delta_for_epsilon(1.0))",
        kinds=("upper",),
        says="an upper bound: pessimistic_estimate=True is the default",
    )

`serve` is the main loop. It continues whatever a package does, unless the process is killed:
exceptions become `error` answers, and output of the package goes to standard error.

Only the standard library is used. Numbers in queries and claims are doubles, written as hex
floats. `shown` writes them as the shortest decimals that read back as the same doubles, so a
`call` has exactly the numbers of its query.
"""

import ast
import importlib
import importlib.metadata
import json
import math
import os
import sys
import time
from decimal import Decimal, localcontext
from fractions import Fraction


class Unsupported(Exception):
    """The package does not support the query; the message states what is missing."""


# Numbers ---------------------------------------------------------------------------


def number(text):
    """Return the double of a hex float, `inf`, `nan`, or a decimal."""
    if isinstance(text, (int, float)):
        return float(text)
    if "0x" in text.lower():
        return float.fromhex(text)
    return float(text)


def written(value):
    """Return a claimed number in the format of the protocol. A string is returned unchanged."""
    if isinstance(value, str):
        return value
    if value is None:
        raise ValueError("the package returned None")
    value = float(value)  # also numpy scalars; raises for complex numbers and long arrays
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value.hex()


def shown(value):
    """Return a number as Python code: the shortest decimal that is the same double."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(v) for v in value) + "]"
    if isinstance(value, int):
        return repr(value)
    if math.isinf(value) or math.isnan(value):
        return f"float('{value}')"
    return repr(value)


def quotient(a, b, what):
    """Return a / b if it is exactly a double; rounding would change the query."""
    if b == 0 or Fraction(a) / Fraction(b) != Fraction(a / b):
        raise Unsupported(f"requires {what}, which is not a double here")
    return a / b


def root_below(x):
    """Return the largest double whose square is at most x; exact if x is the square of a double."""
    root = math.sqrt(x)
    while Fraction(root) ** 2 > Fraction(x):
        root = math.nextafter(root, 0.0)
    return root


def truth_probability(epsilon):
    """Return the smallest double p with p / (1 - p) >= e^epsilon."""
    with localcontext() as context:
        context.prec = 60
        x = Decimal(epsilon).exp()
        exact = x / (1 + x)
        p = float(exact)
        return math.nextafter(p, 2.0) if Decimal(p) < exact else p


# Queries ---------------------------------------------------------------------------


class Step:
    """One mechanism of a composition, which runs `times` times."""

    def __init__(self, description):
        self.name = description["mechanism"]
        self.times = int(description.get("times", 1))
        self.of = [Step(d) for d in description.get("of") or []]
        self.unknown = None  # the parameter to find, in a calibration
        self.parameters = {}
        for key, text in (description.get("parameters") or {}).items():
            if text is None:
                self.unknown = key
            elif isinstance(text, list):
                self.parameters[key] = [number(t) for t in text]
            else:
                self.parameters[key] = number(text)

    def get(self, key, default=None):
        if key not in self.parameters and default is None:
            raise Unsupported(f"requires {key} of {self.name}")
        return self.parameters.get(key, default)

    @property
    def sensitivity(self):
        return self.parameters.get("sensitivity", 1.0)

    def whole_sensitivity(self):
        """Return the sensitivity of a mechanism on integers."""
        if not self.sensitivity.is_integer():
            raise Unsupported("requires an integer sensitivity")
        return int(self.sensitivity)

    def plain(self, *keys):
        """Return whether all parameters except these have their defaults."""
        defaults = {"sensitivity": 1.0, "delta": 0.0, "categories": 2.0}
        return all(
            key in keys or value == defaults.get(key)
            for key, value in self.parameters.items()
        )


class Query:
    """A query with parsed numbers."""

    def __init__(self, description):
        self.id = description["id"]
        self.quantity = description["quantity"]
        self.direction = description.get("direction", "worst")
        self.at = {key: number(text) for key, text in description.get("at", {}).items()}
        self.steps = [Step(d) for d in description["parameters"]]

    @property
    def epsilon(self):
        return self.at["epsilon"]

    @property
    def delta(self):
        return self.at["delta"]

    @property
    def alpha(self):
        return self.at["alpha"]

    @property
    def order(self):
        return self.at["order"]

    def needs(self, *quantities):
        """Raise Unsupported unless the quantity is one of these, in the worst direction."""
        if self.quantity not in quantities:
            raise Unsupported(f"does not support {self.quantity} here")
        self.needs_worst()

    def needs_positive_delta(self):
        """Raise Unsupported for delta = 0, which an accountant of approximate DP does not support."""
        if self.at.get("delta", 1.0) <= 0:
            raise Unsupported("requires a positive delta")

    def needs_epsilon_from_zero(self):
        """Raise Unsupported for deltas at negative epsilons."""
        if self.at.get("epsilon", 0.0) < 0:
            raise Unsupported("requires an epsilon of at least 0")

    def needs_worst(self):
        if self.direction != "worst":
            raise Unsupported("does not distinguish the two directions")

    def single(self, *names):
        """Return the only step of the composition; its mechanism must be one of these."""
        if len(self.steps) != 1:
            raise Unsupported("supports this only for one mechanism")
        return self.each(*names)[0]

    def each(self, *names):
        """Return all steps; their mechanisms must be among these."""
        for step in self.steps:
            if step.name not in names:
                raise Unsupported(f"does not support {step.name} here")
        return self.steps

    def once(self, *names):
        """Return the only step, which must run once."""
        step = self.single(*names)
        if step.times != 1:
            raise Unsupported("supports this only for a single run")
        return step

    def noise_multiplier(self):
        """Return the rate and the number of steps of a training run whose noise multiplier is to be found."""
        self.needs("noise")
        step = self.single("poisson", "gaussian")
        inner = self.inner(step, "gaussian") if step.name == "poisson" else step
        if inner.unknown != "sigma" or inner.sensitivity != 1:
            raise Unsupported("calibrates only the noise multiplier")
        return (step.get("rate") if step.name == "poisson" else 1.0), step.times

    def inner(self, step, *names):
        """Return the mechanism inside a Poisson sample, which must run once."""
        if len(step.of) != 1 or step.of[0].times != 1 or step.of[0].name not in names:
            raise Unsupported("does not support this mechanism on a sample")
        return step.of[0]


# Programs --------------------------------------------------------------------------


class Program:
    """Lines of Python that end in a print, the kinds of the printed claims, and their source.

    `kinds` names the printed numbers in order: "upper", "lower" or "estimate". `written`
    may convert a printed value to a string with more digits than a double.
    """

    def __init__(self, *lines, kinds, says, written=written):
        self.text = "\n".join(lines)
        self.kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        self.says = says
        self.written = written

    def run(self):
        """Return the printed values, and measure the time of the lines without imports."""
        tree = ast.parse(self.text)
        *body, last = tree.body
        if not (
            isinstance(last, ast.Expr)
            and isinstance(last.value, ast.Call)
            and getattr(last.value.func, "id", None) == "print"
        ):
            raise AssertionError("a program must end in a print")
        printed = ast.Tuple(elts=last.value.args, ctx=ast.Load())
        answer = ast.Assign(targets=[ast.Name(id="_printed", ctx=ast.Store())], value=printed)
        code = _compiled([ast.copy_location(answer, last)])
        made = Made.by(self, body)
        self.started = time.perf_counter() - made.seconds
        exec(code, made.names)
        self.seconds = time.perf_counter() - self.started
        return made.names["_printed"]

    def claim(self):
        values = self.run()
        claim = {kind: self.written(v) for kind, v in zip(self.kinds, values, strict=True)}
        return {**claim, "call": self.text, "says": self.says, "seconds": self.seconds}


class Made:
    """The cached results of the lines before the print.

    Consecutive queries often use one composition at many points, and composing again for each
    would dominate the time of an audit. The seconds of a claim are those of all its lines.
    """

    last = None

    def __init__(self, lines):
        self.lines, self.names, self.seconds = lines, {"__name__": "__main__"}, 0.0

    @classmethod
    def by(cls, program, body):
        lines = ast.dump(ast.Module(body=body, type_ignores=[]))
        if cls.last is not None and cls.last.lines == lines:
            return cls.last
        cls.last = None  # its contents may be large
        made = cls(lines)
        imports = [n for n in body if isinstance(n, (ast.Import, ast.ImportFrom))]
        work = [n for n in body if not isinstance(n, (ast.Import, ast.ImportFrom))]
        exec(_compiled(imports), made.names)
        code = _compiled(work)
        program.started = time.perf_counter()
        exec(code, made.names)
        made.seconds = time.perf_counter() - program.started
        cls.last = made
        return made


def _compiled(nodes):
    return compile(ast.fix_missing_locations(ast.Module(body=nodes, type_ignores=[])), "<call>", "exec")


# Settings --------------------------------------------------------------------------

#: Prefix of environment variables that set arguments of the audited package.
SETTING = "DPCERT_SETTING_"


def _numbers(texts, above, wanted):
    try:
        values = [float(text) for text in texts]
    except ValueError:
        values = [math.nan]
    if not all(above < value < math.inf for value in values):
        raise ValueError(f"{wanted}, not {','.join(texts)!r}")
    return values


def positive(text):
    """Return a positive number."""
    return shown(_numbers([text], 0, "expected a positive number")[0])


def flag(text):
    if text not in ("True", "False"):
        raise ValueError(f"expected True or False, not {text!r}")
    return text


def orders(text):
    """Return orders of Renyi divergences."""
    return shown(_numbers(text.split(","), 1, "expected orders above 1, separated by commas"))


class Settings:
    """Arguments of a package that environment variables set.

    `offered` has the arguments of each api by their names in the package, each with a function that converts a string to an
    expression or raises a ValueError. `DPCERT_SETTING_EPS_ERROR=0.01` sets `eps_error`. The calls contain the settings, and so
    does the version of the adapter. A query that a setting does not apply to is unsupported, because its answer would be
    that of an audit without the setting.
    """

    def __init__(self, **offered):
        self.offered = {name.replace("_", "-"): arguments for name, arguments in offered.items()}
        self.chosen = {}
        self._used = set()

    def read(self, api, environment):
        """Read the settings of this api; raise a ValueError if one is invalid."""
        offered = self.offered.get(api, {})
        self.chosen = {}
        for variable, text in sorted(environment.items()):
            if not variable.startswith(SETTING):
                continue
            name = variable[len(SETTING):].lower()
            if name not in offered:
                known = ", ".join(SETTING + argument.upper() for argument in offered) or "none"
                raise ValueError(f"{variable}: {api} has no such setting; its settings are {known}")
            try:
                self.chosen[name] = offered[name](text)
            except ValueError as fault:
                raise ValueError(f"{variable}: {fault}") from None

    def get(self, name, otherwise):
        """Return the expression of one argument."""
        self._used.add(name)
        return self.chosen.get(name, otherwise)

    def arguments(self, *names):
        """Return the arguments that were set, as code to append to other arguments."""
        return "".join(f", {name}={self.chosen[name]}" for name in names if self.get(name, None) is not None)

    def kept_by(self, api):
        """Return the api, which raises Unsupported for a query that does not use all settings."""

        def kept(query):
            self._used = set()
            program = api(query)
            idle = sorted(set(self.chosen) - self._used)
            if idle:
                raise Unsupported(f"does not accept {' or '.join(idle)} here")
            return program

        return kept

    def __str__(self):
        return "".join(f", {name}={value}" for name, value in self.chosen.items())


# The loop --------------------------------------------------------------------------


def answer(line, api):
    """Return the claim for one line of input, as a dictionary."""
    identity, program = None, None
    try:
        description = json.loads(line)
        identity = description.get("id")
        program = api(Query(description))
        return {"id": identity, **program.claim()}
    except Unsupported as missing:
        return {"id": identity, "unsupported": True, "says": str(missing)}
    except KeyboardInterrupt:
        raise
    except BaseException as fault:  # a package may call sys.exit or run out of memory
        text = f"{type(fault).__name__}: {fault}".strip()
        told = {"id": identity, "error": " ".join(text.split())[:2000]}
        if program is not None:
            told["call"] = program.text
            told["says"] = program.says
            if hasattr(program, "started"):
                told["seconds"] = time.perf_counter() - program.started
        return told


def private_stdout():
    """Return a private stream to standard output; all other output goes to standard error."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return ours


def load(modules):
    """Import the modules of the calls. If an import fails, the claims that need it report the error."""
    for module in modules:
        try:
            importlib.import_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            print(f"{module} cannot be imported: {type(fault).__name__}: {fault}", file=sys.stderr)


def serve(package, apis, documentation, modules=(), arguments=None, settings=None):
    """Run the protocol. `apis` maps a name to a function from a Query to a Program.

    The `modules` are loaded before the first line is sent: until then the start time counts, and
    after it only the time for an answer.
    """
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or arguments[0] not in apis:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} {'|'.join(apis)}")
    name = arguments[0]
    settings = settings or Settings()
    try:
        settings.read(name, os.environ)
    except ValueError as fault:
        sys.exit(str(fault))
    api = settings.kept_by(apis[name])
    out = private_stdout()

    def say(message):
        out.write(json.dumps(message) + "\n")
        out.flush()

    load(modules)
    say({
        "adapter": {
            "name": package,
            "version": f"{version(package)}{settings}",
            "api": name,
            "language": "python",
            "documentation": documentation,
        }
    })
    for line in sys.stdin:
        if line.strip():
            say(answer(line, api))


def version(package):
    """Return the installed version."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
