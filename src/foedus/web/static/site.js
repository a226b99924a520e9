// What every page shares: short announcements, keys of the time machine, and the modules a page asks for.

export function announce(text) {
  const place = document.getElementById("announce");
  if (place) place.textContent = text;
}

// arrow keys step through a record, unless one is writing or scrolling a map
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  if (event.target.closest("input, select, textarea, button, [data-map], [contenteditable]")) return;
  const link = document.querySelector(`a[data-key="${event.key}"]`);
  if (link) {
    event.preventDefault();
    link.click();
  }
});

// deadlines in the reader's own time, with how long there is still
for (const time of document.querySelectorAll("time[data-due]")) {
  const due = new Date(time.dateTime);
  const left = (due - Date.now()) / 1000;
  const [amount, unit] = left > 172800 ? [left / 86400, "day"] : left > 7200 ? [left / 3600, "hour"] : [left / 60, "minute"];
  const language = document.documentElement.lang;
  const near = new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(Math.round(amount), unit);
  time.title = time.textContent;
  time.textContent = `${new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(due)} (${near})`;
}

if (document.querySelector("[data-map]")) import("./map.js").then((module) => module.start());
if (document.querySelector("[data-complete]")) import("./completion.js").then((module) => module.start());
if (document.querySelector("form#desk")) import("./desk.js").then((module) => module.start());
if (document.querySelector("[data-poll]")) import("./poll.js").then((module) => module.start());
if (document.querySelector("[data-stream]")) import("./live.js").then((module) => module.start());
