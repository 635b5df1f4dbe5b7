"use strict";
(async () => {
// The judgements: gzip in base64, since the same words are in them a hundred thousand times.
async function unpacked(element) {
  const bytes = Uint8Array.from(atob(element.textContent), (sign) => sign.charCodeAt(0));
  element.textContent = "";
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
if (typeof DecompressionStream === "undefined") {
  document.getElementById("too-old").hidden = false;
  return;
}
const data = await unpacked(document.getElementById("data"));
const VERDICTS = ["unsound", "failed", "undecided", "loose", "sound", "unsupported"];
const MEANING = {
  unsound: "The package calls the number a bound, and it is provably false: an upper bound below the true value, a lower bound above it, or noise that does not meet its target delta. Sizes: rounding (relative error at most 1e-12, the last digits of a double), negligible (a probability off by at most 1e-16, e.g. 0 for 1e-200), slight (at most 1e-3), gross (more). For an epsilon or noise, the true delta relative to the target counts as well; for a type II error, the power. Rounding and negligible are counted separately.",
  failed: "There is no usable number: the package raised an error, crashed, exceeded the time limit (further queries of the same mechanism are then skipped), or returned NaN, a negative number, a probability above 1, or an infinite estimate of a finite value. An estimate also fails if it is below the true value by a relative error above 1e-6 (for a type II error: above it). The failure is negligible if a probability is off by at most 1e-16.",
  undecided: "The true value is not known precisely enough to decide. The message in the row gives the reason.",
  loose: "A valid bound far from the true value: more than 2 times it for delta, the trade-off function and R\u00e9nyi divergences, more than 1.1 times it for epsilon and noise. An estimate is loose if its relative error exceeds 1e-6 on the safe side, or if it lies within bounds claimed with it.",
  sound: "The bound is valid, or the estimate has a relative error of at most 1e-6.",
  unsupported: "The package does not support this query.",
};
// One's own program is no package that somebody released.
const WHO = data.own ? "program" : "package";
for (const verdict of VERDICTS) MEANING[verdict] = MEANING[verdict].replaceAll("package", WHO);
const QUANTITY = {
  delta: "the smallest delta", epsilon: "the smallest epsilon",
  beta: "the smallest type II error (trade-off function)", renyi: "the R\u00e9nyi divergence",
  noise: "the value of the parameter marked ? that meets the target (epsilon, delta)",
};
const KIND = { upper: "upper bound", lower: "lower bound", estimate: "estimate" };
const DIRECTION = {
  worst: "the larger over both directions",
  forward: "forward direction: first distribution of the pair against the second",
  backward: "backward direction: second distribution of the pair against the first",
};
// Of type II errors the smaller is the worse.
const directionText = (question) => question.quantity === "beta" && question.direction === "worst"
  ? "the smaller over both directions" : DIRECTION[question.direction] || visible(question.direction);
const MARKS = {
  unsound: ["M8 1L15 8L8 15L1 8Z", true], failed: ["M3 3L13 13M13 3L3 13", false], undecided: ["M3 3H13V13H3Z", false],
  loose: ["M8 2L15 14H1Z", false], sound: ["M2.5 8a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0 -11 0Z", false], unsupported: ["M3 8H13", false],
};
const byId = (id) => document.getElementById(id);

// ---- Elements. Text goes in as text, never as markup: much of it was printed by other programs.

function make(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}
function draw(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}
function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "onclick") element.addEventListener("click", value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}
// Characters that hide or reorder others are shown by their number, so that what is read is what is copied.
function visible(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (sign) => "\\u{" + sign.codePointAt(0).toString(16) + "}");
}
function count(number, noun) {
  return number.toLocaleString("en") + " " + noun + (number === 1 ? "" : "s");
}
function mark(verdict) {
  const [path, filled] = MARKS[verdict] || MARKS.unsupported;
  return draw("svg", { viewBox: "0 0 16 16", class: verdict, "aria-hidden": "true" },
    draw("path", { d: path, class: filled ? "mark filled" : "mark" }));
}
function badge(verdict, more) {
  return make("span", { class: "verdict " + verdict }, mark(verdict), verdict, more ? make("small", {}, more) : null);
}

// ---- Numbers. The truth may lie far outside of the doubles (1e-3562), so its logarithm is kept beside its double.

function hexDouble(text) {
  const found = /^(-?)0x([0-9a-f]+)\.?([0-9a-f]*)p([+-]?\d+)$/i.exec(text || "");
  if (!found) return Number(text);
  const size = parseInt(found[2] + found[3], 16) * 2 ** (Number(found[4]) - 4 * found[3].length);
  return found[1] ? -size : size;
}
// The decimal d.ddd times 10^exponent as [sign, digits, exponent]; null if it is none.
function scientific(text) {
  const found = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text === null || text === undefined ? "" : String(text));
  if (!found || !(found[2] + found[3])) return null;
  const all = found[2] + found[3];
  const zeros = /^0*/.exec(all)[0].length;
  const digits = all.slice(zeros).replace(/0+$/, "");
  if (!digits) return [0, "0", 0];
  return [found[1] === "-" ? -1 : 1, digits, found[2].length - 1 - zeros + Number(found[4] || 0)];
}
// {sign, log, value}: log is log10 of the magnitude. null if there is no number.
function number(text) {
  if (text === null || text === undefined) return null;
  if (/^[+]?inf/i.test(text)) return { sign: 1, log: Infinity, value: Infinity };
  if (/^-inf/i.test(text)) return { sign: -1, log: Infinity, value: -Infinity };
  if (/^-?0x/i.test(text)) text = String(hexDouble(text));
  const parts = scientific(text);
  if (!parts) return null;
  const [sign, digits, exponent] = parts;
  if (sign === 0) return { sign, log: -Infinity, value: 0 };
  return { sign, log: Math.log10(Number(digits[0] + "." + digits.slice(1))) + exponent, value: Number(text) };
}
const isNormal = (value) => Math.abs(value) > 1e-300 && Math.abs(value) < 1e300;
function compareNumbers(a, b) {
  if (a.sign !== b.sign) return a.sign - b.sign;
  if (isNormal(a.value) && isNormal(b.value)) return a.value - b.value;
  return a.log === b.log ? 0 : a.sign * (a.log - b.log);
}
// So many digits of a decimal, rounded to nearest, without an exponent where people can do without one.
// The true delta at a claim as a multiple of the one promised, which may be 0.
function multipleText(delta) {
  if (delta.promised === "0") return delta.true_upper === "0" ? "" : "> 0";
  const excess = Number(delta.multiple) - 1;
  if (excess !== 0 && Math.abs(excess) < 0.001) return "\u00d7 1 " + (excess < 0 ? "\u2212 " : "+ ") + brief(String(Math.abs(excess)), 2);
  return "\u00d7 " + brief(delta.multiple, 4);
}

function brief(text, places = 7) {
  const parts = scientific(text);
  if (!parts) return visible(text);
  let [sign, digits, exponent] = parts;
  if (sign === 0) return "0";
  if (digits.length > places) {
    let kept = (BigInt(digits.slice(0, places)) + (digits[places] >= "5" ? 1n : 0n)).toString();
    if (kept.length > places) exponent += 1;
    digits = kept.replace(/0+$/, "");
  }
  let body;
  if (exponent < -4 || exponent > 8) body = digits[0] + (digits.length > 1 ? "." + digits.slice(1) : "") + "e" + exponent;
  else if (exponent < 0) body = "0." + "0".repeat(-exponent - 1) + digits;
  else {
    const padded = digits.padEnd(exponent + 1, "0");
    body = padded.slice(0, exponent + 1) + (padded.length > exponent + 1 ? "." + padded.slice(exponent + 1) : "");
  }
  return (sign < 0 ? "-" : "") + body;
}
function span(seconds) {
  if (seconds === null || seconds === undefined) return "";
  const digits = (value) => String(Number(value.toPrecision(2)));
  if (seconds < 1e-3) return digits(seconds * 1e6) + " \u00b5s";
  if (seconds < 1) return digits(seconds * 1e3) + " ms";
  return digits(seconds) + " s";
}

// ---- The rows: each judgement with its question and its party beside it.

const parties = data.parties;
parties.forEach((party, index) => { party.index = index; party.name = party.peer + " " + party.api; });
const textOf = (index) => (index === null || index === undefined ? null : data.texts[index]);
const rows = data.judgements.map((judgement, index) => {
  const row = Object.assign({}, judgement);
  row.index = index;
  row.party = parties[judgement.party];
  row.question = data.questions[judgement.question];
  row.call = textOf(judgement.call);
  row.says = textOf(judgement.says);
  row.message = textOf(judgement.message);
  row.failure = judgement.failure === undefined ? null : data.failures[judgement.failure];
  row.severity = VERDICTS.indexOf(row.verdict);
  row.detail = row.size || row.reason || null;
  return row;
});
function atText(question) {
  return Object.entries(question.at).map(([name, value]) => name + " = " + brief(String(hexDouble(value)), 17)).join(", ");
}
const claimText = (row) => (row.claim_decimal === undefined ? row.claim : row.claim_decimal);
function truthNumber(row) {
  if (!row.truth) return null;
  return number(row.truth.kind === "infinite" ? "inf" : row.truth.lower === undefined ? row.truth.upper : row.truth.lower);
}
function truthBrief(row) {
  const truth = row.truth;
  if (!truth) return "";
  if (truth.kind === "infinite") return "inf";
  const lower = truth.lower === undefined ? "-inf" : brief(truth.lower);
  const upper = truth.upper === undefined ? "inf" : brief(truth.upper);
  return truth.kind === "between" && lower !== upper ? lower + " to " + upper : lower;
}
// claim / truth - 1, signed; null if unknown.
function excess(row) {
  const ratio = number(row.ratio);
  if (!ratio) return null;
  const error = number(row.error);
  const below = ratio.sign <= 0 || (scientific(row.ratio) || [0, "", 0])[2] < 0;
  if (!error) return below ? { sign: -1, log: 0, value: -1 } : ratio;
  return { sign: error.sign === 0 ? 0 : below ? -1 : 1, log: error.log, value: below ? -error.value : error.value };
}
function ratioBrief(row) {
  if (row.ratio === undefined) return "";
  const ratio = number(row.ratio);
  const off = excess(row);
  if (off && off.sign !== 0 && ratio && ratio.value > 0.99 && ratio.value < 1.01 && row.error !== undefined) {
    return "1 " + (off.sign < 0 ? "\u2212 " : "+ ") + brief(row.error, 3);
  }
  return brief(row.ratio, 5);
}
// How bad it is: for the order in which the table first shows up.
function badness(row) {
  const worst = number(row.badness ?? row.error);
  return worst ? worst.log : Infinity;
}
const SIZES = { gross: 0, slight: 1, negligible: 2, rounding: 3 };
const counts = (size) => size !== "rounding" && size !== "negligible";

// ---- The table.

const COLUMNS = [
  { name: "verdict", title: "Verdict", key: (row) => row.severity,
    more: (row) => row.verdict === "unsound" ? [SIZES[row.size] ?? 0, -badness(row)] : [0, 0],
    cell: (row) => make("td", {}, badge(row.verdict, row.detail)) },
  { name: "package", title: "Package", key: (row) => row.party.peer + " " + row.party.version,
    cell: (row) => make("td", { class: "package" }, visible(row.party.peer), make("small", {}, visible(row.party.version))) },
  { name: "api", title: "API", key: (row) => row.party.api, cell: (row) => make("td", {}, visible(row.party.api)) },
  { name: "quantity", title: "Quantity", key: (row) => row.question.quantity,
    cell: (row) => make("td", {}, visible(row.question.quantity)) },
  { name: "mechanism", title: "Mechanism", key: (row) => row.question.mechanism,
    cell: (row) => make("td", { class: "mechanism" }, visible(row.question.mechanism), make("small", {}, visible(row.question.id))) },
  { name: "at", title: "At", key: (row) => Object.keys(row.question.at).join(" "), 
    more: (row) => Object.values(row.question.at).map(hexDouble),
    cell: (row) => make("td", {}, Object.entries(row.question.at).map(([name, value]) =>
      make("span", { class: "point" }, name + " " + brief(String(hexDouble(value)), 6), make("br")))) },
  { name: "kind", title: "Kind", key: (row) => row.kind, cell: (row) => make("td", {}, visible(row.kind ?? "")) },
  { name: "claim", title: "Claim", right: true, numeric: true, key: (row) => number(claimText(row)),
    cell: (row) => make("td", { class: "right number" }, shorten(claimText(row))) },
  { name: "truth", title: "Truth", right: true, numeric: true, key: truthNumber,
    // What noise keeps decides, not the least that would do.
    cell: (row) => make("td", { class: "right number" }, row.question.quantity === "noise" && row.delta_at_claim
      ? ["true delta", make("br"), brief(row.delta_at_claim.true_upper)] : truthBrief(row).split(" to ").flatMap((end, place) => place ? [make("br"), "to " + end] : [end])) },
  { name: "ratio", title: "Claim / truth", right: true, numeric: true, key: excess,
    cell: (row) => make("td", { class: "right number" }, ratioBrief(row)) },
  { name: "multiple", title: "True delta", right: true, numeric: true,
    hint: "true delta at the claim, as a multiple of the target delta",
    key: (row) => number(row.delta_at_claim && row.delta_at_claim.multiple),
    cell: (row) => make("td", { class: "right number" }, row.delta_at_claim ? multipleText(row.delta_at_claim) : "") },
  { name: "seconds", title: "Time", right: true, numeric: true, hint: "time of the package",
    key: (row) => number(row.seconds && row.seconds.peer !== undefined ? String(row.seconds.peer) : null),
    cell: (row) => make("td", { class: "right number" }, span(row.seconds && row.seconds.peer)) },
];
function shorten(text) {
  if (text === null || text === undefined) return "";
  const cut = visible(brief(text));
  return cut.length > 24 ? cut.slice(0, 23) + "\u2026" : cut;
}
const state = { sort: COLUMNS[0], descending: false, page: 0, shown: rows, open: new Set() };

function compareKeys(column, a, b) {
  if (a === b) return 0;
  if (column.numeric) return compareNumbers(a, b);
  return a < b ? -1 : a > b ? 1 : 0;
}
function sorted(chosen) {
  const column = state.sort;
  const turn = state.descending ? -1 : 1;
  const missing = (key) => key === null || key === undefined;
  const keyed = chosen.map((row) => [column.key(row), column.more ? column.more(row) : null, row]);
  keyed.sort((a, b) => {
    // What is missing comes last in both orders.
    if (missing(a[0]) || missing(b[0])) return missing(a[0]) - missing(b[0]) || a[2].index - b[2].index;
    let order = compareKeys(column, a[0], b[0]);
    for (let place = 0; order === 0 && a[1] && place < a[1].length; place += 1) {
      order = a[1][place] < b[1][place] ? -1 : a[1][place] > b[1][place] ? 1 : 0;
    }
    return turn * order || a[2].index - b[2].index;
  });
  return keyed.map((entry) => entry[2]);
}

const FILTERS = {
  peer: { of: (row) => row.party.peer },
  api: { of: (row) => String(row.party.index), show: (value) => parties[Number(value)].name,
    only: (row) => !control("peer").value || row.party.peer === control("peer").value },
  verdict: { of: (row) => row.verdict, more: (row) => row.detail, rank: (value) => VERDICTS.indexOf(value.split("/")[0]) },
  quantity: { of: (row) => row.question.quantity },
  family: { of: (row) => row.question.family },
  kind: { of: (row) => row.kind },
  flag: { all: (row) => row.question.flags },
  sweep: { of: (row) => row.question.sweep && row.question.sweep.name },
  failure: { of: (row) => row.failure, show: (value) => value.length > 90 ? value.slice(0, 89) + "\u2026" : value },
};
const control = (name) => byId("filter-" + name);
const valuesOf = (filter, row) => {
  if (filter.all) return filter.all(row);
  const value = filter.of(row);
  if (value === null || value === undefined) return [];
  const detail = filter.more && filter.more(row);
  return detail ? [value, value + "/" + detail] : [value];
};
function offer(name) {
  const filter = FILTERS[name];
  const select = control(name);
  const before = select.value;
  const counts = new Map();
  for (const row of rows) {
    if (filter.only && !filter.only(row)) continue;
    for (const value of valuesOf(filter, row)) counts.set(value, (counts.get(value) || 0) + 1);
  }
  const rank = filter.rank || (() => 0);
  const order = [...counts.keys()];
  if (name !== "api") order.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0));
  const label = filter.show || ((value) => value.includes("/") && filter.more ? "\u00a0\u00a0" + value.replace("/", ": ") : value);
  select.replaceChildren(make("option", { value: "" }, "all"), ...order.map((value) =>
    make("option", { value }, visible(label(value)) + " (" + counts.get(value).toLocaleString("en") + ")")));
  select.value = counts.has(before) ? before : "";
}
function haystack(row) {
  if (row.haystack === undefined) {
    const question = row.question;
    row.haystack = [row.party.peer, row.party.api, question.id, question.mechanism, question.quantity, atText(question), row.verdict,
      row.detail, row.kind, claimText(row), row.call, row.says, row.message, question.comment].join("\n").toLowerCase();
  }
  return row.haystack;
}
function chosen() {
  const wanted = Object.keys(FILTERS).filter((name) => control(name).value).map((name) => [FILTERS[name], control(name).value]);
  const words = control("text").value.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => wanted.every(([filter, value]) => valuesOf(filter, row).includes(value))
    && words.every((word) => haystack(row).includes(word)));
}
function refresh() {
  state.shown = sorted(chosen());
  state.page = 0;
  show();
  keepAddress();
}

// ---- The address has the filters and the order, so that what is seen can be sent to others.

const ADDRESS = "#answers?";
function keepAddress() {
  const wanted = new URLSearchParams();
  for (const name of Object.keys(FILTERS)) {
    const value = control(name).value;
    if (value) wanted.set(name, name === "api" ? parties[Number(value)].name : value);
  }
  if (control("text").value) wanted.set("text", control("text").value);
  if (state.sort !== COLUMNS[0] || state.descending) wanted.set("sort", (state.descending ? "-" : "") + state.sort.name);
  const query = wanted.toString();
  if (!query && !location.hash.startsWith(ADDRESS)) return;
  history.replaceState(null, "", query ? ADDRESS + query : "#answers");
}
function readAddress() {
  if (!location.hash.startsWith(ADDRESS)) return false;
  const wanted = new URLSearchParams(location.hash.slice(ADDRESS.length));
  for (const name of Object.keys(FILTERS)) {
    if (name === "api") offer("api");
    const value = wanted.get(name) || "";
    const party = parties.find((each) => each.name === value);
    control(name).value = name === "api" ? (party ? String(party.index) : "") : value;
    // An address of another report may name what is not in this one.
    if (control(name).selectedIndex < 0) control(name).value = "";
  }
  control("text").value = wanted.get("text") || "";
  const sort = wanted.get("sort") || "";
  state.descending = sort.startsWith("-");
  state.sort = COLUMNS.find((column) => column.name === sort.replace("-", "")) || COLUMNS[0];
  return true;
}
function show() {
  const size = Number(byId("page-size").value);
  const pages = Math.max(1, Math.ceil(state.shown.length / size));
  state.page = Math.min(Math.max(state.page, 0), pages - 1);
  const from = state.page * size;
  const body = make("tbody");
  for (const row of state.shown.slice(from, from + size)) {
    body.append(answerRow(row));
    if (state.open.has(row.index)) body.append(detailsRow(row));
  }
  if (state.shown.length === 0) {
    body.append(make("tr", {}, make("td", { colspan: COLUMNS.length + 1 }, "No answer matches.")));
  }
  const table = byId("table");
  table.querySelector("tbody").replaceWith(body);
  for (const heading of table.querySelectorAll("th[data-column]")) {
    const here = heading.dataset.column === state.sort.name;
    if (here) heading.setAttribute("aria-sort", state.descending ? "descending" : "ascending");
    else heading.removeAttribute("aria-sort");
  }
  byId("count").textContent = state.shown.length === rows.length ? count(rows.length, "answer")
    : state.shown.length.toLocaleString("en") + " of " + count(rows.length, "answer");
  byId("page").textContent = "page " + (state.page + 1) + " of " + pages;
  byId("page-first").disabled = byId("page-previous").disabled = state.page === 0;
  byId("page-next").disabled = byId("page-last").disabled = state.page === pages - 1;
}
function answerRow(row) {
  const open = state.open.has(row.index);
  const toggle = make("button", {
    type: "button", class: "toggle", "aria-expanded": String(open), "aria-controls": "details-" + row.index,
    "aria-label": "Details of " + visible(row.question.id) + ", " + visible(row.party.name),
  });
  const line = make("tr", { class: open ? "answer open" : "answer", "data-index": row.index },
    make("td", {}, toggle), COLUMNS.map((column) => column.cell(row)));
  const turn = () => {
    const now = !state.open.has(row.index);
    if (now) {
      state.open.add(row.index);
      line.after(detailsRow(row));
    } else {
      state.open.delete(row.index);
      line.nextElementSibling.remove();
    }
    line.classList.toggle("open", now);
    toggle.setAttribute("aria-expanded", String(now));
  };
  line.addEventListener("click", (event) => {
    // Whoever marks text in order to copy it wants no details.
    if (event.target === toggle || String(getSelection()) === "") turn();
  });
  return line;
}

// ---- The details of one answer.

const quote = (text) => (/^[\w.:-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'");
const FLAGS_OF = { epsilon: "--epsilon", delta: "--delta", alpha: "--alpha", order: "--order" };
function truthCommand(row) {
  const question = row.question;
  const at = question.at;
  let quantity = question.quantity;
  let expression = question.expression;
  if (/^(zcdp|rdp)\(/.test(expression)) return null;
  let points = Object.keys(at);
  if (quantity === "noise") {
    // A decimal with more digits than a double has is exact as it stands.
    const exact = /^0x/.test(row.claim || "") ? "f64:" + row.claim : row.claim || "";
    if (!/^(f64:0x[0-9a-f.]+p[+-]?\d+|\d+(\.\d+)?(e[+-]?\d+)?)$/i.test(exact)) return null;
    quantity = "delta";
    expression = expression.replace("=?", "=" + exact);
    points = ["epsilon"];
  }
  if (points.some((name) => !FLAGS_OF[name])) return null;
  return "dpcert " + quantity + " " + quote(expression) + points.map((name) => " " + FLAGS_OF[name] + " f64:" + at[name]).join("")
    + (question.direction === "worst" ? "" : " --direction " + question.direction) + " --digits 18";
}
function againCommand(row) {
  if (row.question.flags.includes("HUNT")) return null;
  const target = row.party.catalogued ? quote(row.party.peer + ":" + row.party.api) : "--adapter " + quote("YOUR ADAPTER");
  return "dpcert audit " + target + " --only " + quote(row.question.id);
}
function detailsRow(row) {
  const question = row.question;
  const facts = make("dl", { class: "facts" });
  const fact = (name, ...value) => {
    if (value.some((part) => part !== null && part !== undefined && part !== "")) {
      facts.append(make("dt", {}, name), make("dd", {}, ...value));
    }
  };
  const text = (value) => (value === null || value === undefined ? null : visible(value));
  fact("Query", (QUANTITY[question.quantity] || visible(question.quantity)) + " of ", make("code", {}, visible(question.mechanism)),
    atText(question) ? " at " + atText(question) : "", "; " + directionText(question));
  fact("Verdict", badge(row.verdict), row.detail ? " (" + visible(row.detail.replace(/-/g, " ")) + ")" : "");
  if (claimText(row) !== undefined) {
    const hex = row.claim && row.claim !== claimText(row) ? "  =  " + visible(row.claim) : "";
    fact("Claim", (KIND[row.kind] || "number") + " ", make("span", { class: "number" }, visible(claimText(row)) + hex));
  }
  fact("Documented as", text(row.says));
  const noise = question.quantity === "noise";
  if (row.truth && !noise) fact("Truth", ...truthWords(row));
  if (row.ratio !== undefined) {
    const short = ratioBrief(row);
    fact("Claim / truth", make("span", { class: "number" }, text(row.ratio) + (short === row.ratio ? "" : "  =  " + short)));
  }
  const delta = row.delta_at_claim;
  if (delta) {
    const amount = delta.promised === "0" ? [delta.true_upper === "0" ? "0, the target" : make("b", {}, "not 0, the target")]
      : [make("b", {}, brief(delta.multiple, 4) + " times"), " the target " + visible(delta.promised)];
    const words = [...amount, ": the true delta is between "];
    fact(noise ? "Delta with this noise" : "Delta at the claim", ...words,
      make("span", { class: "number" }, visible(delta.true_lower)), " and ", make("span", { class: "number" }, visible(delta.true_upper)));
  }
  if (row.truth && noise) fact("Smallest sufficient value", ...truthWords(row));
  fact("Message", text(row.message));
  const times = [["the " + WHO, row.seconds && row.seconds.peer], ["dpcert", row.seconds && row.seconds.dpcert]];
  fact("Time", times.filter((time) => time[1] !== undefined && time[1] !== null).map((time) => time[0] + " " + span(time[1])).join(", "));
  fact("Purpose", text(question.comment));
  fact("Regimes", text(question.flags.join(", ")));
  const party = row.party.peer + " " + row.party.version;
  return make("tr", { class: "details", id: "details-" + row.index }, make("td", { colspan: COLUMNS.length + 1 }, facts,
    code("To reproduce the claim, with " + visible(party), row.call),
    code(question.quantity === "noise" ? "The true delta with the claimed noise" : "The proven truth", truthCommand(row)),
    code("To repeat this query", againCommand(row))));
}
function truthWords(row) {
  const { kind, lower, upper } = row.truth;
  const digits = (text) => make("span", { class: "number" }, visible(text));
  if (kind === "infinite") return ["infinite"];
  if (kind === "exact" && lower === upper) return ["exactly ", digits(lower)];
  const noise = row.question.quantity === "noise";
  const end = kind === "between" ? (noise ? "" : " (the query does not determine it further)") : ", proven";
  return ["between ", digits(lower ?? "minus infinity"), " and ", digits(upper ?? "infinity"), end];
}
function code(title, text) {
  if (!text) return null;
  const shown = visible(text);
  const button = make("button", { type: "button" }, "Copy");
  button.addEventListener("click", async () => {
    button.textContent = (await copy(shown)) ? "Copied" : "Cannot copy";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  return make("div", { class: "code" }, make("div", {}, make("p", {}, title), button), make("pre", {}, shown));
}
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // A browser that keeps its clipboard from files on disk.
    const area = make("textarea", { readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

// ---- The summary.

function choose(filters) {
  byId("filters").reset();
  if (filters.peer !== undefined) control("peer").value = filters.peer;
  offer("api");
  for (const [name, value] of Object.entries(filters)) control(name).value = value;
  refresh();
  byId("answers").scrollIntoView();
  byId("filter-peer").focus({ preventScroll: true });
}
// For a party that is not summed up: judgements put together by hand.
function counted(party) {
  const verdicts = {};
  for (const row of rows) if (row.party === party) verdicts[row.verdict] = (verdicts[row.verdict] || 0) + 1;
  return { verdicts };
}
function summarise() {
  const right = (title, hint) => make("th", { class: "right", scope: "col", title: hint }, title);
  const headings = VERDICTS.map((verdict) => make("th", { class: "right", scope: "col" }, badge(verdict)));
  headings.splice(1, 0, right("Rounding", "false by at most the last digits of a double or a probability of 1e-16"));
  const head = make("thead", {}, make("tr", {}, make("th", { scope: "col" }, data.own ? "Program" : "Package"), make("th", { scope: "col" }, "API"),
    right("Answers"), headings,
    right("Worst claim / truth"), right("True delta"), right("Median time"), right("Time / dpcert")));
  const body = make("tbody");
  parties.forEach((party, index) => {
    const row = data.summary[index] || counted(party);
    const total = VERDICTS.reduce((sum, verdict) => sum + (row.verdicts[verdict] || 0), 0);
    const link = (number, filters, label) => make("button", {
      type: "button", class: "link", "aria-label": label, onclick: () => choose(Object.assign({ peer: party.peer, api: String(index) }, filters)),
    }, number.toLocaleString("en"));
    const small = (counts) => Object.entries(counts || {}).map(([name, number]) => number + " " + name).join(", ");
    const sizes = Object.entries(row.unsound || {});
    const barely = sizes.filter(([size]) => !counts(size)), gravely = sizes.filter(([size]) => counts(size));
    const sum = (some) => some.reduce((all, [, number]) => all + number, 0);
    const cells = VERDICTS.map((verdict) => {
      // What was judged by hand may have no size.
      const number = (row.verdicts[verdict] || 0) - (verdict === "unsound" ? sum(barely) : 0);
      const detail = verdict === "unsound" ? small(Object.fromEntries(gravely)) : verdict === "failed" ? small(row.failed) : "";
      return make("td", { class: "right" }, number ? make("span", { class: verdict }, link(number, { verdict }, number + " " + verdict + " answers of " + party.name)) : "\u2013",
        detail ? make("small", {}, detail.split(", ").flatMap((part, place) => place ? [make("br"), part] : [part])) : null);
    });
    const few = sum(barely);
    cells.splice(1, 0, make("td", { class: "right" }, few ? link(few, { verdict: barely.length === 1 ? "unsound/" + barely[0][0] : "unsound" },
      few + " claims of " + party.name + " that are false by rounding") : "\u2013", few ? make("small", {}, small(Object.fromEntries(barely))) : null));
    const worst = row.worst && rows.find((each) => each.party === party && each.question.id === row.worst.id && each.verdict === "unsound");
    body.append(make("tr", {},
      make("th", { scope: "row" }, documented(party), make("small", {}, visible(party.version))),
      make("td", {}, visible(party.api), party.about ? make("small", {}, visible(party.about)) : null),
      make("td", { class: "right" }, total ? link(total, {}, "All answers of " + party.name) : "0"), cells,
      make("td", { class: "right number" }, worst ? make("button", {
        type: "button", class: "link", "aria-label": "The worst answer of " + party.name, onclick: () => { state.open.add(worst.index); choose({ peer: party.peer, api: String(index), verdict: "unsound", text: worst.question.id }); },
      }, ratioBrief(worst) || "open") : ""),
      make("td", { class: "right number" }, worst && worst.delta_at_claim ? multipleText(worst.delta_at_claim) : ""),
      make("td", { class: "right number" }, span(row.peer_seconds), row.dpcert_seconds ? make("small", {}, "dpcert " + span(row.dpcert_seconds)) : null),
      make("td", { class: "right number" }, row.time_ratio === null || row.time_ratio === undefined ? "" : brief(String(row.time_ratio), 2))));
    const notes = [];
    if (party.restarts) notes.push("its process was restarted " + count(party.restarts, "time"));
    if (party.talk) notes.push("it printed " + count(party.talk, "line") + " that were not answers");
    if (party.gave_up) notes.push("audit incomplete: " + party.gave_up);
    if (notes.length) byId("notes").append(make("li", {}, make("b", {}, visible(party.name)), ": " + visible(notes.join("; ")) + "."));
  });
  byId("summary-table").replaceChildren(head, body);
}
function documented(party) {
  return /^https?:\/\//.test(party.documentation || "")
    ? make("a", { href: party.documentation, rel: "noreferrer noopener" }, visible(party.peer)) : visible(party.peer);
}
function introduce() {
  byId("asker").textContent = "dpcert " + data.dpcert;
  byId("footer").textContent = "Written by dpcert " + data.dpcert + ". The file is a function of the judgements alone.";
  for (const verdict of VERDICTS) byId("verdicts").append(make("dt", {}, badge(verdict)), make("dd", {}, MEANING[verdict]));
  for (const [flag, meaning] of Object.entries(data.flags)) {
    byId("flags").append(make("dt", {}, make("code", {}, visible(flag))), make("dd", {}, visible(meaning)));
  }
  byId("regimes").hidden = Object.keys(data.flags).length === 0;
}

// ---- The plots.

const BOX = { width: 460, left: 62, right: 12, top: 10, upper: 190, gap: 26, lower: 120, bottom: 36 };
const FLOOR = Symbol("below the plot"), CEILING = Symbol("above the plot");
let cards = [];

function collect() {
  const found = new Map();
  for (const row of rows) {
    const sweep = row.question.sweep;
    if (!sweep || row.verdict === "unsupported") continue;
    // What brought no number is drawn with the API's other points.
    const key = JSON.stringify([sweep.name, row.party.index, row.kind || ""]);
    if (!found.has(key)) found.set(key, { sweep: sweep.name, parameter: sweep.parameter, party: row.party, kind: row.kind || null, rows: [] });
    found.get(key).rows.push(row);
  }
  const all = [...found.values()];
  for (const card of all.filter((card) => card.kind === null)) {
    const others = all.filter((other) => other.kind !== null && other.sweep === card.sweep && other.party === card.party);
    others.forEach((other) => other.rows.push(...card.rows));
    card.merged = others.length > 0;
  }
  cards = all.filter((card) => !card.merged);
  cards.forEach((card) => card.rows.sort((a, b) => a.question.sweep.x - b.question.sweep.x || a.index - b.index));
}
const unsoundIn = (card) => card.rows.filter((row) => row.verdict === "unsound").length;

function setUpPlots() {
  collect();
  const sweeps = [...new Set(cards.map((card) => card.sweep))];
  if (sweeps.length === 0) {
    byId("plots-body").replaceChildren(make("p", {}, "No query belongs to a plot."));
    return;
  }
  const badness = (name) => cards.filter((card) => card.sweep === name).reduce((sum, card) => sum + unsoundIn(card), 0);
  const label = (name) => visible(name) + (badness(name) ? " (" + badness(name) + " unsound)" : "");
  byId("plot-sweep").replaceChildren(...sweeps.map((name) => make("option", { value: name }, label(name))), make("option", { value: "" }, "all"));
  byId("plot-sweep").value = sweeps.reduce((best, name) => (badness(name) > badness(best) ? name : best), sweeps[0]);
  const peers = [...new Set(cards.map((card) => card.party.peer))];
  byId("plot-peer").replaceChildren(make("option", { value: "" }, "all"), ...peers.map((peer) => make("option", { value: peer }, visible(peer))));
  byId("legend").append(...["unsound", "failed", "undecided", "loose", "sound"].map((verdict) => make("li", {}, mark(verdict), verdict)),
    make("li", {}, draw("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, draw("rect", { x: 0, y: 0, width: 16, height: 16, class: "region" })), "where a claim is false"),
    make("li", {}, "at the edge of a plot: outside the range, or no number"));
  byId("plot-sweep").addEventListener("change", showPlots);
  byId("plot-peer").addEventListener("change", showPlots);
  showPlots();
}
function showPlots() {
  const sweep = byId("plot-sweep").value;
  const peer = byId("plot-peer").value;
  const wanted = cards.filter((card) => (!sweep || card.sweep === sweep) && (!peer || card.party.peer === peer));
  const example = sweep && wanted.length ? wanted[0].rows[0].question : null;
  byId("plot-about").textContent = example ? visible((QUANTITY[example.quantity] || example.quantity) + ": " + example.comment) + "." : "";
  byId("cards").replaceChildren(...wanted.map(cardFigure));
  if (wanted.length === 0) byId("cards").append(make("p", {}, "This package answered no query of this plot."));
}
function cardFigure(card) {
  const unsound = card.rows.filter((row) => row.verdict === "unsound");
  const kind = card.kind ? KIND[card.kind] : "no number";
  const words = count(card.rows.length, "point") + ", " + (unsound.length ? unsound.length + " unsound (" + card.parameter + " = "
    + unsound.slice(0, 6).map((row) => brief(String(row.question.sweep.x), 3)).join(", ") + (unsound.length > 6 ? ", \u2026" : "") + ")" : "none unsound");
  const title = visible(card.party.name) + ", " + kind;
  return make("figure", { class: "card", "data-sweep": card.sweep, "data-kind": card.kind || "" },
    make("figcaption", {}, make("b", {}, title), make("br"), make("span", { class: "quiet" }, visible(card.sweep))),
    plot(card, title + ", " + card.sweep + ": " + words),
    make("p", {}, visible(words) + ". ", make("button", { type: "button", class: "link",
      onclick: () => choose(Object.assign({ peer: card.party.peer, api: String(card.party.index), sweep: card.sweep }, card.kind ? { kind: card.kind } : {})) },
    "Show them in the table")));
}

function plot(card, label) {
  const height = BOX.top + BOX.upper + BOX.gap + BOX.lower + BOX.bottom;
  const svg = draw("svg", { viewBox: "0 0 " + BOX.width + " " + height, class: "plot", role: "img", "aria-label": visible(label) });
  const across = scaleAcross(card.rows.map((row) => row.question.sweep.x));
  const upper = { from: BOX.top + BOX.upper, to: BOX.top };
  const lower = { from: BOX.top + BOX.upper + BOX.gap + BOX.lower, to: BOX.top + BOX.upper + BOX.gap };
  panelOfValues(svg, card, across, upper);
  panelOfExcess(svg, card, across, lower);
  for (const tick of across.ticks) {
    svg.append(draw("text", { x: across.at(tick), y: lower.from + 14, "text-anchor": "middle" }, brief(String(tick), 3)));
  }
  svg.append(draw("text", { x: (BOX.left + BOX.width - BOX.right) / 2, y: lower.from + 30, "text-anchor": "middle" }, visible(card.parameter)));
  return svg;
}
function scaleAcross(values) {
  const least = Math.min(...values), most = Math.max(...values);
  const logarithmic = least > 0 && most / least > 50;
  const to = logarithmic ? Math.log10 : (x) => x;
  const low = to(least), high = to(most) === low ? low + 1 : to(most);
  const width = BOX.width - BOX.left - BOX.right - 20;
  const ticks = logarithmic ? decades(low, high, 6).map((power) => Number("1e" + power)) : steps(low, high, 6);
  return { ticks, at: (x) => BOX.left + 10 + width * (to(x) - low) / (high - low) };
}
function decades(low, high, most) {
  const every = Math.max(1, Math.ceil((Math.floor(high) - Math.ceil(low) + 1) / most));
  const found = [];
  for (let power = Math.ceil(low / every - 1e-9) * every; power <= high + 1e-9; power += every) found.push(power);
  return found;
}
function steps(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999);
  const found = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + step * 1e-9; place += 1) found.push(Number((place * step).toPrecision(12)));
  return found;
}
function frame(svg, panel, scale, title) {
  const end = BOX.width - BOX.right;
  for (const [at, text] of scale.ticks) {
    svg.append(draw("line", { x1: BOX.left, x2: end, y1: scale.at(at), y2: scale.at(at), class: "grid" }),
      draw("text", { x: BOX.left - 6, y: scale.at(at) + 3.5, "text-anchor": "end" }, text));
  }
  svg.append(draw("rect", { x: BOX.left, y: panel.to, width: end - BOX.left, height: panel.from - panel.to, class: "axis" }),
    draw("text", { x: 11, y: (panel.from + panel.to) / 2, transform: "rotate(-90 11 " + (panel.from + panel.to) / 2 + ")", "text-anchor": "middle" }, title));
}
function vertical(panel, low, high, ticks) {
  const pad = 8;
  const place = (value) => panel.from - pad - (panel.from - panel.to - 2 * pad) * (value - low) / (high - low);
  return { ticks, at: (value) => (value === FLOOR ? panel.from : value === CEILING ? panel.to : Math.min(panel.from, Math.max(panel.to, place(value)))) };
}
// Runs of rows of which `place` knows something.
function stretches(all, place) {
  const found = [[]];
  for (const row of all) {
    const at = place(row);
    if (at) found[found.length - 1].push(at);
    else found.push([]);
  }
  return found.filter((line) => line.length);
}
const signed = (row) => number(claimText(row));
function panelOfValues(svg, card, across, panel) {
  const truths = card.rows.map(truthNumber).filter((each) => each && each.log !== Infinity);
  const claims = card.rows.map(signed).filter((each) => each && each.log !== Infinity);
  const positive = [...truths, ...claims].filter((each) => each.sign > 0);
  const logs = positive.map((each) => each.log);
  const spread = logs.length ? Math.max(...logs) - Math.min(...logs) : 0;
  const logarithmic = truths.every((each) => each.sign >= 0) && spread > 1.5;
  const value = (each) => {
    if (!each) return FLOOR;
    if (each.log === Infinity) return each.sign > 0 ? CEILING : FLOOR;
    if (!logarithmic) return each.value;
    return each.sign > 0 ? each.log : FLOOR;
  };
  const known = (logarithmic ? logs : [...truths, ...claims].map((each) => each.value));
  let low = known.length ? Math.min(...known) : 0, high = known.length ? Math.max(...known) : 1;
  if (logarithmic && truths.some((each) => each.sign > 0)) {
    // What is far beyond is drawn at the edge, so that the rest can be told apart.
    const trueLogs = truths.filter((each) => each.sign > 0).map((each) => each.log);
    const least = Math.min(...trueLogs), most = Math.max(...trueLogs);
    const room = Math.max(8, most - least);
    low = Math.max(low, least - room);
    high = Math.min(high, most + room);
  }
  if (low === high) [low, high] = [low - (Math.abs(low) || 1) / 2, high + (Math.abs(high) || 1) / 2];
  const ticks = logarithmic ? decades(low, high, 7).map((power) => [power, power === 0 ? "1" : "1e" + power])
    : steps(low, high, 6).map((each) => [each, brief(String(each), 4)]);
  const scale = vertical(panel, low, high, ticks);
  const lines = stretches(card.rows, (row) => {
    const truth = truthNumber(row);
    return truth && [across.at(row.question.sweep.x), scale.at(value(truth))];
  });
  const points = (pairs) => pairs.map((pair) => pair.map((part) => part.toFixed(1)).join(",")).join(" ");
  if (card.kind === "upper" || card.kind === "lower") {
    const edge = card.kind === "upper" ? panel.from : panel.to;
    for (const line of lines) {
      const [begin, end] = line.length > 1 ? [line[0], line[line.length - 1]] : [[line[0][0] - 4, line[0][1]], [line[0][0] + 4, line[0][1]]];
      svg.append(draw("polygon", { points: points([[begin[0], edge], begin, ...line, end, [end[0], edge]]), class: "region" }));
    }
  }
  frame(svg, panel, scale, visible(card.rows[0].question.quantity));
  for (const line of lines) {
    svg.append(draw("polyline", { points: points(line.length > 1 ? line : [[line[0][0] - 4, line[0][1]], [line[0][0] + 4, line[0][1]]]), class: "truth" }));
  }
  const claimed = card.rows.filter(signed).map((row) => [across.at(row.question.sweep.x), scale.at(value(signed(row)))]);
  svg.append(draw("polyline", { points: points(claimed), class: "claims" }));
  card.rows.forEach((row) => pointAt(svg, row, across.at(row.question.sweep.x), scale.at(value(signed(row)))));
}
function panelOfExcess(svg, card, across, panel) {
  const all = card.rows.map(excess);
  const finite = all.filter((each) => each && each.sign !== 0 && Number.isFinite(each.log)).map((each) => ({ sign: each.sign, log: each.log }));
  const least = finite.length ? Math.min(...finite.map((each) => Math.floor(each.log))) : -16;
  const base = Math.max(least, -40) - 1;
  const value = (each) => (!each ? FLOOR : each.sign === 0 ? 0 : each.log === Infinity ? (each.sign > 0 ? CEILING : FLOOR) : each.sign * Math.max(0, each.log - base));
  const known = [0, ...finite.map(value)];
  const low = Math.min(...known, -1.5), high = Math.max(...known, 1.5);
  const every = Math.max(1, Math.ceil((high - low) / 7));
  const ticks = [[0, "0"]];
  for (let place = every; place <= high; place += every) ticks.push([place, "+1e" + (base + place)]);
  for (let place = every; place <= -low; place += every) ticks.push([-place, "\u22121e" + (base + place)]);
  const scale = vertical(panel, low, high, ticks.map(([at, text]) => [at, text.replace("1e0", "1")]));
  if (card.kind === "upper" || card.kind === "lower") {
    const [from, to] = card.kind === "upper" ? [scale.at(0), panel.from] : [panel.to, scale.at(0)];
    svg.append(draw("rect", { x: BOX.left, y: from, width: BOX.width - BOX.right - BOX.left, height: to - from, class: "region" }));
  }
  frame(svg, panel, scale, "relative error");
  svg.append(draw("line", { x1: BOX.left, x2: BOX.width - BOX.right, y1: scale.at(0), y2: scale.at(0), class: "truth" }));
  card.rows.forEach((row, place) => {
    if (all[place]) pointAt(svg, row, across.at(row.question.sweep.x), scale.at(value(all[place])));
  });
}
function pointAt(svg, row, x, y) {
  const [path, filled] = MARKS[row.verdict] || MARKS.unsupported;
  const words = row.question.sweep.parameter + " = " + brief(String(row.question.sweep.x), 6) + ": " + row.verdict + (row.detail ? " (" + row.detail + ")" : "")
    + (claimText(row) === undefined ? "" : ", claim " + shorten(claimText(row))) + (row.truth ? ", truth " + truthBrief(row) : "")
    + (row.ratio === undefined ? "" : ", claim / truth " + ratioBrief(row));
  svg.append(draw("g", { class: "point " + row.verdict, transform: "translate(" + (x - 4.8).toFixed(1) + " " + (y - 4.8).toFixed(1) + ") scale(0.6)" },
    draw("title", {}, visible(words)), draw("path", { d: path, class: filled ? "mark filled" : "mark" })));
}

// ---- Set up.

document.body.append(draw("svg", { class: "defs", "aria-hidden": "true" }, draw("defs", {},
  draw("pattern", { id: "hatch", width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
    draw("rect", { width: 7, height: 7, class: "hatch-ground" }), draw("line", { x1: 0, x2: 0, y1: 0, y2: 7, class: "hatch-line" })))));
introduce();
summarise();
byId("table").replaceChildren(
  make("thead", {}, make("tr", {}, make("td", {}), COLUMNS.map((column) =>
    make("th", { scope: "col", class: column.right ? "right" : null, "data-column": column.name, title: column.hint }, make("button", {
      type: "button", onclick: () => {
        state.descending = state.sort === column && !state.descending;
        state.sort = column;
        refresh();
      },
    }, column.title))))), make("tbody"));
Object.keys(FILTERS).forEach(offer);
for (const name of Object.keys(FILTERS)) {
  control(name).addEventListener("change", () => {
    if (name === "peer") offer("api");
    refresh();
  });
}
control("text").addEventListener("input", refresh);
byId("filters").addEventListener("submit", (event) => event.preventDefault());
// The controls hold their new values only after this event.
byId("filters").addEventListener("reset", () => setTimeout(() => { offer("api"); refresh(); }));
byId("plot-filters").addEventListener("submit", (event) => event.preventDefault());
byId("page-size").addEventListener("change", () => { state.page = 0; show(); });
byId("page-first").addEventListener("click", () => { state.page = 0; show(); });
byId("page-previous").addEventListener("click", () => { state.page -= 1; show(); });
byId("page-next").addEventListener("click", () => { state.page += 1; show(); });
byId("page-last").addEventListener("click", () => { state.page = Infinity; show(); });
setUpPlots();
const addressed = readAddress();
refresh();
if (addressed) byId("answers").scrollIntoView();
window.addEventListener("hashchange", () => {
  if (!readAddress()) return;
  refresh();
  byId("answers").scrollIntoView();
});
document.documentElement.dataset.ready = "yes";
})();
