"use strict";
// Takes the secret of a sign-in link out of the address, and begins a session with it.
async function signIn() {
  const secret = location.hash.slice(1);
  if (!secret.startsWith("aeon_")) return;
  history.replaceState(null, "", location.pathname + location.search);
  const answer = await fetch("/api/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ link: secret }),
  });
  if (answer.ok) location.reload();
  else document.getElementById("used").hidden = false;
}

addEventListener("hashchange", signIn);
signIn();
