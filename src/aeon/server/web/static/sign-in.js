"use strict";
// Takes the secret of a sign-in link out of the address, and sends it as the form for a pasted link does. The server asks
// before it ends another user's session. What was typed and not sent goes with its user.
function signIn() {
  const secret = location.hash.slice(1);
  if (!secret.startsWith("aeon_")) return;
  history.replaceState(null, "", location.pathname + location.search);
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/sign-in";
  const link = document.createElement("input");
  link.type = "hidden";
  link.name = "link";
  link.value = secret;
  form.append(link);
  document.body.append(form);
  form.submit();
}

function dropDrafts() {
  for (const key of Object.keys(localStorage)) if (key.startsWith("aeon-draft:")) localStorage.removeItem(key);
  sessionStorage.removeItem("aeon-sent");
}

document.addEventListener("submit", (event) => {
  if (event.target.dataset.dropsDrafts !== undefined) dropDrafts();
});
addEventListener("hashchange", signIn);
signIn();
