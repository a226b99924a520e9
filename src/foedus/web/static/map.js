// Maps: closer and farther without a new page, by links, keys, wheel and pinch; dragging moves the sheet.

const LEAST = 1;
const MOST = 6;

function scaleOf(pane, svg) {
  return svg.getBoundingClientRect().width / pane.clientWidth;
}

function zoom(pane, svg, factor, x, y) {
  const before = scaleOf(pane, svg);
  const after = Math.min(MOST, Math.max(LEAST, factor));
  const left = (pane.scrollLeft + x) * (after / before) - x;
  const top = (pane.scrollTop + y) * (after / before) - y;
  svg.style.width = `${after * 100}%`;
  pane.scrollLeft = left;
  pane.scrollTop = top;
}

function watch(map) {
  const pane = map.querySelector(".map-pane");
  const svg = pane?.querySelector("svg");
  if (!svg) return;
  if (!pane.scrollLeft) pane.scrollLeft = (pane.scrollWidth - pane.clientWidth) / 2;
  const middle = () => [pane.clientWidth / 2, pane.clientHeight / 2];

  for (const link of map.querySelectorAll("[data-zoom]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      zoom(pane, svg, [1, 1.8, 3][Number(link.dataset.zoom) - 1], ...middle());
      for (const other of map.querySelectorAll("[data-zoom]")) other.toggleAttribute("aria-current", other === link);
    });
  }

  pane.addEventListener("keydown", (event) => {
    const step = { "+": 1.25, "=": 1.25, "-": 0.8 }[event.key];
    if (step && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      zoom(pane, svg, scaleOf(pane, svg) * step, ...middle());
    }
  });

  pane.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      const box = pane.getBoundingClientRect();
      const step = Math.exp(-event.deltaY / 300);
      zoom(pane, svg, scaleOf(pane, svg) * step, event.clientX - box.left, event.clientY - box.top);
    },
    { passive: false },
  );

  // a mouse drags the sheet; fingers scroll it by themselves, and two of them pinch
  let grip = null;
  pane.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    grip = { x: event.clientX, y: event.clientY, left: pane.scrollLeft, top: pane.scrollTop, moved: false };
  });
  window.addEventListener("pointermove", (event) => {
    if (!grip) return;
    const across = event.clientX - grip.x;
    const down = event.clientY - grip.y;
    if (Math.hypot(across, down) > 5) grip.moved = true;
    pane.scrollLeft = grip.left - across;
    pane.scrollTop = grip.top - down;
  });
  window.addEventListener("pointerup", () => {
    if (grip?.moved) pane.addEventListener("click", (event) => event.preventDefault(), { once: true, capture: true });
    grip = null;
  });
  pane.addEventListener("dragstart", (event) => event.preventDefault());

  let spread = 0;
  const apart = (touches) => Math.hypot(touches[0].clientX - touches[1].clientX, touches[0].clientY - touches[1].clientY);
  pane.addEventListener("touchstart", (event) => {
    spread = event.touches.length === 2 ? apart(event.touches) : 0;
  });
  pane.addEventListener(
    "touchmove",
    (event) => {
      if (!spread || event.touches.length !== 2) return;
      event.preventDefault();
      const now = apart(event.touches);
      const box = pane.getBoundingClientRect();
      const x = (event.touches[0].clientX + event.touches[1].clientX) / 2 - box.left;
      const y = (event.touches[0].clientY + event.touches[1].clientY) / 2 - box.top;
      zoom(pane, svg, (scaleOf(pane, svg) * now) / spread, x, y);
      spread = now;
    },
    { passive: false },
  );
}

export function start(within = document) {
  for (const map of within.querySelectorAll("[data-map]")) watch(map);
}
