// What the pages do better with JavaScript. Each part looks for its elements and leaves the page alone without them.
"use strict";

// Times in the visitor's zone, beside those of the place when clocks show another time there.
for (const element of document.querySelectorAll("[data-local]")) {
  const at = new Date(element.dataset.local);
  const long = "long" in element.dataset;
  const options = long
    ? { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" }
    : { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
  const offsetThere = offsetOf(element.dataset.local);
  if (Number.isNaN(at.getTime()) || offsetThere === -at.getTimezoneOffset()) continue;
  element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, options).format(at);
  element.hidden = false;
  const row = element.closest("[data-local-row]");
  if (row) row.hidden = false;
}

// offsetOf returns the offset of an RFC 3339 time in minutes.
function offsetOf(text) {
  const match = /([+-])(\d\d):(\d\d)$/.exec(text);
  if (!match) return 0;
  return (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
}

// How long a hold still lasts.
for (const notice of document.querySelectorAll("[data-hold-ends]")) {
  const ends = new Date(notice.dataset.holdEnds).getTime();
  const left = notice.querySelector("[data-hold-left]");
  const clock = notice.querySelector("[data-clock]");
  const over = notice.querySelector("[data-hold-over]");
  const show = () => {
    const seconds = Math.ceil((ends - Date.now()) / 1000);
    left.hidden = seconds <= 0;
    over.hidden = seconds > 0;
    clock.textContent = Math.floor(seconds / 60) + ":" + String(seconds % 60).padStart(2, "0");
    if (seconds <= 0) clearInterval(timer);
  };
  const timer = setInterval(show, 1000);
  show();
}

// A form is sent once, however often its button is pressed. It can be sent again when the visitor comes back to the page.
for (const form of document.querySelectorAll("form[data-once]")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (sent) event.preventDefault();
    sent = true;
    form.setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", () => {
    sent = false;
    form.removeAttribute("aria-busy");
  });
}

// What is free is shown anew as soon as the party, the length or the nights change.
for (const form of document.querySelectorAll("form[data-submit-on-change]")) {
  form.addEventListener("change", () => {
    if (form.reportValidity()) form.requestSubmit();
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
