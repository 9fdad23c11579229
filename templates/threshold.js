// <threshold> A level to be told of: a number in a form, a mark on the chart, and how often it was crossed.

/** Says below the form how often its level was crossed, with feed, calendar and address. */
function crossed(form) {
  const place = form.nextElementSibling, level = form.elements.level;
  let asked = 0, later = 0;
  const tell = async () => {
    if (level.value === "") return;
    const mine = ++asked, answer = await fetch(addressOf(form)).catch(() => null);
    const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== asked) return;
    const told = page?.querySelector(".told"), words = page ? page.querySelector(".trouble")?.textContent : "The server could not be reached.";
    place.replaceChildren(told ? document.adoptNode(told) : make("p", { className: "stale", textContent: words }));
    begin(place);
  };
  form.addEventListener("submit", (event) => { event.preventDefault(); tell(); });
  form.addEventListener("input", () => { clearTimeout(later); later = setTimeout(tell, 350); });
}

/** A mark on a live chart that is moved by pointer and keys, together with the number in the form. */
function threshold(figure) {
  figure.querySelector(".limit")?.remove();
  const form = figure.closest("#view")?.querySelector("form.alert"), { drawn } = figure;
  if (!form || drawn.charts || drawn.lines.length !== 1) return;
  const { u } = drawn, [line] = drawn.lines, input = form.elements.level;
  const mark = make("div", { className: "limit", tabIndex: 0 });
  for (const [name, value] of [["role", "slider"], ["aria-label", "Threshold to be told of"], ["aria-orientation", "vertical"]]) mark.setAttribute(name, value);
  const places = Math.max(0, ...line.values.slice(-200).map(decimalsOf).filter((n) => n <= 4));
  const value = () => Number(input.value);
  const put = () => {
    const over = u.over.getBoundingClientRect(), own = figure.getBoundingClientRect(), { min, max } = u.scales.y;
    const y = u.valToPos(Math.max(min, Math.min(max, value())), "y"), said = drawn.say(0, value());
    mark.style.left = `${over.left - own.left}px`;
    mark.style.top = `${over.top - own.top + y}px`;
    mark.style.setProperty("--wide", `${over.width}px`);
    mark.textContent = said;
    for (const [name, now] of [["min", min], ["max", max], ["now", value()], ["text", said]]) mark.setAttribute(`aria-value${name}`, now);
  };
  const set = (to) => {
    if (!Number.isFinite(to)) return;
    input.value = Number(to.toFixed(places));
    put();
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  mark.addEventListener("pointerdown", (event) => { mark.setPointerCapture(event.pointerId); event.preventDefault(); mark.focus({ preventScroll: true }); });
  mark.addEventListener("pointermove", (event) => {
    if (!mark.hasPointerCapture(event.pointerId)) return;
    const { top, height } = u.over.getBoundingClientRect();
    set(u.posToVal(Math.max(0, Math.min(height, event.clientY - top)), "y"));
  });
  mark.addEventListener("keydown", (event) => {
    const { min, max } = u.scales.y, step = Math.max(10 ** -places, 10 ** Math.floor(Math.log10((max - min) / 50)));
    const to = { ArrowUp: value() + step, ArrowRight: value() + step, ArrowDown: value() - step, ArrowLeft: value() - step, PageUp: value() + 10 * step, PageDown: value() - 10 * step, Home: min, End: max }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    set(to);
  });
  if (!figure.putLimit) form.addEventListener("input", (event) => { if (event.isTrusted) figure.putLimit(); });
  figure.putLimit = put;
  (u.hooks.draw ??= []).push(put);
  figure.append(mark);
  put();
}
// </threshold>
