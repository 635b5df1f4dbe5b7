"""What every adapter here shares: read queries, run the package, write claims.

An adapter turns a query into the few lines of Python that a user of the package would
write, ending in a `print`. Those very lines are run, and are what the claim carries as
its `call`; so what a report prints is what was executed. The text ends in a `print` of
the number (or numbers) claimed:

    Program(
        "from dp_accounting.pld import privacy_loss_distribution as pld",
        "d = pld.from_gaussian_mechanism(2.0).self_compose(10)",
        "print(d.get_delta_for_epsilon(1.0))",
        kinds=("upper",),
        says="an upper bound: pessimistic_estimate=True is the default",
    )

`serve` is the loop. It never ends because of what a package does short of killing the
process: exceptions become `error` answers, and what packages print goes to standard error.

Only the standard library is used. Numbers in queries are doubles written as hex floats,
and leave as hex floats; `shown` writes them as the shortest decimals that read back as
the same doubles, so a `call` has exactly the numbers of its query.
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
    """The package does not offer what the query asks for; the text says what is missing."""


# Numbers ---------------------------------------------------------------------------


def number(text):
    """The double a query names: a hex float, `inf`, `nan`, or (for people) a decimal."""
    if isinstance(text, (int, float)):
        return float(text)
    if "0x" in text.lower():
        return float.fromhex(text)
    return float(text)


def written(value):
    """A claimed number as the protocol writes it. Text passes through unchanged."""
    if isinstance(value, str):
        return value
    if value is None:
        raise ValueError("the package returned None")
    value = float(value)  # also numpy scalars; refuses complex numbers and long arrays
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value.hex()


def shown(value):
    """A number as it stands in a program: the shortest decimal that is the same double."""
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(shown(v) for v in value) + "]"
    if isinstance(value, int):
        return repr(value)
    if math.isinf(value) or math.isnan(value):
        return f"float('{value}')"
    return repr(value)


def quotient(a, b, what):
    """a / b, when that is a double; a rounded one would be a question nobody asked."""
    if b == 0 or Fraction(a) / Fraction(b) != Fraction(a / b):
        raise Unsupported(f"takes {what}, which is not a double here")
    return a / b


def root_below(x):
    """The largest double whose square is at most x: exact when x is a double's square."""
    root = math.sqrt(x)
    while Fraction(root) ** 2 > Fraction(x):
        root = math.nextafter(root, 0.0)
    return root


def truth_probability(epsilon):
    """The smallest double p with p / (1 - p) >= e^epsilon."""
    with localcontext() as context:
        context.prec = 60
        x = Decimal(epsilon).exp()
        exact = x / (1 + x)
        p = float(exact)
        return math.nextafter(p, 2.0) if Decimal(p) < exact else p


# Queries ---------------------------------------------------------------------------


class Step:
    """One mechanism of a composition, run `times` times."""

    def __init__(self, description):
        self.name = description["mechanism"]
        self.times = int(description.get("times", 1))
        self.of = [Step(d) for d in description.get("of") or []]
        self.unknown = None  # the parameter to be found, in a calibration
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
            raise Unsupported(f"needs {key} of {self.name}")
        return self.parameters.get(key, default)

    @property
    def sensitivity(self):
        return self.parameters.get("sensitivity", 1.0)

    def whole_sensitivity(self):
        """The sensitivity of a mechanism on integers."""
        if not self.sensitivity.is_integer():
            raise Unsupported("takes whole sensitivities")
        return int(self.sensitivity)

    def plain(self, *keys):
        """Is this one run's parameters nothing but these (others at their defaults)?"""
        defaults = {"sensitivity": 1.0, "delta": 0.0, "categories": 2.0}
        return all(
            key in keys or value == defaults.get(key)
            for key, value in self.parameters.items()
        )


class Query:
    """A question, its numbers read."""

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
        """Give up unless one of these quantities is asked for, in the worst direction."""
        if self.quantity not in quantities:
            raise Unsupported(f"does not offer {self.quantity} here")
        self.needs_worst()

    def needs_positive_delta(self):
        """Give up on delta = 0, which an accountant of approximate DP does not take."""
        if self.at.get("delta", 1.0) <= 0:
            raise Unsupported("takes positive deltas")

    def needs_epsilon_from_zero(self):
        """Give up on deltas at negative epsilons."""
        if self.at.get("epsilon", 0.0) < 0:
            raise Unsupported("takes epsilons of at least 0")

    def needs_worst(self):
        if self.direction != "worst":
            raise Unsupported("does not tell the two directions apart")

    def single(self, *names):
        """The only step of the composition, which must be one of the mechanisms named."""
        if len(self.steps) != 1:
            raise Unsupported("offers this for one kind of mechanism at a time")
        return self.each(*names)[0]

    def each(self, *names):
        """All steps, each of which must be one of the mechanisms named."""
        for step in self.steps:
            if step.name not in names:
                raise Unsupported(f"does not offer {step.name} here")
        return self.steps

    def once(self, *names):
        """The only mechanism, run once."""
        step = self.single(*names)
        if step.times != 1:
            raise Unsupported("offers this for a single run")
        return step

    def noise_multiplier(self):
        """The rate and the number of steps of a training whose noise multiplier is asked for."""
        self.needs("noise")
        step = self.single("poisson", "gaussian")
        inner = self.inner(step, "gaussian") if step.name == "poisson" else step
        if inner.unknown != "sigma" or inner.sensitivity != 1:
            raise Unsupported("calibrates the noise multiplier")
        return (step.get("rate") if step.name == "poisson" else 1.0), step.times

    def inner(self, step, *names):
        """The one mechanism inside a Poisson sample, run once on it."""
        if len(step.of) != 1 or step.of[0].times != 1 or step.of[0].name not in names:
            raise Unsupported("does not offer this mechanism on a sample")
        return step.of[0]


# Programs --------------------------------------------------------------------------


class Program:
    """Lines of Python that end in a print, what kinds of claim they print, and the source of that.

    `kinds` names the printed numbers in order: "upper", "lower" or "estimate". `written`
    may turn a printed value into text with more digits than a double has.
    """

    def __init__(self, *lines, kinds, says, written=written):
        self.text = "\n".join(lines)
        self.kinds = (kinds,) if isinstance(kinds, str) else tuple(kinds)
        self.says = says
        self.written = written

    def run(self):
        """The printed values, and the seconds the lines took, imports apart."""
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
    """What the lines before the print have made, kept for the next question about the same.

    Questions come in rows: one composition, many epsilons. Composing anew for each of them
    would be most of the time of an audit. The seconds of a claim are those of all its lines.
    """

    last = None

    def __init__(self, lines):
        self.lines, self.names, self.seconds = lines, {"__name__": "__main__"}, 0.0

    @classmethod
    def by(cls, program, body):
        lines = ast.dump(ast.Module(body=body, type_ignores=[]))
        if cls.last is not None and cls.last.lines == lines:
            return cls.last
        cls.last = None  # what it holds may be large
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

#: Variables of the environment that begin so choose arguments of the package that is audited.
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
    """A positive number."""
    return shown(_numbers([text], 0, "a positive number is wanted")[0])


def flag(text):
    if text not in ("True", "False"):
        raise ValueError(f"True or False is wanted, not {text!r}")
    return text


def orders(text):
    """Orders of Renyi divergences."""
    return shown(_numbers(text.split(","), 1, "orders above 1 are wanted, with commas between them"))


class Settings:
    """Arguments of a package that whoever audits it may choose, by variables of the environment.

    `offered` has those of each api, by the names that the package has for them, each with a function that makes an expression
    of a text, or raises a ValueError. `DPCERT_SETTING_EPS_ERROR=0.01` chooses `eps_error`. What was chosen stands in the
    calls, which so reproduce what was asked, and beside the version with which the adapter introduces itself. A question that
    it says nothing about is unsupported: its answer would be that of another audit.
    """

    def __init__(self, **offered):
        self.offered = {name.replace("_", "-"): arguments for name, arguments in offered.items()}
        self.chosen = {}
        self._used = set()

    def read(self, api, environment):
        """What was chosen for this api; a ValueError says what is wrong with it."""
        offered = self.offered.get(api, {})
        self.chosen = {}
        for variable, text in sorted(environment.items()):
            if not variable.startswith(SETTING):
                continue
            name = variable[len(SETTING):].lower()
            if name not in offered:
                known = ", ".join(SETTING + argument.upper() for argument in offered) or "none"
                raise ValueError(f"{variable}: {api} has no such setting; it has {known}")
            try:
                self.chosen[name] = offered[name](text)
            except ValueError as fault:
                raise ValueError(f"{variable}: {fault}") from None

    def get(self, name, otherwise):
        """The expression of one argument."""
        self._used.add(name)
        return self.chosen.get(name, otherwise)

    def arguments(self, *names):
        """Those of these arguments that were chosen, to stand after others."""
        return "".join(f", {name}={self.chosen[name]}" for name in names if self.get(name, None) is not None)

    def kept_by(self, api):
        """The api, which gives up on what it asks without a setting that was chosen."""

        def kept(query):
            self._used = set()
            program = api(query)
            idle = sorted(set(self.chosen) - self._used)
            if idle:
                raise Unsupported(f"does not take {' or '.join(idle)} here")
            return program

        return kept

    def __str__(self):
        return "".join(f", {name}={value}" for name, value in self.chosen.items())


# The loop --------------------------------------------------------------------------


def answer(line, api):
    """The claim about one line of input, as a dictionary."""
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
    except BaseException as fault:  # a package may well call sys.exit or run out of memory
        text = f"{type(fault).__name__}: {fault}".strip()
        told = {"id": identity, "error": " ".join(text.split())[:2000]}
        if program is not None:
            told["call"] = program.text
            told["says"] = program.says
            if hasattr(program, "started"):
                told["seconds"] = time.perf_counter() - program.started
        return told


def private_stdout():
    """A stream to standard output for us alone; all other printing goes to standard error."""
    ours = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    sys.stdout.flush()
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return ours


def load(modules):
    """Import what the calls will import. One that cannot be is told by the claims that need it."""
    for module in modules:
        try:
            importlib.import_module(module)
        except KeyboardInterrupt:
            raise
        except BaseException as fault:
            print(f"{module} cannot be imported: {type(fault).__name__}: {fault}", file=sys.stderr)


def serve(package, apis, documentation, modules=(), arguments=None, settings=None):
    """Speak the protocol. `apis` maps a name to a function from a Query to a Program; `settings` are what may be chosen.

    The `modules` are loaded before the adapter introduces itself: the time to load counts
    until then, and after it the time for an answer alone.
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
    """The installed version, asked when run."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
