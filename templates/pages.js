// <pages> Brings pages and widgets to life: figures from the API, views without a reload. Without it, all is shown still.
const sayIn = (at, words) => { if (at) { at.textContent = words ?? ""; at.hidden = !words; } };
const answerOf = async (address) => {
  const response = await fetch(address, { headers: { accept: "application/json" } });
  const body = await response.json();
  if (!response.ok) throw new Error(body.error ?? `status ${response.status}`);
  return body;
};

/** The first day that was asked for: years count back from the end of the first answer, and not from those before it. */
function firstDay(asked, end) {
  const years = /^(\d+)y$/.exec(asked ?? "");
  return years ? `${end.slice(0, 4) - years[1]}${end.slice(4)}`.replace("-02-29", "-02-28") : asked;
}

/** Every figure of an address of the API; an answer that was cut is followed by those before it. */
async function readLine(source, name) {
  let answer = await answerOf(source), line = linesOf(answer, name)[0];
  const start = firstDay(new URL(source, location.href).searchParams.get("start"), answer.end);
  while (answer.truncated) {
    const before = new URL(source, location.href);
    if (start) before.searchParams.set("start", start);
    before.searchParams.set("end", dateOf(line.days[0] - 1));
    answer = await answerOf(before);
    if (!answer.data.length) break;
    const [older] = linesOf(answer, name);
    line = { ...line, days: older.days.concat(line.days), values: older.values.concat(line.values) };
  }
  return line;
}
async function readLines(figure) {
  const held = [...figure.querySelectorAll("script[type='application/json']")].map((script) => linesOf(JSON.parse(script.textContent)));
  if (held.length) return (held[1] ?? []).map((l) => ({ ...l, ghost: true, today: held[0].find((now) => now.name === l.name && now.unit === l.unit), name: `${l.name} then`.trim() })).concat(held[0]);
  const names = (figure.dataset.names ?? "").split("|");
  const sources = figure.dataset.figures.split(" ");
  if (/\/compare\?/.test(sources[0])) return linesOf(await answerOf(sources[0]));
  return Promise.all(sources.map((source, i) => readLine(source, names[i])));
}

/** The line above a chart that says what is under the crosshair. */
function readout(into) {
  return (rows) => {
    const same = rows.every((r) => r.date === rows[0].date);
    const parts = rows.map((r) => {
      const made = make("span", {}, make("data", { value: r.value, textContent: r.text }));
      if (r.name) { made.prepend(make("span", { className: "name", textContent: `${r.name} ` })); made.querySelector("data").style.color = r.colour; }
      if (!same) made.append(" ", make("time", { dateTime: r.date, textContent: r.period }));
      return made;
    });
    into.replaceChildren(...parts, ...(same ? [make("time", { dateTime: rows[0].date, textContent: rows[0].period })] : []));
  };
}

/** The same figures as rows, made when somebody opens them. */
function tableOf(lines) {
  const most = 1500, body = make("tbody"), heads = lines.map((l) => make("th", { scope: "col", className: "n", textContent: [l.name || "Value", headingOf(l.unit, l.words)].filter(Boolean).join(", ") }));
  const byDay = new Map();
  lines.forEach((l, i) => l.days.forEach((d, k) => { if (!byDay.has(d)) byDay.set(d, []); byDay.get(d)[i] = l.values[k]; }));
  const days = [...byDay.keys()].sort((a, b) => b - a);
  for (const day of days.slice(0, most)) body.append(make("tr", {}, make("th", { scope: "row", textContent: periodOf(dateOf(day), lines[0].frequency) }), ...lines.map((_, i) => make("td", { className: "n", textContent: byDay.get(day)[i] === undefined ? "" : exact(byDay.get(day)[i]) }))));
  const table = make("table", {}, make("thead", {}, make("tr", {}, make("th", { scope: "col", textContent: "Period" }), ...heads)), body);
  const box = make("div", { className: "scroll tall" }, table);
  for (const [name, value] of [["tabindex", 0], ["role", "region"], ["aria-label", "Figures"]]) box.setAttribute(name, value);
  return days.length > most ? [make("p", { className: "small soft", textContent: `The newest ${exact(most)} of ${exact(days.length)} rows. The CSV file has them all.` }), box] : [box];
}

function eventsInto(place, drawn, from, to, zoomed) {
  const found = drawn.lines.length === 1 && eventsOf(drawn.lines[0], from, to), parts = [];
  if (found) {
    const said = (word, o, value = ` ${drawn.say(0, o.value)},`) => {
      const button = make("button", { type: "button", textContent: `${word}${value} ${periodOf(o.date, drawn.lines[0].frequency)}` });
      button.onclick = () => drawn.at(o.date);
      return button;
    };
    parts.push(said("Highest", found.highest), said("Lowest", found.lowest));
    const { crossed } = found, [line] = drawn.lines, level = Number((crossed?.level ?? 0).toFixed(placesOf(line.values) + 1));
    const mean = figureOf(level, decimalsOf(level), line.unit, line.words);
    if (crossed) parts.push(said(`${crossed.up ? "Above" : "Below"} ${crossed.zero ? "zero" : `the mean of ${mean}`} since`, crossed, ""));
  }
  if (zoomed) parts.push(Object.assign(make("button", { type: "button", className: "reset", textContent: "Show all" }), { onclick: () => drawn.zoom(drawn.first, drawn.last) }));
  place.replaceChildren(...parts);
}

/** Lines of three units or more by their unit: there are two axes in a chart. */
function panelsOf(lines) {
  const all = lines.filter((l) => l.days.length), units = [...new Set(all.map((l) => l.unit))];
  return units.length > 2 ? units.map((unit) => all.filter((l) => l.unit === unit)) : [all];
}

/** Draws a panel into each place, all as one chart: they share days in view and crosshair. */
function drawInto(places, groups, { read, viewed, ...options }) {
  if (groups.length === 1) return chart(places[0], groups[0], { read, viewed, ...options });
  const all = groups.flat(), days = all.flatMap((l) => [l.days[0], l.days.at(-1)]), span = [Math.min(...days), Math.max(...days)];
  const edges = { left: 0, right: 0 }, said = groups.map(() => []), charts = [];
  let ready = false;
  groups.forEach((lines, i) => {
    const others = () => charts.filter((_, k) => k !== i);
    charts.push(chart(places[i], lines, {
      ...options, label: `${options.label}: ${lines[0].unit}`, span, edges,
      read: (rows) => { said[i] = rows; read(said.flat()); },
      moved: (day) => others().forEach((other) => other.follow(day)),
      viewed: (from, to, zoomed) => {
        if (!ready) return;
        for (const other of others()) { const { min, max } = other.u.scales.x; if (Math.abs(min - from) + Math.abs(max - to) > 0.01) other.u.setScale("x", { min: from, max: to }); }
        viewed(from, to, zoomed);
      },
    }));
  });
  ready = true;
  // The widest marks are known now.
  for (const { u } of charts) u.setSize({ width: u.width, height: u.height });
  const each = (what) => (...given) => charts.forEach((one) => one[what](...given));
  return { ...charts[0], lines: all, charts, zoom: charts[0].zoom, redress: each("redress"), gone: each("gone") };
}

/** Chart, title and source as one picture. */
function picture(figure, drawn) {
  const canvases = (drawn.charts ?? [drawn]).map(({ u }) => u.ctx.canvas), canvas = { width: canvases[0].width, height: canvases.reduce((sum, one) => sum + one.height, 0) };
  const ratio = uPlot.pxRatio, pad = 20 * ratio, head = 58 * ratio, foot = 30 * ratio, style = getComputedStyle(figure);
  const out = make("canvas", { width: canvas.width + 2 * pad, height: canvas.height + head + foot + pad }), ctx = out.getContext("2d");
  ctx.fillStyle = style.getPropertyValue("--paper");
  ctx.fillRect(0, 0, out.width, out.height);
  const words = (text, x, y, size, weight, colour, align = "left") => { ctx.font = `${weight} ${size * ratio}px ${style.fontFamily}`; ctx.fillStyle = style.getPropertyValue(colour); ctx.textAlign = align; ctx.fillText(text, x, y, out.width - 2 * pad); };
  words(figure.dataset.title ?? document.title, pad, pad + 16 * ratio, 18, 600, "--ink");
  words(figure.dataset.subtitle ?? "", pad, pad + 36 * ratio, 13, 400, "--muted");
  let top = head + pad / 2;
  for (const one of canvases) { ctx.drawImage(one, pad, top); top += one.height; }
  words(figure.dataset.source ?? "", pad, out.height - 14 * ratio, 12, 400, "--muted");
  words(figure.dataset.credit ?? "", out.width - pad, out.height - 14 * ratio, 12, 400, "--muted", "right");
  return new Promise((done) => out.toBlob(done, "image/png"));
}
const copied = (button, words = "Copied") => { const own = button.textContent; button.textContent = words; setTimeout(() => { button.textContent = own; }, 1600); };
function toolsInto(place, figure) {
  const link = make("button", { type: "button", textContent: "Copy link" }), image = make("button", { type: "button", textContent: "Copy as image" });
  link.onclick = () => navigator.clipboard.writeText(location.href).then(() => copied(link), () => prompt("Link", location.href));
  image.onclick = async () => {
    const blob = await picture(figure, figure.drawn);
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
      copied(image);
    } catch {
      const address = URL.createObjectURL(blob);
      make("a", { href: address, download: "chart.png" }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
      copied(image, "Saved");
    }
  };
  place.replaceChildren(link, image);
}

/** Days in view as a part of the address, so that a copied link shows the same. */
const remember = (from, to, zoomed) => {
  const address = new URL(location.href);
  for (const [name, value] of [["from", from], ["to", to]]) if (zoomed) address.searchParams.set(name, dateOf(Math.round(value))); else address.searchParams.delete(name);
  if (address.href !== location.href) history.replaceState(null, "", address);
};

/** Lets range, facts, downloads and embed code of a page follow the days in view. */
function follow(page, drawn, from, to, zoomed) {
  const days = zoomed ? [["start", dateOf(Math.ceil(from))], ["end", dateOf(Math.floor(to))]] : [];
  const viewed = (own) => {
    const address = new URL(own, location.href);
    if (zoomed) address.searchParams.delete("range");
    for (const [name, day] of days) address.searchParams.set(name, day);
    return own.startsWith("http") ? address.href : address.pathname + address.search;
  };
  for (const link of page.querySelectorAll(".take a")) {
    link.dataset.own ??= link.getAttribute("href");
    if (/^\/(api\/public\/(data|compare)|chart|embed)\b/.test(link.dataset.own)) link.setAttribute("href", viewed(link.dataset.own));
  }
  for (const frame of page.querySelectorAll(".embed iframe")) {
    frame.dataset.own ??= frame.getAttribute("src");
    const before = frame.getAttribute("src"), code = frame.parentElement.querySelector("pre code");
    frame.setAttribute("src", viewed(frame.dataset.own));
    code.textContent = code.textContent.replace(before, frame.getAttribute("src"));
  }
  for (const range of page.querySelectorAll(".ranges a")) {
    range.dataset.lit ??= range.getAttribute("aria-current") ?? "";
    if (range.dataset.lit && !zoomed) range.setAttribute("aria-current", range.dataset.lit); else range.removeAttribute("aria-current");
  }
  const found = drawn.lines.length === 1 && eventsOf(drawn.lines[0], from, to);
  for (const fact of found ? page.querySelectorAll(".facts div") : []) {
    const [label, value] = fact.children, [, word] = /^(Lowest|Highest) in view/.exec(label.textContent) ?? [];
    const at = word && found[word.toLowerCase()];
    if (!at) continue;
    value.dataset.own ??= `${label.textContent}|${value.textContent}`;
    const viewed = [`${word} in view, ${periodOf(at.date, drawn.lines[0].frequency)}`, drawn.say(0, at.value)];
    [label.textContent, value.textContent] = zoomed ? viewed : value.dataset.own.split("|");
  }
}

/** Turns a still figure into one to touch. */
async function mount(figure) {
  if (figure.dataset.state) return;
  figure.dataset.state = "reading";
  const still = figure.querySelector(".still"), own = figure.dataset;
  const part = (name) => figure.querySelector(`.${name}`) ?? figure.closest("#view")?.querySelector(`.${name}`);
  try {
    const lines = await readLines(figure), height = still.getBoundingClientRect().height;
    if (!lines.some((l) => l.days.length > 1)) { own.state = "empty"; return; }
    const groups = panelsOf(lines), places = groups.map(() => make("div", { className: "live" })), above = make("p", { className: "readout" });
    above.setAttribute("aria-hidden", "true");
    places.forEach((place, i) => {
      if (!("fill" in own)) place.style.height = `${Math.max(160, height) / groups.length}px`;
      else { place.classList.add("fill"); place.style.top = `${(100 * i) / groups.length}%`; place.style.bottom = `${100 - (100 * (i + 1)) / groups.length}%`; }
    });
    still.before(above, ...places);
    figure.classList.add("is-live");
    const events = part("events");
    let drawn = null, later = 0;
    const viewed = (from, to, zoomed) => {
      if (!drawn) return;
      if (events) eventsInto(events, drawn, from, to, zoomed);
      if ("remember" in own) { clearTimeout(later); later = setTimeout(() => { if (figure.isConnected) { remember(from, to, zoomed); follow(figure.closest("#view"), drawn, from, to, zoomed); } }, 250); }
    };
    if ("ghost" in own) Object.assign(lines[0], { ghost: true, today: lines[1] });
    const [month, mean] = own.newer?.split("|") ?? [], newer = month && { day: dayOf(month) + 14, value: Number(mean) };
    const show = (panels, more = {}) => {
      const { min, max } = drawn?.u.scales.x ?? {}, isZoomed = drawn && (min > drawn.first || max < drawn.last);
      drawn?.gone();
      drawn = null;
      drawn = drawInto(places, panels, { label: own.label ?? "Chart", read: readout(above), rings: revisedOf, viewed, bare: "bare" in own || ("fill" in own && groups.length > 1 && height / groups.length < 80), log: "log" in own, due: own.due ? dayOf(own.due) : 0, newer, ...more });
      figure.drawn = drawn;
      if (isZoomed) drawn.zoom(min, max);
      threshold(figure);
    };
    show(groups);
    const asked = new URL(location.href).searchParams;
    if ("remember" in own && asked.has("from") && asked.has("to")) drawn.zoom(dayOf(asked.get("from")), dayOf(asked.get("to")));
    const { min, max } = drawn.u.scales.x;
    viewed(min, max, min > drawn.first || max < drawn.last);
    const tools = part("tools");
    if (tools) toolsInto(tools, figure);
    const table = part("rows");
    if (table) { table.hidden = false; table.addEventListener("toggle", () => { if (table.open && !table.querySelector("table")) table.append(...tableOf(lines)); }); }
    const slider = part("vintages");
    if (slider) vintages(slider, figure, lines, (shown, reach) => show([shown], { reach }));
    own.state = "live";
  } catch (error) {
    own.state = "";
    sayIn(part("trouble"), `The figures could not be read: ${error.message}`);
  }
}

/** Another view of the page, read and put in the place of this one. */
async function go(address, isNew = true) {
  const view = document.querySelector("#view"), focused = document.activeElement, key = focused?.id || focused?.textContent;
  view.setAttribute("aria-busy", "true");
  const response = await fetch(address).catch(() => null);
  if (!response) { view.removeAttribute("aria-busy"); sayIn(view.querySelector(".trouble"), "The server could not be reached."); return; }
  const page = new DOMParser().parseFromString(await response.text(), "text/html"), next = page.querySelector("#view");
  if (!next) {
    view.removeAttribute("aria-busy");
    sayIn(view.querySelector(".trouble"), page.querySelector("main .lead")?.textContent ?? "This view could not be shown.");
    return;
  }
  if (isNew) history.pushState(null, "", address);
  document.title = page.title;
  for (const figure of view.querySelectorAll("figure")) figure.drawn?.gone();
  view.replaceWith(document.adoptNode(next));
  begin(next);
  const again = key && [...next.querySelectorAll("a, button, select, input")].find((e) => (e.id || e.textContent) === key);
  again?.focus({ preventScroll: true });
}
const addressOf = (form) => {
  const given = [...new FormData(form)].filter(([, value]) => value !== "");
  const query = new URLSearchParams(given).toString();
  return new URL(query ? `?${query}` : location.pathname, new URL(form.getAttribute("action") ?? location.pathname, location.href));
};
document.addEventListener("click", (event) => {
  const link = event.target.closest?.("a[data-swap]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  go(link.href);
});
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-swap]")) return;
  event.preventDefault();
  go(addressOf(event.target));
});
document.addEventListener("change", (event) => { if (event.target.matches("form[data-swap] :is(select, input[type=date], input[type=radio])")) event.target.form.requestSubmit(); });
if (document.querySelector("#view")) window.addEventListener("popstate", () => go(location.href, false));

/** Search as you type: what is found is offered in a list; Enter takes it, or what was typed. */
function suggest(input) {
  const list = document.getElementById(input.getAttribute("aria-controls")), form = input.form;
  let found = [], at = -1, later = 0, asked = 0;
  /** What is typed, in the part before the last name and that name. */
  const typed = () => {
    const all = input.value.trim(), words = all.match(/[\p{L}\p{N}_. ]*$/u)[0].trim();
    return form.elements.series ? { all, words, before: all.slice(0, all.length - words.length) } : { all, words: all, before: "" };
  };
  const search = async ({ words, before }) => {
    const o = await answerOf(`/suggest?q=${encodeURIComponent(words)}`);
    const offers = o.results.map((r) => ({ id: before + r.seriesId, title: r.title, isEmpty: r.lastDate === null }));
    return offers.sort((a, b) => a.isEmpty - b.isEmpty);
  };
  const mark = () => {
    [...list.children].forEach((o, i) => o.setAttribute("aria-selected", String(i === at)));
    if (at >= 0) { input.setAttribute("aria-activedescendant", list.children[at].id); list.children[at].scrollIntoView({ block: "nearest" }); } else input.removeAttribute("aria-activedescendant");
  };
  const show = (given) => {
    [found, at] = [given, -1];
    list.hidden = !found.length;
    input.setAttribute("aria-expanded", String(!list.hidden));
    list.replaceChildren(...found.map(({ id, title, isEmpty }, i) => {
      const option = make("li", { id: `${list.id}-${i}` }, make("code", { textContent: id }), " ", title, ...(isEmpty ? [make("span", { className: "soft small", textContent: " · no figures here" })] : []));
      option.setAttribute("role", "option");
      option.addEventListener("pointerdown", (event) => { event.preventDefault(); take(id); });
      return option;
    }));
    mark();
  };
  const take = (id) => {
    input.value = "";
    show([]);
    const all = form.elements.series;
    if (!all) { location.assign(`/series/${encodeURIComponent(id)}`); return; }
    all.value = [all.value, id].filter(Boolean).join(", ");
    form.requestSubmit();
  };
  input.addEventListener("input", () => {
    clearTimeout(later);
    asked += 1;
    // What was found for other words is no answer to these.
    show([]);
    const now = typed();
    if (now.words.length < 2) return;
    later = setTimeout(async () => {
      const mine = ++asked;
      try {
        const results = await search(now);
        if (mine === asked && input.value) show(results);
      } catch { if (mine === asked) show([]); }
    }, 150);
  });
  input.addEventListener("keydown", async (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (found.length) at = (at + (event.key === "ArrowDown" ? 1 : found.length + (at < 0 ? 0 : -1))) % found.length;
      mark();
    } else if (event.key === "Enter") {
      // The search box of a page asks for its words unless one of its offers is chosen.
      if (!form.elements.series && at < 0) return;
      event.preventDefault();
      const now = typed();
      clearTimeout(later);
      if (at >= 0) { take(found[at].id); return; }
      if (!now.all) return;
      if (/[()+*/]|\w-\w/.test(now.all)) { take(now.all); return; }
      const mine = ++asked, results = found.length ? found : await search(now).catch(() => []);
      if (mine === asked) take(results[0]?.id ?? now.all);
    } else if (event.key === "Escape") show([]);
  });
  input.addEventListener("blur", () => show([]));
}

/** The way through the regime plane, month by month. */
function plane(box) {
  const score = (text) => Number(text.replace("−", "-"));
  const held = [...document.querySelectorAll("#months tbody tr")].map((row) => {
    const [month, regime, growth, inflation, confidence, ...then] = [...row.children].map((c) => c.textContent);
    const placed = (regime, growth, inflation, more) => ({ month, regime, growth, inflation, more, g: score(growth), i: score(inflation) });
    return { now: placed(regime, growth, inflation, `, confidence ${confidence}`), then: then.length ? placed(...then, ", as known then") : null };
  }).reverse();
  let rows = held.map((r) => r.now);
  if (!rows.length) return;
  const slider = box.querySelector("input[type=range]"), vintage = box.querySelector("input[type=checkbox]"), play = box.querySelector("button"), said = box.querySelector("output"), way = box.querySelector(".way"), dots = box.querySelector(".dots");
  const label = box.querySelector(".label"), story = box.querySelector(".narrative"), ring = box.querySelector(".ring"), marks = box.querySelectorAll(".marks text"), corners = [...box.querySelectorAll(".plane > text")].filter((text) => /^[A-Z]/.test(text.textContent)), edges = [0.5, 1, 1.5, 2, 3, 5];
  let edge = score(marks[marks.length - 1].textContent);
  const errors = ["rx", "ry"].map((side) => Number(ring.getAttribute(side)) * edge);
  const place = (v) => Math.max(-edge, Math.min(edge, v)) / edge * 140, spot = (r) => [160 + place(r.g), 160 - place(r.i)], spots = 24;
  const node = (name, attributes) => { const made = document.createElementNS("http://www.w3.org/2000/svg", name); for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value); return made; };
  let shown = rows.length - 1, timer = 0, from = 0;
  const signed = (value) => `${value < 0 ? "−" : "+"}${withPlaces(Math.abs(value), Number.isInteger(value) ? 0 : 2)}`;
  const tell = (r) => { said.textContent = `${r.month}: ${r.regime}, growth ${r.growth} σ, inflation ${r.inflation} points${r.more}`; };
  const draw = () => {
    from = Math.max(0, shown - spots + 1);
    const path = rows.slice(from, shown + 1), largest = Math.max(...path.flatMap((r) => [Math.abs(r.g), Math.abs(r.i)]));
    edge = edges.find((e) => largest * 1.05 <= e) ?? 5;
    for (const mark of marks) mark.textContent = signed(mark.dataset.share * edge);
    way.setAttribute("d", path.map((r, k) => `${k ? "L" : "M"}${spot(r).map((v) => v.toFixed(1)).join(" ")}`).join(""));
    dots.replaceChildren(...path.map((r, k) => { const [cx, cy] = spot(r), last = k === path.length - 1; return node("circle", { cx: cx.toFixed(1), cy: cy.toFixed(1), r: last ? 6 : 3, fill: "var(--line)", stroke: "var(--card)", "stroke-width": last ? 2 : 1, opacity: last ? 1 : 0.35 + 0.5 * k / path.length }); }));
    const [cx, cy] = spot(rows[shown]);
    for (const [name, value] of Object.entries({ cx, cy, rx: errors[0] / edge, ry: errors[1] / edge })) ring.setAttribute(name, value.toFixed(1));
    // The story is that of the newest month.
    label.textContent = rows[shown].regime;
    for (const corner of corners) {
      const is = corner.textContent === rows[shown].regime;
      for (const [name, value] of [["font-weight", is ? "650" : "400"], ["fill", is ? "var(--ink)" : "var(--muted)"]]) corner.setAttribute(name, value);
    }
    if (story) story.hidden = shown < rows.length - 1 || Boolean(vintage?.checked);
    slider.value = shown;
    slider.setAttribute("aria-valuetext", `${rows[shown].month}, ${rows[shown].regime}`);
    tell(rows[shown]);
  };
  const stop = () => { clearInterval(timer); timer = 0; play.textContent = "Play"; };
  const span = () => { slider.min = Math.min(spots, rows.length) - 1; slider.max = rows.length - 1; };
  span();
  vintage?.addEventListener("change", () => {
    const { month } = rows[shown];
    rows = held.map((r) => (vintage.checked ? r.then : r.now)).filter(Boolean);
    const same = rows.findIndex((r) => r.month === month);
    shown = same < 0 ? rows.length - 1 : same;
    span();
    draw();
  });
  slider.addEventListener("input", () => { stop(); shown = Number(slider.value); draw(); });
  play.addEventListener("click", () => {
    if (timer) { stop(); return; }
    if (shown === rows.length - 1) shown = Number(slider.min);
    play.textContent = "Pause";
    timer = setInterval(() => { if (shown < rows.length - 1) { shown += 1; draw(); } else stop(); }, 140);
  });
  box.querySelector("svg").addEventListener("pointermove", (event) => {
    const frame = box.querySelector("svg").getBoundingClientRect(), scale = 320 / frame.width, x = (event.clientX - frame.left) * scale, y = (event.clientY - frame.top) * scale;
    const path = rows.slice(from, shown + 1), far = (r) => { const [a, b] = spot(r); return (a - x) ** 2 + (b - y) ** 2; };
    const near = path.reduce((best, r) => (far(r) < far(best) ? r : best), path[0]);
    const hit = far(near) < 400;
    [...dots.children].forEach((dot, k) => dot.classList.toggle("near", hit && path[k] === near));
    tell(hit ? near : rows[shown]);
  });
  for (const control of box.querySelectorAll("[hidden]")) control.hidden = false;
  draw();
}

function begin(root) {
  for (const box of root.querySelectorAll(".snippet")) {
    const text = box.querySelector("code");
    if (!text || !navigator.clipboard) continue;
    const button = make("button", { type: "button", textContent: "Copy" });
    button.setAttribute("aria-label", `Copy: ${box.querySelector("h2, h3")?.textContent ?? "snippet"}`);
    button.onclick = () => navigator.clipboard.writeText(text.textContent).then(() => copied(button), () => { copied(button, "Press Ctrl+C"); getSelection().selectAllChildren(text); });
    box.append(button);
  }
  for (const figure of root.querySelectorAll("figure[data-figures], figure[data-held]")) {
    // Of a long history a first load has the still picture alone; who shared days in view or chose a range wants the figures.
    const wanted = root !== document || ("remember" in figure.dataset && new URL(location.href).searchParams.has("from"));
    if ("eager" in figure.dataset || wanted) { mount(figure); continue; }
    const still = figure.querySelector(".still");
    still.tabIndex = 0;
    still.setAttribute("role", "group");
    still.setAttribute("aria-label", `${figure.dataset.label ?? "Chart"}; press Enter to read it`);
    const wake = () => mount(figure).then(() => { if (document.activeElement === still || document.activeElement === document.body) figure.querySelector(".live")?.focus({ preventScroll: true }); });
    still.addEventListener("pointerenter", () => mount(figure), { once: true });
    still.addEventListener("pointerdown", () => mount(figure), { once: true });
    still.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key.startsWith("Arrow")) { event.preventDefault(); wake(); } });
  }
  for (const form of root.querySelectorAll("form.alert")) crossed(form);
  for (const input of root.querySelectorAll("input[role=combobox]")) suggest(input);
  for (const box of root.querySelectorAll(".travel")) plane(box);
}
const seek = document.querySelector(".seek input");
if (seek) {
  const offers = make("ul", { id: "offers", hidden: true });
  for (const [name, value] of [["role", "listbox"], ["aria-label", "Series found"]]) offers.setAttribute(name, value);
  for (const [name, value] of [["role", "combobox"], ["aria-expanded", "false"], ["aria-controls", "offers"], ["aria-autocomplete", "list"], ["autocomplete", "off"]]) seek.setAttribute(name, value);
  seek.after(offers);
}
document.documentElement.classList.add("js");
begin(document);
// </pages>
