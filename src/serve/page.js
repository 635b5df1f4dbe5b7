// The page of `dpcert serve`. Output of the program is inserted as text, never as HTML.
"use strict";

const by = (id) => document.getElementById(id);
const points = { epsilon: ["delta", "1e-5"], delta: ["epsilon", "1"], beta: ["alpha", "0.05"] };
const quantity = () => document.querySelector("input[name=quantity]:checked").value;
let mechanisms = [];
const dark = matchMedia("(prefers-color-scheme: dark)");
let asked = 0;
let drawn = null;
let latest = null;
// The running query. A new query cancels it.
let waiting = new AbortController();

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

async function post(path, body) {
  const reply = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: waiting.signal,
  });
  if (!reply.ok) throw new Error((await reply.json()).error);
  return reply;
}

function fault(text) {
  by("fault").textContent = text;
  by("fault").hidden = !text;
}

function about() {
  const entry = mechanisms[by("add").selectedIndex];
  by("about").textContent = entry ? `${entry.summary}: ${entry.usage}` : "";
}

function compose() {
  const entry = mechanisms[by("add").selectedIndex];
  const times = Number(by("times").value);
  const before = by("mechanism").value.trim();
  // Some examples end with a repetition.
  const factor = entry.example.replace(/\^\d+$/, "") + (times > 1 ? `^${times}` : "");
  by("mechanism").value = before ? `${before} * ${factor}` : factor;
  by("mechanism").focus();
}

function show(reply) {
  const { answer } = reply;
  by("number").textContent = answer.exact !== undefined ? `${answer.quantity} = ${answer.exact}`
    : answer.lower !== undefined ? `${answer.lower} ≤ ${answer.quantity} ≤ ${answer.upper}`
    : answer.kind === "infinite" ? `${answer.quantity} is infinite` : `${answer.kind}: ${answer.reason}`;
  const side = answer.quantity === "beta" ? "f64_lower" : "f64_upper";
  by("promise").textContent = answer[side] === undefined ? ""
    : `State the ${answer.quantity === "beta" ? "lower" : "upper"} bound as the guarantee. ${answer.reason ?? ""}`;
  by("text").textContent = reply.text.split("\n    ")[0];
  const rows = (answer.explain ?? []).map(({ label, value }) => {
    const row = document.createElement("tr");
    row.append(element("td", label), element("td", value));
    return row;
  });
  by("explanation").tBodies[0].replaceChildren(...rows);
  const copies = [["Expression", reply.expression], ["Shell", reply.shell], ["Python", reply.python], ["JSON", reply.json]];
  by("copies").replaceChildren(...copies.flatMap(([name, text]) => {
    const head = element("div", "", { class: "copy" });
    const button = element("button", "Copy", { type: "button" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    });
    head.append(element("span", name), button);
    return [head, element("pre", text, { id: `copy-${name.toLowerCase()}` })];
  }));
  by("answer").hidden = false;
}

async function draw(question, turn) {
  by("drawing").textContent = "Drawing ...";
  try {
    const { mechanism, direction } = question;
    const svg = await (await post("curve", { mechanism, direction, dark: dark.matches })).blob();
    if (turn !== asked) return;
    if (drawn) URL.revokeObjectURL(drawn);
    drawn = URL.createObjectURL(svg);
    by("picture").src = drawn;
    by("picture").hidden = false;
    by("drawing").textContent = "Certified points joined by straight lines. The grey diagonal is perfect privacy.";
  } catch (error) {
    if (turn !== asked) return;
    by("picture").hidden = true;
    by("drawing").textContent = `No picture: ${error.message}`;
  }
}

async function ask(event) {
  event?.preventDefault();
  const turn = ++asked;
  waiting.abort();
  waiting = new AbortController();
  fault("");
  const question = {
    mechanism: by("mechanism").value,
    quantity: quantity(),
    at: by("at").value,
    direction: by("direction").value,
  };
  if (by("digits").value) question.digits = Number(by("digits").value);
  by("ask").textContent = "Computing ...";
  try {
    const reply = await (await post("answer", question)).json();
    if (turn !== asked) return;
    show(reply);
    latest = question;
    by("ask").textContent = "Compute";
    await draw(question, turn);
  } catch (error) {
    if (turn !== asked) return;
    by("answer").hidden = true;
    fault(error.message);
  } finally {
    if (turn === asked) by("ask").textContent = "Compute";
  }
}

for (const radio of document.querySelectorAll("input[name=quantity]")) {
  radio.addEventListener("change", () => {
    [by("point").textContent, by("at").value] = points[quantity()];
  });
}
by("question").addEventListener("submit", ask);
by("compose").addEventListener("click", compose);
by("clear").addEventListener("click", () => { by("mechanism").value = ""; by("mechanism").focus(); });
by("add").addEventListener("change", about);
dark.addEventListener("change", () => { if (latest) draw(latest, asked); });

fetch("mechanisms").then((reply) => reply.json()).then((all) => {
  mechanisms = all;
  by("add").replaceChildren(...all.map(({ name }) => element("option", name)));
  about();
}).catch((error) => fault(String(error)));
