// Lines in notation: what could come next, as one writes. The server knows the notation; here are only the buttons.

import { announce } from "./site.js";

function watch(holder) {
  const input = holder.querySelector("input.line");
  const list = holder.querySelector("[data-suggest]");
  if (!input || !list) return;
  input.removeAttribute("list");
  let timer = 0;
  let asked = 0;

  async function ask() {
    const number = ++asked;
    const players = holder.querySelector("[name=players]")?.value ?? "";
    const query = new URLSearchParams({ line: input.value, players });
    let lines = [];
    try {
      const answer = await fetch(`${holder.dataset.complete}?${query}`);
      if (answer.ok) lines = (await answer.json()).lines;
    } catch {
      lines = []; // no network: one writes on without help
    }
    if (number === asked) show(lines.filter((line) => line !== input.value));
  }

  function show(lines) {
    list.replaceChildren(
      ...lines.map((line) => {
        const item = document.createElement("li");
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = line;
        button.addEventListener("click", () => {
          input.value = `${line} `;
          input.focus();
          ask();
        });
        item.append(button);
        return item;
      }),
    );
    list.hidden = lines.length === 0;
    if (lines.length) announce(lines.length === 1 ? lines[0] : `${lines.length}: ${lines.slice(0, 3).join("; ")}`);
  }

  // what the referee says of the line as it stands, before anything is sent; half a line he does not understand
  const verdict = holder.querySelector("[data-verdict]");
  let judged = 0;
  async function judge() {
    const number = ++judged;
    const line = input.value.trim();
    let found = null;
    if (line.includes(" ")) {
      const headers = { "Content-Type": "application/json", "x-csrftoken": holder.elements._csrf_token?.value ?? "" };
      const body = JSON.stringify({ line, seat: holder.elements.seat?.value ?? "" });
      try {
        const address = `${holder.dataset.judge}?lang=${document.documentElement.lang}`;
        const answer = await fetch(address, { method: "POST", headers, body });
        if (answer.ok) found = await answer.json();
      } catch {
        found = null; // no network: the answer comes when the line is sent
      }
    }
    if (number !== judged) return;
    verdict.hidden = !found;
    verdict.textContent = found?.text ?? "";
    verdict.className = `verdict as-text ${found?.data?.verdict ?? ""}`;
  }

  let later = 0;
  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(ask, 160);
    if (verdict && holder.dataset.judge) {
      clearTimeout(later);
      later = setTimeout(judge, 450);
    }
  });
  input.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button")];
    if (event.key === "ArrowDown" && buttons.length) {
      event.preventDefault();
      buttons[0].focus();
    }
    if (event.key === "Escape") show([]);
  });
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1 }[event.key];
    if (event.key === "Escape") {
      show([]);
      input.focus();
    }
    if (to === undefined) return;
    event.preventDefault();
    (buttons[to] ?? input).focus();
  });
}

export function start() {
  for (const holder of document.querySelectorAll("[data-complete]")) watch(holder);
}
