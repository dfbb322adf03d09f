"use strict";
// The editor of a Process: line numbers, and the faults of the text while it is typed. Without it, "Check" shows them.

const field = document.getElementById("text");
const faults = document.getElementById("faults");
const gutter = document.createElement("pre");
let waiting = 0;
let asked = 0;

gutter.className = "gutter";
gutter.setAttribute("aria-hidden", "true");
field.before(gutter);

function drawLines() {
  const bad = new Set([...faults.querySelectorAll("[data-line]")].map((each) => Number(each.dataset.line)));
  const count = field.value.split("\n").length;
  gutter.replaceChildren();
  for (let line = 1; line <= count; line += 1) {
    const number = document.createElement("span");
    number.textContent = `${line}\n`;
    if (bad.has(line)) number.className = "at-fault";
    gutter.append(number);
  }
  gutter.scrollTop = field.scrollTop;
}

// The answer to an older text than the last one that was sent is left out.
async function check() {
  const number = ++asked;
  const body = new URLSearchParams({ content: field.value, process: field.dataset.process || "" });
  const answer = await fetch(field.dataset.check, { method: "POST", body }).catch(() => null);
  if (!answer || !answer.ok || number !== asked) return;
  faults.innerHTML = await answer.text(); // made of escaped text by the server
  linkFaults();
  drawLines();
}

function goToLine(line) {
  const start = field.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
  const end = field.value.indexOf("\n", start);
  field.focus();
  field.setSelectionRange(start, end === -1 ? field.value.length : end);
  field.scrollTop = (line - 5) * (field.scrollHeight / field.value.split("\n").length);
}

function linkFaults() {
  for (const each of faults.querySelectorAll("[data-line]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "↑";
    button.setAttribute("aria-label", each.textContent.split(":")[0]);
    button.addEventListener("click", () => goToLine(Number(each.dataset.line)));
    each.prepend(button, " ");
  }
}

// A draft that was kept is shown; the saved text is one click away.
function offerSavedText() {
  const note = document.getElementById("restored");
  note.hidden = field.value === field.defaultValue;
  note.querySelector("button").addEventListener("click", () => {
    field.value = field.defaultValue;
    keepDraft(field);
    note.hidden = true;
    drawLines();
    check();
  });
  if (!note.hidden) check();
}

field.form.addEventListener("submit", () => noteSent(field.form));
field.addEventListener("input", () => {
  drawLines();
  clearTimeout(waiting);
  waiting = setTimeout(check, 400);
});
field.addEventListener("scroll", () => { gutter.scrollTop = field.scrollTop; });
linkFaults();
drawLines();
offerSavedText();
