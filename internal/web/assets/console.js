// What the console does better with JavaScript. Without it each link opens a page, and each form leads to one.
"use strict";

// Pages that are opened from a list are shown beside it, in a dialog.
const beside = document.createElement("dialog");
beside.className = "beside";
beside.setAttribute("aria-label", "Details");
document.body.append(beside);
beside.addEventListener("click", event => { if (event.target === beside) beside.close(); });

// show loads a page into the dialog.
async function show(url) {
  const response = await fetch(url, { headers: { "Holdfast-Fragment": "1" } });
  fill(await response.text());
}

// fill shows the HTML of a page of this server in the dialog.
function fill(html) {
  beside.innerHTML = html;
  const close = document.createElement("button");
  close.className = "button close";
  close.textContent = "Close";
  close.addEventListener("click", () => beside.close());
  beside.prepend(close);
  for (const field of beside.querySelectorAll("[data-back]")) field.value = location.pathname + location.search;
  if (!beside.open) beside.showModal();
  const heading = beside.querySelector("h1");
  if (heading) { heading.tabIndex = -1; heading.focus(); }
}

// Links and forms with data-beside.
document.addEventListener("click", event => {
  const link = event.target.closest("a[data-beside]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
  event.preventDefault();
  show(link.href).catch(() => { location = link.href; });
});

// A text that people copy has a button for it.
for (const field of document.querySelectorAll("[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button quiet";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(field.value);
    button.textContent = "Copied";
  });
  field.closest("label").after(button);
}

// What has happened is said once: the page that is loaded again, or a list that is come back to, doesn't say it again.
const told = new URL(location.href);
if (told.searchParams.has("done")) {
  told.searchParams.delete("done");
  told.searchParams.delete("undo");
  history.replaceState(history.state, "", told);
}

// Fields that count only with a choice of another field make that choice when they are filled in.
document.addEventListener("input", event => {
  const field = event.target, needs = field.closest?.("[data-needs]");
  if (!needs || !field.value.trim()) return;
  const other = field.form?.elements.namedItem(needs.dataset.needs);
  if (!other || other === field) return;
  if (other.type === "checkbox") other.checked = true;
  else other.value = needs.dataset.value;
});

// A form is sent once. What is wrong with it is said in the form, so that nothing that was typed is lost.
document.addEventListener("submit", async event => {
  const form = event.target;
  if ("plain" in form.dataset) return;
  if (form.method === "get") {
    if (!("beside" in form.dataset)) return;
    event.preventDefault();
    const url = form.action + "?" + new URLSearchParams(new FormData(form));
    show(url).catch(() => { location = url; });
    return;
  }
  event.preventDefault();
  if (form.ariaBusy === "true") return;
  form.ariaBusy = "true";
  document.querySelector("main > .notice.good")?.remove();
  try {
    const data = new FormData(form, event.submitter);
    const response = await fetch(form.action, {
      method: "POST", body: form.enctype === "multipart/form-data" ? data : new URLSearchParams(data), headers: { "Holdfast-Fragment": "1" },
    });
    if (response.redirected) {
      location = response.url;
      return;
    }
    const html = await response.text();
    if (response.ok) {
      fill(html);
      return;
    }
    for (const old of form.querySelectorAll(".failure")) old.remove();
    form.insertAdjacentHTML("afterbegin", html);
    form.querySelector(".failure h1")?.scrollIntoView({ block: "nearest" });
  } catch {
    for (const old of form.querySelectorAll(".failure")) old.remove();
    form.insertAdjacentHTML("afterbegin",
      '<div class="failure" role="alert"><h1>No answer</h1><p>It isn’t known whether it was done. Send it again: it is done once.</p></div>');
  } finally {
    form.ariaBusy = null;
  }
});
