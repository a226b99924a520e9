// A table that goes on while one looks: its lines come by a stream, and the parts of the page that changed are put in.

import { renew } from "./renew.js";
import { announce } from "./site.js";

export function start() {
  const holder = document.querySelector("[data-stream]");
  const state = document.querySelector("[data-state]");
  let stream;
  let seen = Number(new URL(holder.dataset.stream, location.href).searchParams.get("since") ?? 0);
  let timer = 0;

  function say(which) {
    if (!state) return;
    state.textContent = state.dataset[`${which}Text`];
    state.classList.toggle("cut", which !== "live");
  }

  // a browser opens a cut stream again by itself; one that was refused it leaves closed, and we try once more
  function open() {
    const address = new URL(holder.dataset.stream, location.href);
    address.searchParams.set("since", seen);
    stream = new EventSource(address);
    stream.addEventListener("open", () => say("live"));
    stream.addEventListener("message", hear);
    stream.addEventListener("error", () => {
      say(navigator.onLine ? "cut" : "offline");
      if (stream.readyState === EventSource.CLOSED) setTimeout(open, 3000);
    });
  }

  // what was open before a network went away may look open for long: a new one is surer, and misses nothing
  window.addEventListener("offline", () => {
    stream.close();
    say("offline");
  });
  window.addEventListener("online", () => {
    stream.close();
    say("cut");
    open();
  });

  const heard = [];
  function hear(event) {
    const line = JSON.parse(event.data);
    const said = line.said?.[document.documentElement.lang] ?? [];
    heard.push(...said);
    clearTimeout(timer);
    seen = Number(event.lastEventId) || seen;
    timer = setTimeout(fresh, 250);
  }

  async function fresh() {
    const told = heard.splice(0);
    if ((await renew()) && told.length) announce(told.slice(0, 4).join(" "));
  }

  open();
  window.addEventListener("pagehide", () => stream.close());
}
