// A game that is played while one looks, but at no table: it is asked for now and then, as long as the page is seen.

import { renew } from "./renew.js";

export function start() {
  const holder = document.querySelector("[data-poll]");
  const stop = holder.querySelector("button");
  let on = true;
  setInterval(() => {
    if (on && !document.hidden) renew(holder.dataset.address || location.href);
  }, Number(holder.dataset.poll) * 1000);
  stop?.removeAttribute("hidden");
  stop?.addEventListener("click", () => {
    on = !on;
    stop.setAttribute("aria-pressed", String(!on));
  });
}
