// What the pages do better with JavaScript. Each part looks for its elements and leaves the page alone without them.
"use strict";

// Times in the visitor's zone, beside those of the place when clocks show another time there; with the day, if it is another day.
for (const element of document.querySelectorAll("[data-local]")) {
  const at = new Date(element.dataset.local);
  const offset = -at.getTimezoneOffset();
  if (Number.isNaN(offset) || offsetOf(element.dataset.local) === offset) continue;
  const options = { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZoneName: "short" };
  const dateHere = new Date(at.getTime() + offset * 60000).toISOString().slice(0, 10);
  if ("long" in element.dataset || dateHere !== element.dataset.local.slice(0, 10)) {
    Object.assign(options, { weekday: "short", day: "numeric", month: "short" });
  }
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

// How long a hold still lasts. The server says how many seconds are left: the visitor's clock may be fast or slow.
for (const notice of document.querySelectorAll("[data-hold-ends]")) {
  const ends = Date.now() + Number(notice.dataset.holdEnds) * 1000;
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

// From a form the way leads on to the payment page at once, and back past this page. In a frame the payment page can't be shown.
for (const link of document.querySelectorAll("a[data-go]")) {
  if (window.top === window) addEventListener("load", () => location.replace(link.href));
}

// A form is sent once, however often its button is pressed. It can be sent again when the visitor comes back to the page.
for (const form of document.querySelectorAll("form[data-once]")) {
  let sent = false;
  form.addEventListener("submit", (event) => {
    if (event.submitter?.formMethod === "get") return; // the button only shows something
    if (sent) event.preventDefault();
    sent = true;
    form.setAttribute("aria-busy", "true");
  });
  addEventListener("pageshow", () => {
    sent = false;
    form.removeAttribute("aria-busy");
  });
}

// What is free is shown anew soon after the party, the length or the nights change, unless another button is pressed before.
for (const form of document.querySelectorAll("form[data-choose]")) {
  const show = form.querySelector("[data-show]");
  let soon, reads = false;
  const showSoon = () => {
    clearTimeout(soon);
    soon = setTimeout(() => {
      if (form.reportValidity()) form.requestSubmit(show);
    }, 300);
  };
  form.addEventListener("change", showSoon);
  for (const button of form.querySelectorAll(".counter button")) {
    button.addEventListener("click", (event) => {
      event.preventDefault();
      const field = form.elements[button.value];
      if (button.name === "more") field.stepUp();
      else field.stepDown();
      showSoon();
    });
  }
  form.addEventListener("submit", (event) => {
    clearTimeout(soon);
    reads = event.submitter?.formMethod === "get";
  });
  form.addEventListener("formdata", (event) => {
    if (reads) event.formData.delete("key"); // addresses don't need it
  });
}

for (const button of document.querySelectorAll("[data-print]")) {
  button.hidden = false;
  button.addEventListener("click", () => print());
}
