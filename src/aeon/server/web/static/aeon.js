"use strict";
// What the page does better with JavaScript. Everything works without it, by links and forms.

const words = document.body.dataset;
const byId = (id) => document.getElementById(id);
const main = byId("main");
let stream = null;

// Saying things

function alertReader(text) {
  const box = byId("alert");
  box.textContent = text;
  box.hidden = !text;
  document.documentElement.style.setProperty("--alert", `${box.offsetHeight}px`); // what sticks to the end stands above it
}

// While the server does not answer, the page says so and asks again.

const AGAIN = 2000;
const later = () => new Promise((resolve) => setTimeout(resolve, AGAIN));

function sayLost(text) {
  if (byId("alert").textContent !== text) alertReader(text);
}

function sayFound() {
  if ([words.lost, words.unsent].includes(byId("alert").textContent)) alertReader("");
}

function tellOnce(text) {
  byId("status").textContent = text;
}

// Drafts: what was typed is kept until the server has it.

const draftName = (field) => `aeon-draft:${field.dataset.draft}`;

function keepDraft(field) {
  if (field.value && field.value !== field.defaultValue) localStorage.setItem(draftName(field), field.value);
  else localStorage.removeItem(draftName(field));
}

function restoreDrafts() {
  for (const field of document.querySelectorAll("[data-draft]")) {
    const kept = localStorage.getItem(draftName(field));
    if (kept === null) continue;
    field.value = kept;
    const folded = field.closest("details");
    if (folded) folded.open = true;
  }
}

function dropSentDraft(sentKey) {
  const sent = JSON.parse(sessionStorage.getItem("aeon-sent") || "null");
  if (!sent || (sentKey && sent.key !== sentKey)) return;
  if (localStorage.getItem(sent.draft) === sent.text) localStorage.removeItem(sent.draft);
  sessionStorage.removeItem("aeon-sent");
}

// Notes which draft a form sends; returns whether it sends one.
function noteSent(form) {
  const field = form.querySelector("[data-draft]");
  if (!field) return false;
  keepDraft(field);
  const key = form.elements.namedItem("key");
  sessionStorage.setItem("aeon-sent", JSON.stringify({ key: key ? key.value : "", draft: draftName(field), text: field.value }));
  return true;
}

function forgetSentInAddress() {
  const address = new URL(location.href);
  const key = address.searchParams.get("sent");
  if (key) {
    dropSentDraft(key);
    address.searchParams.delete("sent");
  }
  if (address.href !== location.href) history.replaceState(null, "", address);
}

// Scrolling: the page follows the answer only for a reader who is at its end.

const isAtEnd = () => innerHeight + scrollY >= document.documentElement.scrollHeight - 60;

function goToEnd() {
  scrollTo(0, document.documentElement.scrollHeight);
}

function showJump() {
  const jump = byId("jump");
  if (jump) jump.hidden = isAtEnd();
}

// Forms and pages in place: the server's next page takes the place of this one's main part.

// Replaces parts of the page. The focus stays in the element that takes the place of its own.
function keepFocus(replace) {
  const focused = document.activeElement && main.contains(document.activeElement) ? document.activeElement.closest("[id]") : null;
  const place = articles().indexOf(chosen());
  replace();
  if (!focused || focused.isConnected) return;
  const following = byId(focused.id) || articles()[place]; // what follows an article that is gone
  if (following) following.focus({ preventScroll: true });
}

// Shows a page that was fetched. `isBusy` is asked once it is here: while it came, its reader may have begun to type.
async function show(answer, isSwapping, isBusy = () => false) {
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (isBusy()) return false;
  const part = next.getElementById("main");
  if (!answer.ok || !part || !next.getElementById("side")) {
    const problem = next.querySelector(".problem") || part || next.body;
    const advice = next.querySelector(".problem ~ p");
    alertReader([problem.textContent.trim(), advice ? advice.textContent.trim() : ""].join(" ").trim());
    return false;
  }
  const open = [...document.querySelectorAll("main details[open][id]")].map((each) => each.id);
  const wasGoingOn = Boolean(main.dataset.refresh);
  keepFocus(() => {
    main.replaceChildren(...part.childNodes);
    for (const id of open) if (byId(id)) byId(id).open = true;
  });
  if (part.dataset.refresh) main.dataset.refresh = part.dataset.refresh;
  else delete main.dataset.refresh;
  const result = main.querySelector("[data-result]");
  if (result && wasGoingOn && !main.dataset.refresh) tellOnce(result.textContent);
  if (isSwapping) replaceSide(next);
  document.title = next.title;
  addCopyButtons();
  return true;
}

// Sends a request until the server answers, as long as the form is there. The form's key keeps it from being done twice.
async function deliver(form, request) {
  while (form.isConnected) {
    try {
      const answer = await fetch(form.action, request);
      sayFound();
      return answer;
    } catch {
      sayLost(words.unsent);
      await later();
    }
  }
  return null;
}

async function send(form, submitter) {
  if (form.dataset.sending) return;
  form.dataset.sending = "yes";
  const body = new FormData(form, submitter);
  const hasFiles = form.enctype === "multipart/form-data";
  const hasDraft = noteSent(form);
  const buttons = [...form.querySelectorAll("button:enabled")];
  const sender = submitter || form;
  const places = [sender.id, sender.closest("[id][tabindex]").id]; // the button, or if it is gone, what it stood in
  const typed = [...form.querySelectorAll("textarea:not([readonly])")];
  for (const each of buttons) each.disabled = true; // which takes the focus from the button
  for (const each of typed) each.readOnly = true; // what is sent is what is shown
  try {
    const answer = await deliver(form, { method: "POST", body: hasFiles ? body : new URLSearchParams(body) });
    if (!answer || !(await show(answer, true))) return;
    const place = places.map(byId).find(Boolean);
    if (place && document.activeElement === document.body) place.focus({ preventScroll: true });
    alertReader("");
    const address = new URL(answer.url);
    if (hasDraft) dropSentDraft(address.searchParams.get("sent"));
    address.searchParams.delete("sent");
    history.pushState(null, "", address);
    enhance();
    if (form.dataset.end !== undefined) goToEnd();
    const say = byId("say");
    if (say && form.dataset.end !== undefined) say.focus({ preventScroll: true });
  } catch {
    sayLost(words.broken); // the answer was cut off
  } finally {
    delete form.dataset.sending;
    for (const each of typed) each.readOnly = false;
    for (const each of buttons) each.disabled = false;
  }
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.dataset.swap === undefined) return;
  event.preventDefault();
  send(form, event.submitter);
});

// The answer that is being made: one stream for the page, which touches its own element only.

function follow() {
  if (stream) stream.close();
  stream = null;
  const place = document.querySelector("[data-stream]");
  if (!place) return;
  tellOnce(words.answering);
  const written = document.createTextNode("");
  let waiting = "";
  const write = () => {
    const follows = isAtEnd();
    if (!written.isConnected) place.replaceChildren(written);
    written.appendData(waiting);
    waiting = "";
    if (follows) goToEnd();
    else showJump();
  };
  const source = new EventSource(place.dataset.stream);
  stream = source;
  source.addEventListener("open", sayFound);
  source.addEventListener("piece", (event) => {
    if (!waiting) requestAnimationFrame(write); // many pieces a second are written at once
    waiting += JSON.parse(event.data).text;
  });
  source.addEventListener("end", () => {
    source.close();
    stream = null;
    finish(place);
  });
  const again = () => {
    if (stream !== source) return;
    source.close();
    sayLost(words.lost);
    setTimeout(() => place.isConnected && stream === source && follow(), AGAIN);
  };
  source.addEventListener("stopping", again);
  source.addEventListener("signed_out", () => {
    source.close();
    location.reload(); // the page then says how to sign in; a draft is kept
  });
  source.addEventListener("error", again);
  watchProgress(place, source);
}

async function watchProgress(place, source) {
  const list = place.parentElement.querySelector("[data-progress]");
  while (list && list.isConnected && stream === source && source.readyState !== EventSource.CLOSED) {
    try {
      const answer = await fetch(list.dataset.progress);
      if (answer.ok && list.isConnected) list.innerHTML = await answer.text();
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

// The finished answer takes the place of its pieces; all else on the page stays as its reader has it.
async function finish(place) {
  const article = place.closest("article");
  const answer = await fetch(location.href).catch(() => null);
  const text = answer && answer.ok ? await answer.text().catch(() => null) : null;
  if (text === null) {
    sayLost(words.lost);
    setTimeout(() => place.isConnected && finish(place), AGAIN);
    return;
  }
  sayFound();
  const next = new DOMParser().parseFromString(text, "text/html");
  const follows = isAtEnd(); // now: its reader may have scrolled while it was fetched
  keepFocus(() => {
    for (const id of [article.id, "unanswered", "buttons", "side"]) {
      const part = next.getElementById(id);
      if (byId(id) && part) byId(id).replaceWith(part);
    }
  });
  const stop = byId("stop");
  if (stop) stop.remove();
  document.title = next.title;
  enhance();
  if (follows) goToEnd();
  else showJump();
  tellOnce(words.answered);
}

// A run that has not ended is read again, unless its reader is typing.

let refreshing = 0;

function refreshLater() {
  clearTimeout(refreshing);
  if (!main.dataset.refresh) return;
  refreshing = setTimeout(async () => {
    const isTyping = () => isAt("textarea, select, main input");
    try {
      if (!isTyping() && !document.hidden) await show(await fetch(location.href), false, isTyping);
    } catch {
      // The next look may succeed.
    }
    restoreDrafts();
    refreshLater();
  }, Number(main.dataset.refresh));
}

// Lists stay current: one stream of changes where no answer is followed. A hidden tab has none, because a browser
// opens few connections to one server.

let changes = null;
let lookingAgain = 0;

function watchChanges() {
  if (changes) changes.close();
  changes = null;
  if (document.hidden || stream) return;
  changes = new EventSource(words.changes);
  changes.addEventListener("change", (event) => {
    const change = JSON.parse(event.data);
    words.changes = words.changes.replace(/\d+$/, change.seq);
    const live = main.dataset.live;
    if (live !== undefined && change.action.startsWith(live)) lookLater(true);
    else if (change.action.startsWith("conversation.")) lookLater(false);
  });
  changes.addEventListener("stopping", () => setTimeout(watchChanges, 2000));
  changes.addEventListener("signed_out", () => location.reload());
}

function isAt(places) {
  return document.activeElement !== null && document.activeElement.matches(places);
}

let hasMainChanged = false;

function lookLater(isMain) {
  hasMainChanged ||= isMain;
  if (lookingAgain) return;
  lookingAgain = setTimeout(async () => {
    const isWhole = hasMainChanged;
    lookingAgain = 0;
    hasMainChanged = false;
    const isBusy = () => isAt(isWhole ? "main input, main select, #side *" : "#side *");
    if (isBusy()) return lookLater(isWhole);
    try {
      const answer = await fetch(location.href);
      if (isWhole) {
        await show(answer, true, isBusy);
      } else {
        const next = new DOMParser().parseFromString(await answer.text(), "text/html");
        if (!isBusy()) replaceSide(next);
      }
    } catch {
      // The next change may be seen.
    }
    if (isBusy()) lookLater(isWhole);
  }, 500);
}

function replaceSide(next) {
  const part = next.getElementById("side");
  if (!part) return;
  part.querySelector(".list").open = byId("side").querySelector(".list").open;
  byId("side").replaceWith(part);
}

// Copying, and what an answer was made from

async function copy(button, text) {
  await navigator.clipboard.writeText(text);
  const before = button.textContent;
  button.textContent = words.copied;
  tellOnce(words.copied);
  setTimeout(() => { button.textContent = before; }, 1500);
}

function addCopyButtons() {
  for (const block of document.querySelectorAll("main pre")) {
    if (block.querySelector(".copy-code")) continue;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy-code";
    button.textContent = words.copy;
    const text = block.textContent;
    button.addEventListener("click", () => copy(button, text));
    block.append(button);
  }
}

async function openPanel(link) {
  const article = link.closest("article");
  const open = article.querySelector(".panel");
  if (open) return open.remove();
  const answer = await fetch(link.href);
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  const found = next.querySelector("[data-panel-content]");
  if (!found) return location.assign(link.href);
  const panel = document.createElement("div");
  panel.className = "panel";
  panel.tabIndex = -1;
  panel.append(found);
  article.append(panel);
  addCopyButtons();
  panel.focus({ preventScroll: true });
}

document.addEventListener("click", async (event) => {
  const link = event.target.closest("a");
  if (event.target.id === "keys-open") byId("keys").showModal();
  if (event.target.id === "jump") goToEnd();
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (link.dataset.panel !== undefined) {
    event.preventDefault();
    openPanel(link);
  } else if (link.dataset.copyFrom !== undefined) {
    event.preventDefault();
    copy(link, await (await fetch(link.href)).text());
  }
});

// Keys

const articles = () => [...document.querySelectorAll("main article")];

function chosen() {
  return document.activeElement && document.activeElement.closest("main article");
}

function move(step) {
  const all = articles();
  const at = all.indexOf(chosen());
  const first = byId("say") ? all.length - 1 : 0; // a conversation is read from its end
  const next = all[at === -1 ? first : Math.min(Math.max(at + step, 0), all.length - 1)];
  if (next) next.focus();
}

function press(article, key) {
  const target = article && article.querySelector(`[data-key="${key}"]`);
  if (target) target.click();
  if (target && key === "e") article.querySelector("details.edit textarea").focus();
  return Boolean(target);
}

const isTouched = matchMedia("(hover: none) and (pointer: coarse)"); // its keyboard has no Shift+Enter: a button sends

function act(event) {
  const key = event.key;
  const isTyping = event.target.matches("textarea, input, select");
  if (key === "Enter" && event.target.matches("[data-sends]") && !event.shiftKey && !event.isComposing && !isTouched.matches) {
    const button = document.querySelector(".composer .send:enabled");
    if (button && event.target.value.trim()) button.click();
    return true;
  }
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && isTyping && event.target.form) {
    event.target.form.requestSubmit();
    return true;
  }
  if (key === "Escape" && byId("stop") && !byId("keys").open) {
    byId("stop").requestSubmit();
    return true;
  }
  if (key === "F6") {
    const say = byId("say");
    if (document.activeElement === say || !say) move(0);
    else say.focus();
    return true;
  }
  if (event.altKey && (key === "ArrowUp" || key === "ArrowDown")) {
    move(key === "ArrowUp" ? -1 : 1);
    return true;
  }
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return false;
  if (key === "/") {
    byId("search").focus();
    return true;
  }
  if (key === "?") {
    byId("keys").showModal();
    return true;
  }
  return "er[]cwf".includes(key) && press(chosen(), key);
}

document.addEventListener("keydown", (event) => {
  if (act(event)) event.preventDefault();
});

document.addEventListener("input", (event) => {
  if (event.target.dataset.draft) keepDraft(event.target);
});
document.addEventListener("visibilitychange", watchChanges);
addEventListener("scroll", showJump, { passive: true });
addEventListener("hashchange", forgetSentInAddress);
addEventListener("popstate", () => location.reload());
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

function foldList() {
  const list = document.querySelector("#side .list");
  if (matchMedia("(max-width: 50rem)").matches && !list.matches(":focus-within")) list.open = false;
}

function enhance() {
  foldList();
  restoreDrafts();
  addCopyButtons();
  follow();
  watchChanges();
  showJump();
  refreshLater();
}

forgetSentInAddress();
enhance();
