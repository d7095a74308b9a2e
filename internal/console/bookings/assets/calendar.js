// The calendar. The server says what is on it, and what a move comes to: see calendar.go.
"use strict";

const element = document.getElementById("calendar");
const dateOf = text => text.slice(0, 10);
const clockOf = text => text.slice(11, 16);

// shift returns a date so many days later.
function shift(date, days) {
  const at = new Date(date + "T00:00:00Z");
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

// local returns a time as clocks show it.
function local(at) {
  const two = n => String(n).padStart(2, "0");
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

// ask shows what it would come to if a booking went where it was dragged to. Until the person agrees it is shown where it was. A booking that
// is dragged keeps its length, which the server knows; one whose edge is dragged ends when clocks show the time of the edge.
function ask(info) {
  const { event } = info;
  info.revert();
  const start = local(info.event.start), end = local(info.event.end);
  const query = new URLSearchParams({ date: dateOf(start) });
  switch (event.extendedProps.kind) {
    case "slot":
      query.set("time", clockOf(start));
      if (info.endDelta) query.set("until", end.slice(0, 16));
      break;
    case "stay":
      query.set("check_out", shift(dateOf(end), -1));
  }
  if (info.newResource) query.set("resource", info.newResource.id);
  if (info.newResource && info.oldResource) query.set("instead_of", info.oldResource.id);
  show(event.extendedProps.move + "?" + query);
}

// block asks for a block of the time that was marked.
function block(info) {
  const query = new URLSearchParams();
  if (info.resource) query.set("resource_id", info.resource.id);
  if (info.allDay) {
    query.set("from", dateOf(local(info.start)));
    query.set("to", shift(dateOf(local(info.end)), -1));
  } else {
    query.set("starts_at", local(info.start));
    query.set("ends_at", local(info.end));
  }
  show(element.dataset.block + "?" + query);
}

// content is a link to what an event is. Its text begins with the time, unless it is for whole dates.
function content(info) {
  const link = document.createElement("a");
  link.href = info.event.extendedProps.url;
  link.dataset.beside = "";
  link.draggable = false;
  if (info.timeText) {
    const time = document.createElement("span");
    time.className = "ec-event-time";
    time.textContent = info.timeText;
    link.append(time, " ");
  }
  link.append(info.event.title);
  return { domNodes: [link] };
}

// day is the number of a day of a month, and what is read of it: the number alone says little.
function day(info) {
  const number = document.createElement("span");
  number.ariaHidden = "true";
  number.textContent = info.date.getDate();
  const read = document.createElement("span");
  read.className = "hidden";
  read.textContent = new Intl.DateTimeFormat("en-GB", { dateStyle: "full" }).format(info.date);
  return { domNodes: [number, read] };
}

// The address keeps the view and the date, so that the page comes back to them.
function keep(info) {
  const query = new URLSearchParams(location.search);
  query.set("view", info.view.type);
  query.set("date", dateOf(local(info.view.currentStart)));
  history.replaceState(null, "", location.pathname + "?" + query);
}

if (element) {
  // Where there is no room for a week, lists take the place of grids.
  const views = matchMedia("(max-width: 48rem)").matches
    ? ["timeGridDay", "listWeek", "listMonth", "resourceTimeGridDay"]
    : ["timeGridDay", "timeGridWeek", "dayGridMonth", "resourceTimeGridDay", "resourceTimelineWeek"];
  EventCalendar.create(element, {
    view: views.includes(element.dataset.view) ? element.dataset.view : views[0],
    date: element.dataset.date,
    firstDay: 1, locale: "en-GB",
    headerToolbar: { start: "prev,next today", center: "title", end: views.join(",") },
    buttonText: { today: "Today", timeGridDay: "Day", timeGridWeek: "Week", listWeek: "Week", dayGridMonth: "Month", listMonth: "Month", resourceTimeGridDay: "Resources", resourceTimelineWeek: "Resources’ week",
      prev: "Previous", next: "Next" },
    resources: JSON.parse(element.dataset.resources),
    eventSources: [{ url: element.dataset.events, method: "GET" }],
    slotMinTime: "06:00:00", slotMaxTime: "24:00:00", flexibleSlotTimeLimits: true, scrollTime: "08:00:00",
    views: { dayGridMonth: { dayHeaderFormat: { weekday: "short" }, dayCellContent: day } },
    dayHeaderFormat: { weekday: "short", day: "numeric", month: "short" },
    slotLabelFormat: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }, eventTimeFormat: { hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
    dayMaxEvents: true, nowIndicator: false, pointer: false,
    editable: false, selectable: Boolean(element.dataset.block),
    eventDrop: ask, eventResize: ask, select: block, datesSet: keep, eventContent: content,
  });
  // The library calls its grid a table and its toolbar a part of it, which it isn't for those who hear the page: headings and links are enough.
  const ofTables = ["role", "aria-colcount", "aria-colindex", "aria-colspan", "aria-rowcount", "aria-rowindex", "aria-rowspan"];
  const plain = () => {
    for (const name of ofTables) {
      for (const part of element.querySelectorAll(`[${name}]`)) part.removeAttribute(name);
    }
  };
  new MutationObserver(plain).observe(element, { subtree: true, childList: true });
  plain();
}
