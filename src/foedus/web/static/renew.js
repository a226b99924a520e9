// The server draws; here only what has changed is put in its place, and nothing under somebody's hands.

export async function renew(address = location.href) {
  let text = "";
  try {
    const answer = await fetch(address, { headers: { Accept: "text/html" } });
    if (!answer.ok) return false;
    text = await answer.text();
  } catch {
    return false; // whoever listens tells when the line is back
  }
  const fresh = new DOMParser().parseFromString(text, "text/html");
  for (const old of document.querySelectorAll("[data-live]")) {
    const now = fresh.getElementById(old.id);
    if (!now || now.innerHTML === old.innerHTML) continue;
    if (old.contains(document.activeElement) && document.activeElement.matches("input, textarea, select")) continue;
    const pane = old.querySelector(".map-pane");
    const kept = pane && { width: pane.querySelector("svg")?.style.width, left: pane.scrollLeft, top: pane.scrollTop };
    old.className = now.className;
    old.replaceChildren(...now.childNodes);
    const after = old.querySelector(".map-pane");
    if (kept && after) {
      if (kept.width) after.querySelector("svg").style.width = kept.width;
      after.scrollLeft = kept.left;
      after.scrollTop = kept.top;
      const { start } = await import("./map.js");
      start(old);
    }
  }
  return true;
}
