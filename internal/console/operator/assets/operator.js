// What the operator's console does better with JavaScript: pages on which something changes by itself are loaded anew.
"use strict";

const live = document.querySelector("[data-refresh]");
if (live) {
  const pause = document.createElement("button");
  pause.className = "button secondary";
  pause.type = "button";
  let paused = false;
  const name = () => { pause.textContent = paused ? "Go on" : "Pause"; };
  name();
  pause.addEventListener("click", () => { paused = !paused; name(); });
  document.querySelector("[data-pause]").append(pause);

  // refresh puts what the page says now in the place of what it said, and keeps open what is open. Nothing moves under somebody who has
  // the keyboard's focus in it, or has marked text.
  const refresh = async () => {
    if (paused || document.hidden || live.contains(document.activeElement) || String(getSelection())) return;
    const response = await fetch(location.href, { headers: { "Holdfast-Fragment": "1" } });
    if (response.status === 401) {
      location.reload();
      return;
    }
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), "text/html").querySelector("[data-refresh]");
    if (!page) return;
    for (const open of live.querySelectorAll("details[open]")) {
      const again = page.querySelector("#" + CSS.escape(open.id));
      if (again) again.open = true;
    }
    if (page.innerHTML !== live.innerHTML) live.replaceChildren(...page.childNodes);
  };
  const wait = () => setTimeout(() => refresh().catch(() => {}).finally(wait), 1000 * Number(live.dataset.refresh));
  wait();
}
