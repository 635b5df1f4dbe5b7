"""The plugin, seen as its user sees it: whole test runs over a handful of vectors."""

import json

import pytest

# An accountant that knows the truth: the tightest double above the stored answer.
TRUTHFUL = """
import pytest

@pytest.mark.dpcert(file="kov-delta", id="kov-delta-010?")
def test_it(dpcert_query):
    dpcert_query.upper(dpcert_query.case.answer.f64_upper)
"""


def run(pytester, source, *arguments):
    pytester.makepyfile(source)
    return pytester.runpytest("-p", "no:cacheprovider", "-rs", *arguments)


def cases(body, marker='id="kov-delta-010[5-8]"'):
    lines = "\n".join("    " + line for line in body.strip().splitlines())
    return f"import math, time\nimport pytest\n\n@pytest.mark.dpcert({marker})\ndef test_it(dpcert_query):\n{lines}\n"


def test_one_test_for_each_vector_named_by_its_id(pytester):
    result = run(pytester, TRUTHFUL, "-v")
    result.assert_outcomes(passed=10)
    result.stdout.fnmatch_lines(["*::test_it?kov-delta-0100? PASSED*", "*::test_it?kov-delta-0109? PASSED*"])
    result.stdout.fnmatch_lines(["*claims about dpcert vectors: 10 sound*"])


def test_an_unsound_claim_fails_and_says_why(pytester):
    result = run(pytester, cases("dpcert_query.upper(0.0)", 'id="kov-epsilon-0084"'))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "kov-epsilon-0084: the upper bound is UNSOUND: below the truth",
            "  query * epsilon of approx-dp(*)^1100 at delta = *",
            "  claim * epsilon <= 0  (0x0.0p+0)",
            "  truth * in [[]2.05652187043267423*e1, 2.05652187043267423*e1]",
            "  ratio * claim / truth = 0, short of the truth by 1 of it",
            "  distance * epsilon is 20.6 too small; to compute the true delta at this epsilon:",
            "  * dpcert delta 'approx-dp(delta=0, epsilon=f64:0x1.*p-*)^1100' --epsilon f64:0x0.0p+0",
            "  unread * the function did not read approx-dp epsilon=0.1*",
            "*claims about dpcert vectors: 1 unsound*",
        ]
    )
    # The report stands alone: no traceback through the plugin.
    assert "plugin.py" not in result.stdout.str()


def test_one_unit_in_the_last_place_too_low_is_unsound(pytester):
    body = "dpcert_query.upper(math.nextafter(dpcert_query.case.answer.f64_lower, 0))"
    result = run(pytester, cases(body, 'id="kov-delta-0105"'))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  ratio * claim / truth = 0.999999999999999*, short of the truth by *e-16 of it"])


@pytest.mark.parametrize(
    "body, reason",
    [
        ("dpcert_query.upper(math.nan)", "FAILED: nan"),
        ("dpcert_query.upper(-1e-9)", "FAILED: negative"),
        ("dpcert_query.upper(1.0000000000000002)", "FAILED: above one"),
        ("dpcert_query.upper(float('inf'))", "FAILED: above one"),
        ("dpcert_query.lower(1.0)", "the lower bound is UNSOUND: above the truth"),
        ("dpcert_query.estimate(0.5, error=1e-9)", "the estimate is UNSOUND: a relative error above 1e-09"),
        ("dpcert_query.upper(1.0, at_most=1.5)", "the upper bound is LOOSE: more than 1.5 times the truth"),
        ("pass", "no claim was made"),
        ("raise ZeroDivisionError('oops')", "ZeroDivisionError: oops"),
        ("dpcert_query.upper(None)", "a claim must be a number, not"),
    ],
)
def test_everything_else_that_fails(pytester, body, reason):
    result = run(pytester, cases(body, 'id="kov-delta-0105"'))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"*{reason}*"])


def test_other_claims_that_pass(pytester):
    body = """
truth = dpcert_query.case.answer
dpcert_query.lower(truth.f64_lower)
dpcert_query.upper(truth.f64_upper, at_most=1.000001)
dpcert_query.estimate(truth.f64_lower, error=1e-15)
"""
    run(pytester, cases(body, 'id="kov-delta-0105"')).assert_outcomes(passed=1)


def test_an_infinite_truth(pytester):
    marker = 'quantity="epsilon", flag="INFINITE", family="gaussian"'
    result = run(pytester, cases("dpcert_query.upper(1e308)", marker))
    assert result.parseoutcomes()["failed"] >= 1
    result.stdout.fnmatch_lines(["  truth * infinite"])
    result = run(pytester, cases("dpcert_query.upper(math.inf)", marker))
    assert result.ret == 0 and result.parseoutcomes()["passed"] >= 1


def test_unsupported_is_skipped_with_its_reason(pytester):
    result = run(pytester, cases("dpcert_query.unsupported('no composition')"))
    result.assert_outcomes(skipped=4)
    result.stdout.fnmatch_lines(["*claims about dpcert vectors: 4 unsupported*", "SKIPPED [[]4[]]*no composition"])


def test_inputs_that_are_not_doubles_are_skipped(pytester):
    body = "dpcert_query.upper(1.0)"
    result = run(pytester, cases(body, 'id="laplace-delta-0069"'))
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["SKIPPED*exact inputs only, and a number is not a double"])
    run(pytester, cases(body, 'id="laplace-delta-0069", inputs="upper"')).assert_outcomes(passed=1)
    run(pytester, cases(body, 'id="laplace-delta-0069"'), "--dpcert-inputs=upper").assert_outcomes(passed=1)


def test_a_rounded_question_judges_one_side_only(pytester):
    marker = 'id="laplace-delta-0069", inputs="upper"'
    for body, message in [
        ("dpcert_query.lower(0.0)", "*lower bounds of a query that is rounded for upper bounds cannot be judged"),
        ("dpcert_query.estimate(0.5, error=1)", "*an estimate of a rounded query cannot be judged*"),
    ]:
        result = run(pytester, cases(body, marker))
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([message])
    result = run(pytester, cases("dpcert_query.upper(0.0)", marker))
    result.stdout.fnmatch_lines(["  asked * laplace(scale=1, sensitivity=1)^4 at 0x1.5555555555555p-2, rounded so*"])


# A wrong answer for every vector.
WRONG = "dpcert_query.upper(0.0)"


def test_an_id_that_is_expected_to_fail_has_to(pytester):
    result = run(pytester, cases(WRONG, 'id="kov-delta-010[5-8]", xfail=["kov-delta-0105"]'))
    result.assert_outcomes(failed=3, xfailed=1)
    result.stdout.fnmatch_lines(["*claims about dpcert vectors: 3 unsound, 1 unsound as expected*"])
    right = "dpcert_query.upper(1.0)"
    result = run(pytester, cases(right, 'id="kov-delta-0105", xfail={"kov-delta-0105": "rounds down"}'))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*XPASS(strict)*rounds down*"])


@pytest.mark.parametrize("name", ["DOUBLE_PARAMETERS", "kov-delta-01*"])
def test_a_flag_or_a_pattern_that_is_expected_to_fail_may_pass(pytester, name):
    marker = f'id="kov-delta-010[5-8]", xfail="{name}"'
    run(pytester, cases(WRONG, marker)).assert_outcomes(xfailed=4)
    run(pytester, cases("dpcert_query.upper(1.0)", marker)).assert_outcomes(xpassed=4)


def test_what_is_expected_can_come_from_the_command_line_a_file_or_the_configuration(pytester):
    source = cases(WRONG, 'id="kov-delta-010[5-8]"')
    run(pytester, source, "--dpcert-xfail=DOUBLE_PARAMETERS").assert_outcomes(xfailed=4)
    pytester.path.joinpath("known.txt").write_text("# two\nkov-delta-0105  # rounds down\n\nkov-delta-0106\n")
    result = run(pytester, source, "--dpcert-xfail=@known.txt", "-rx")
    result.assert_outcomes(xfailed=2, failed=2)
    # Older versions of pytest print the reason on a separate line.
    assert "kov-delta-0105" in result.stdout.str() and "rounds down" in result.stdout.str()
    run(pytester, cases(WRONG, 'id="kov-delta-010[5-8]", xfail="@known.txt"')).assert_outcomes(xfailed=2, failed=2)
    pytester.makeini("[pytest]\ndpcert_xfail =\n  @known.txt\n  kov-delta-0107\ndpcert_skip = kov-delta-0108\n")
    run(pytester, source).assert_outcomes(xfailed=3, skipped=1)


def test_skip_skips_flags_and_ids(pytester):
    marker = 'id="kov-delta-010[5-8]", skip={"kov-delta-0105": "slow"}'
    result = run(pytester, cases("dpcert_query.upper(1.0)", marker), "--dpcert-skip=kov-delta-010[67]")
    result.assert_outcomes(passed=1, skipped=3)
    result.stdout.fnmatch_lines(["SKIPPED*slow"])


def test_an_error_of_rounding_can_be_expected(pytester):
    body = "dpcert_query.upper(dpcert_query.case.answer.f64_lower * (1 - 1e-12))"
    marker = 'id="kov-delta-0105", rounding='
    result = run(pytester, cases(body, marker + "1e-11"), "--dpcert-report=out.jsonl")
    result.assert_outcomes(xfailed=1)
    # The verdict is what it is.
    (line,) = map(json.loads, pytester.path.joinpath("out.jsonl").read_text().splitlines())
    assert line["verdict"] == "unsound" and line["within_rounding"] and line["expected"]
    run(pytester, cases(body, marker + "1e-13")).assert_outcomes(failed=1)
    run(pytester, cases(body, 'id="kov-delta-0105"'), "--dpcert-rounding=1e-11").assert_outcomes(xfailed=1)
    # A delta of 1.0000000000000002 where the truth is 0.1 is no error of rounding, though it is near 1.
    run(pytester, cases("dpcert_query.upper(math.nextafter(1, 2))", marker + "1e-11")).assert_outcomes(failed=1)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["--dpcert-file=kov-delta", "--dpcert-flag=HUGE_EPSILON"], "file kov-delta.json and flag HUGE_EPSILON"),
        (["--dpcert-family=laplace", "--dpcert-quantity=renyi"], "family laplace and quantity renyi"),
        (["--dpcert-family=gaussian", "--dpcert-without=DOUBLE_PARAMETERS"], "family gaussian, not DOUBLE_PARAMETERS"),
        (["--dpcert-mechanism=gaussian", "--dpcert-mechanism=gdp"], "mechanisms gaussian and gdp"),
        (["--dpcert-direction=forward"], "direction forward"),
        (["--dpcert-quantity=limit-delta"], "quantity limit-delta"),
        (["--dpcert-file=clt-limit-beta"], "file clt-limit-beta"),
        (["--dpcert-quantity=order"], "quantity order"),
        (["--dpcert-quantity=order", "--dpcert-direction=forward"], "quantity order forward"),
    ],
)
def test_options_select_vectors(pytester, arguments, expected):
    """The ids that pytest collects are those that the same choice, made here by hand, gives."""
    from dpcert_vectors import load

    choices = {
        "file kov-delta.json and flag HUGE_EPSILON": lambda c: c.file == "kov-delta.json" and "HUGE_EPSILON" in c.flags,
        "family laplace and quantity renyi": lambda c: c.family == "laplace" and c.quantity == "renyi",
        "family gaussian, not DOUBLE_PARAMETERS": lambda c: c.family == "gaussian"
        and "DOUBLE_PARAMETERS" not in c.flags,
        # What a theorem says has to be named, and so have orders and functions of bits.
        "mechanisms gaussian and gdp": lambda c: c.limit is None
        and c.quantity not in ("order", "theorem")
        and c.mechanisms <= {"gaussian", "gdp"},
        "direction forward": lambda c: c.limit is None and c.quantity != "order",
        "quantity limit-delta": lambda c: c.quantity == "limit-delta",
        "file clt-limit-beta": lambda c: c.file == "clt-limit-beta.json",
        "quantity order": lambda c: c.quantity == "order",
        "quantity order forward": lambda c: c.quantity == "order",
    }
    choose = choices[expected]
    directions = ["forward"] if "forward" in expected else ["worst", "forward"] if "order" in expected else ["worst"]
    wanted = [c.id for c in load().cases if choose(c) and c.direction in directions]
    pytester.makepyfile(cases("dpcert_query.upper(1.0)", ""))
    result = pytester.runpytest("--collect-only", "-q", *arguments)
    collected = [line.partition("[")[2].rstrip("]") for line in result.outlines if "::test_it[" in line]
    assert collected == wanted and wanted


def test_the_marker_and_the_command_line_both_select(pytester):
    source = cases("dpcert_query.upper(1.0)", 'quantity=["delta", "epsilon"], id="kov-*"')
    pytester.makepyfile(source)
    result = pytester.runpytest("--collect-only", "-q", "--dpcert-quantity=epsilon", "--dpcert-id=*-0001")
    assert [line for line in result.outlines if "::" in line] == [
        "test_the_marker_and_the_command_line_both_select.py::test_it[kov-epsilon-0001]"
    ]


@pytest.mark.parametrize(
    "marker, message",
    [
        ('quantity="gamma"', "*no vector has the quantity 'gamma'; possible values are accuracy, advantage, antipodal-kl, bayes-risk*"),
        ('id="nosuch-0001"', "*no vector has the id 'nosuch-0001'*"),
        ('flag="TINY_DETLA"', "*no vector has the flag 'TINY_DETLA'*"),
        ('xfail="TINY_DETLA"', "*no vector has the flag or the id 'TINY_DETLA'*"),
        ('xfail="@missing.txt"', "*missing.txt: No such file or directory*"),
        ('inputs="both"', "*inputs must be exact, upper or lower, not 'both'*"),
        ('kind="upper"', "*pytest.mark.dpcert has no argument 'kind'*"),
        ('"delta"', "*pytest.mark.dpcert takes only named arguments*"),
        ('data="/nowhere/at/all"', "*no .json files here*"),
    ],
)
def test_mistakes_in_the_marker_are_errors_of_usage(pytester, marker, message):
    result = run(pytester, cases("dpcert_query.upper(1.0)", marker))
    assert result.ret != 0 and not result.parseoutcomes().get("passed")
    output = result.stdout.str() + result.stderr.str()
    pytest.LineMatcher(output.splitlines()).fnmatch_lines([message])


def test_vectors_of_your_own(pytester):
    from dpcert_vectors import data_dir

    folder = pytester.mkdir("vendored")
    folder.joinpath("laplace-renyi.json").write_text((data_dir() / "laplace-renyi.json").read_text())
    source = cases("dpcert_query.upper(math.inf)", "inputs='upper'")
    assert run(pytester, source, "--dpcert-data=vendored").parseoutcomes()["passed"] > 10


def test_bounds_judge_nobody(pytester):
    import json

    from dpcert_vectors import data_dir

    document = json.loads((data_dir() / "laplace-renyi.json").read_text())
    document["cases"] = document["cases"][:5]
    for case in document["cases"][:2]:
        case["bound"] = "upper"
    pytester.mkdir("bounds").joinpath("laplace-renyi.json").write_text(json.dumps(document))
    source = cases("dpcert_query.upper(0.0)", "inputs='upper'")
    assert run(pytester, source, "--dpcert-data=bounds").parseoutcomes() == {"failed": 3}


def test_a_limit_of_time(pytester):
    result = run(pytester, cases("time.sleep(5)", 'id="kov-delta-0105", seconds=0.1'))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*TookTooLong: no answer after 0.1 seconds"])
    run(pytester, cases("time.sleep(5)", 'id="kov-delta-0105"'), "--dpcert-seconds=0.1").assert_outcomes(failed=1)
    # An accountant cannot swallow it with `except Exception`, and the next test has its own time.
    swallow = "try:\n    time.sleep(0.5)\nexcept Exception:\n    pass\ndpcert_query.upper(1.0)"
    run(pytester, cases(swallow, 'id="kov-delta-010[56]", seconds=0.1')).assert_outcomes(failed=2)


def test_the_report_has_a_line_for_each_verdict(pytester):
    body = """
if dpcert_query.id.endswith("5"):
    dpcert_query.upper(0.25)
if dpcert_query.id.endswith("6"):
    dpcert_query.unsupported("why not")
if dpcert_query.id.endswith("7"):
    raise ValueError("oops")
dpcert_query.upper(0.0)
"""
    run(pytester, cases(body, 'id="kov-delta-010[5-8]"'), "--dpcert-report=out.jsonl")
    lines = {}
    for line in map(json.loads, pytester.path.joinpath("out.jsonl").read_text().splitlines()):
        lines.setdefault(line["id"], []).append(line)
    first = lines["kov-delta-0105"][0]
    assert first["verdict"] == "sound" and first["kind"] == "upper" and first["claim"] == "0x1.0000000000000p-2"
    assert first["truth"]["lower"].startswith("1.21035937466450018550") and float(first["ratio"][0]) > 1
    assert [line["verdict"] for line in lines["kov-delta-0105"]] == ["sound", "unsound"]
    assert lines["kov-delta-0106"][0]["reason"] == "why not"
    assert lines["kov-delta-0107"][0]["message"] == "ValueError: oops"
    assert lines["kov-delta-0108"][0]["claim_decimal"] == "0"


def test_without_the_fixture_nothing_changes(pytester):
    result = run(pytester, "def test_it():\n    pass\n")
    result.assert_outcomes(passed=1)
    assert "claims about" not in result.stdout.str()


def test_orders_are_named_and_claimed(pytester):
    body = (
        "order = dpcert_query.case.answer.order\n"
        "assert dpcert_query.other and not dpcert_query.points\n"
        "dpcert_query.order(at_least=order in ('more-private', 'equal'), at_most=order in ('less-private', 'equal'))"
    )
    marker = 'quantity="order", mechanism=["gaussian", "gdp", "laplace"]'
    result = run(pytester, cases(body, marker))
    outcomes = result.parseoutcomes()
    assert outcomes["passed"] >= 10 and set(outcomes) <= {"passed", "skipped"}
    # A wrong claim shows the true order; an empty claim and a number are refused.
    for body, told in [
        ("dpcert_query.order(at_least=False)", "the claim is not at-least, but the mechanism is more-private"),
        ("dpcert_query.order()", "the claim is empty"),
        ("dpcert_query.upper(1.0)", "an order is not a number"),
        ("dpcert_query.estimate(1.0, error=1)", "an order is not a number"),
    ]:
        result = run(pytester, cases(body, 'id="compared-order-0028"'))
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines([f"*{told}*"])
    result = run(pytester, cases("dpcert_query.order(at_least=True)", 'id="kov-delta-0105"'))
    result.assert_outcomes(failed=1)
    # Without being named they are left out.
    result = run(pytester, cases("assert dpcert_query.quantity != 'order'; dpcert_query.unsupported()", 'mechanism="gdp"'))
    assert "failed" not in result.parseoutcomes()
