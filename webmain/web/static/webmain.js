"use strict";
// Every page works without this file. It lets files be dropped, tells that a form is on its way, and renews what changes.

for (const area of document.querySelectorAll("[data-drop]")) {
  const input = area.querySelector("input[type=file]");
  for (const name of ["dragenter", "dragover"]) {
    area.addEventListener(name, (event) => { event.preventDefault(); area.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) {
    area.addEventListener(name, () => area.classList.remove("over"));
  }
  area.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; input.dispatchEvent(new Event("change")); }
  });
}

for (const form of document.querySelectorAll("form[data-busy]")) {
  form.addEventListener("submit", (event) => {
    const button = event.submitter;
    const status = form.querySelector("[role=status]");
    if (status) { status.textContent = form.dataset.busy; }
    if (button) { setTimeout(() => { button.disabled = true; }); }
  });
}

// The back button shows a page as it was left: with its button off.
addEventListener("pageshow", () => {
  for (const button of document.querySelectorAll("form[data-busy] button:disabled")) { button.disabled = false; }
  for (const status of document.querySelectorAll("form[data-busy] [role=status]")) { status.textContent = ""; }
});

// What changes by itself is renewed in its place, so that nothing scrolls away and the focus stays.
async function renew(area) {
  let fresh = null;
  try {
    const answer = await fetch(location.href, { headers: { accept: "text/html" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    fresh = answer.ok ? page.querySelector("main > [data-renew]") || page.querySelector("main > div") : null;
    if (fresh) { document.title = page.title; }
  } catch { /* the server may be back soon */ }
  if (fresh) {
    const focused = area.contains(document.activeElement) ? document.activeElement.id : "";
    area.replaceWith(fresh);
    if (focused) { (document.getElementById(focused) || document.getElementById("main")).focus(); }
    area = fresh;
  }
  if (area.dataset.renew) { setTimeout(renew, 1000 * area.dataset.renew, area); }
}

for (const area of document.querySelectorAll("[data-renew]")) { setTimeout(renew, 1000 * area.dataset.renew, area); }
