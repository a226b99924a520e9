// The desk: a place chosen on the map gets a row of its own at once, without sending the form.

import { announce } from "./site.js";

export function start() {
  const form = document.querySelector("form#desk");
  const list = form.querySelector("[data-rows]");
  if (!list) return;

  function rows() {
    return [...list.querySelectorAll("[data-row]")];
  }

  function name(row) {
    return row.querySelector("[name='row.place']");
  }

  function blank() {
    const copy = rows().at(-1).cloneNode(true);
    for (const field of copy.querySelectorAll("input, select")) {
      field.value = "";
      field.removeAttribute("aria-invalid");
    }
    for (const fault of copy.querySelectorAll(".fault")) fault.remove();
    list.append(copy);
    return copy;
  }

  function take(place) {
    const row = rows().find((one) => name(one).value === place) ?? rows().find((one) => !name(one).value) ?? blank();
    name(row).value = place;
    row.scrollIntoView({ block: "nearest" });
    row.querySelector("select, input:not([name='row.place'])").focus();
    announce(place);
  }

  form.addEventListener("click", (event) => {
    const place = event.target.closest(".board a")?.querySelector("[data-place]");
    if (place && !event.defaultPrevented) {
      event.preventDefault();
      take(place.dataset.place);
    }
    if (event.target.closest("[name='row.more']")) {
      event.preventDefault();
      name(blank()).focus();
    }
  });
}
