// <chart> Draws figures to touch: crosshair by mouse, finger and arrow keys, zoom, events. It asks nobody for anything.
const RECESSIONS = [
  ["1857-07-01", "1858-12-31"], ["1860-11-01", "1861-06-30"], ["1865-05-01", "1867-12-31"], ["1869-07-01", "1870-12-31"],
  ["1873-11-01", "1879-03-31"], ["1882-04-01", "1885-05-31"], ["1887-04-01", "1888-04-30"], ["1890-08-01", "1891-05-31"],
  ["1893-02-01", "1894-06-30"], ["1896-01-01", "1897-06-30"], ["1899-07-01", "1900-12-31"], ["1902-10-01", "1904-08-31"],
  ["1907-06-01", "1908-06-30"], ["1910-02-01", "1912-01-31"], ["1913-02-01", "1914-12-31"], ["1918-09-01", "1919-03-31"],
  ["1920-02-01", "1921-07-31"], ["1923-06-01", "1924-07-31"], ["1926-11-01", "1927-11-30"], ["1929-09-01", "1933-03-31"],
  ["1937-06-01", "1938-06-30"], ["1945-03-01", "1945-10-31"], ["1948-12-01", "1949-10-31"], ["1953-08-01", "1954-05-31"],
  ["1957-09-01", "1958-04-30"], ["1960-05-01", "1961-02-28"], ["1970-01-01", "1970-11-30"], ["1973-12-01", "1975-03-31"],
  ["1980-02-01", "1980-07-31"], ["1981-08-01", "1982-11-30"], ["1990-08-01", "1991-03-31"], ["2001-04-01", "2001-11-30"],
  ["2008-01-01", "2009-06-30"], ["2020-03-01", "2020-04-30"],
];
const DAY = 86400000;
/** Days between two neighbours from which on something is missing between them; as the server draws it. */
const PAUSE = { daily: 15, weekly: 20, monthly: 45, quarterly: 135, annual: 550 };
/** Large numbers by their power of ten; as the server writes them. */
const SIZES = [[12, "trillion"], [9, "billion"], [6, "million"]];
const POWERS = { k: 3, mn: 6, bn: 9, tn: 12, thousand: 3, million: 6, billion: 9, trillion: 12 };
/** Units in the words that stand behind a number, and above numbers. */
const BEHIND = { index: "", flag: "", ratio: "", "% GDP": " % of GDP", pp: " points", "percentage points": " points", "0-100": " out of 100", "$/bbl": " a barrel", "$/gal": " a gallon", "$/hr": " an hour", "$/t": " a metric ton", "$/MMBtu": " per million BTU" };
const ABOVE = { "%": "percent", pp: "percentage points", "0-100": "points out of 100" };
const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"];
const dayOf = (date) => Date.parse(`${date}T00:00:00Z`) / DAY;
const dateOf = (day) => new Date(day * DAY).toISOString().slice(0, 10);
const make = (name, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
};
const withPlaces = (value, places) => value.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places }).replace(/^-/, "−");
/** A figure as the API has it, with commas and a true minus. */
const exact = (value) => value.toLocaleString("en-US", { maximumFractionDigits: 12 }).replace(/^-/, "−");
/** How values of a unit are written: what stands before a number, its power of ten, what stands behind, what is counted. */
function unitOf(unit, words) {
  const short = (unit ?? "").split(",")[0].trim();
  const money = /^\$(k|mn|bn|tn)?(?: ([\w-]+))?$/.exec(short) ?? /^(thousand|million|billion|trillion)s? (?:of )?(?:chained )?(?:([\w-]+) )?dollars$/.exec(short);
  if (money) {
    const base = { real: "1982-84 " }[money[2]] ?? (money[2] ? `${money[2]} ` : "");
    return { before: "$", power: POWERS[money[1]] ?? 0, behind: base && ` (${base}dollars)`, what: `${base}dollars`, amount: true };
  }
  const counted = /^(thous|mn|claims|units|EUR mn|JPY 100mn)$/.exec(short) ?? /^(thousand|million) \w+$/.exec(short);
  if (counted) {
    const noun = (/^(?:thousand|million) ([a-z]+)/.exec(words ?? short)?.[1] ?? { claims: "claims", units: "units" }[short] ?? "").replace("persons", "people");
    const [before, power] = { thous: ["", 3], claims: ["", 0], units: ["", 0], "EUR mn": ["€", 6], "JPY 100mn": ["¥", 8] }[counted[1]] ?? ["", POWERS[counted[1]]];
    return { before, power, behind: noun && ` ${noun}`, what: noun, amount: true };
  }
  return { before: short.startsWith("$/") ? "$" : "", power: 0, behind: BEHIND[short] ?? (short.startsWith("%") ? " %" : short && short.length <= 12 ? ` ${short}` : ""), what: ABOVE[short] ?? unit ?? "", amount: false };
}
/** A figure with its unit: "$24.408 trillion (2017 dollars)", "4.69 %". */
function figureOf(value, places, unit, words) {
  const { before, power, behind, amount } = unitOf(unit, words), sign = value < 0 ? "−" : "";
  const whole = Math.abs(value) * 10 ** power, size = amount && SIZES.find(([p]) => whole >= 10 ** p);
  if (size) return `${sign}${before}${withPlaces(whole / 10 ** size[0], Math.min(3, places + size[0] - power))} ${size[1]}${behind}`;
  return `${sign}${before}${withPlaces(whole, Math.max(0, places - power))}${behind}`;
}
/** Steps of a thousand after which values of that size read better on an axis. */
function stepsOf(largest, unit, words) {
  const { before, power, amount } = unitOf(unit, words);
  if (!amount || power % 3 || largest < (power || !before ? 1e3 : 1e6)) return 0;
  let steps = 0;
  while (power + 3 * steps < 12 && largest >= 1000 ** (steps + 1)) steps += 1;
  return steps;
}
/** A unit above figures: "Trillions of 2017 dollars". */
function headingOf(unit, words, steps = 0) {
  const { power, what, amount } = unitOf(unit, words), name = amount ? ["", "Thousands", "Millions", "Billions", "Trillions"][power / 3 + steps] : "";
  return name ? `${name}${what && ` of ${what}`}` : what.charAt(0).toUpperCase() + what.slice(1);
}
/** "24 Aug 2026". */
const dayText = (date) => { const [y, m, d] = date.split("-").map(Number); return `${d} ${MONTHS[m - 1].slice(0, 3)} ${y}`; };
/** The period that a date stamps: "24 Aug 2026", "week to 21 Aug 2026", "June 2026", "Q2 2026", "2025". */
function periodOf(date, frequency) {
  const [y, m, d] = date.split("-").map(Number);
  if (frequency === "weekly") return `week to ${dayText(date)}`;
  if (d === 1 && frequency === "monthly") return `${MONTHS[m - 1]} ${y}`;
  if (d === 1 && frequency === "quarterly" && m % 3 === 1) return `Q${(m + 2) / 3} ${y}`;
  return d === 1 && m === 1 && frequency === "annual" ? String(y) : dayText(date);
}
const decimalsOf = (value) => (String(value).split(".")[1] ?? "").length;
/** Decimals that figures are read with: as published; of computed ones those that tell something. */
const placesOf = (values) => {
  const newest = values.slice(-60), most = Math.max(0, ...newest.map(decimalsOf));
  return most <= 4 ? most : Math.max(...newest.map(Math.abs)) < 1 ? 4 : 2;
};

/** Round marks around values, about `wanted` of them; zero belongs to them when it is near. */
function roundMarks(low, high, wanted) {
  if (low > 0 && low < high / 3) low = 0;
  if (high < 0 && high > low / 3) high = 0;
  if (high - low < 1e-12 * Math.max(Math.abs(low), Math.abs(high), 1)) {
    const room = Math.max(0.5, Math.abs(high) * 0.05);
    [low, high] = [low - room, high + room];
  }
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 2.5, 5, 10].find((s) => raw / power <= s + 1e-9);
  const marks = [];
  for (let i = Math.floor(low / step + 1e-9); i <= Math.ceil(high / step - 1e-9); i++) marks.push(i * step);
  const odd = Math.abs(((step / power) % 1) - 0.5) < 1e-6 ? 1 : 0;
  return { marks, low: marks[0], high: marks.at(-1), places: Math.max(0, Math.min(6, odd - Math.floor(Math.log10(step) + 1e-9))) };
}

/** Marks of the calendar between two days, at most so many. */
function calendarMarks(first, last, most) {
  const from = new Date(first * DAY), to = new Date(last * DAY), marks = [];
  const begin = from.getUTCFullYear() * 12 + from.getUTCMonth(), end = to.getUTCFullYear() * 12 + to.getUTCMonth();
  const step = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600].find((s) => (end - begin) / s < most) ?? 600;
  if (end - begin < 2) {
    const days = Math.max(1, Math.ceil((last - first) / most));
    for (let day = Math.ceil(first); day <= last; day += days) marks.push([day, new Date(day * DAY).toLocaleString("en-US", { day: "numeric", month: "short", timeZone: "UTC" })]);
    return marks;
  }
  for (let m = Math.ceil(begin / step) * step; m <= end; m += step) {
    const day = Date.UTC(Math.floor(m / 12), m % 12, 1) / DAY;
    const month = new Date(day * DAY).toLocaleString("en-US", { month: "short", timeZone: "UTC" });
    if (day >= first && day <= last) marks.push([day, step >= 12 ? String(Math.floor(m / 12)) : `${month} ${Math.floor(m / 12)}`]);
  }
  return marks;
}

/** Marks of a logarithmic axis around positive values: round ones over a short range, else 1, 2 and 5 times powers of ten, or the powers alone. */
function logMarks(low, high, wanted) {
  const decades = Math.log10(high) - Math.log10(low);
  if (decades < 0.9) {
    const round = roundMarks(low, high, wanted), marks = round.marks.filter((m) => m > 0);
    return { ...round, marks, low: Math.min(low, marks[0] ?? low) };
  }
  const all = [], leads = decades > 3.5 ? [1] : [1, 2, 5];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += Math.max(1, Math.ceil(decades / 12))) for (const lead of leads) all.push(lead * 10 ** power);
  const from = all.findLast((m) => m <= low * (1 + 1e-9)) ?? low, to = all.find((m) => m >= high * (1 - 1e-9)) ?? high;
  return { marks: all.filter((m) => m >= from && m <= to), low: from, high: to, places: null };
}

/** The lines of an answer of `get_time_series` or `compare_series`. */
function linesOf(o, name = "") {
  if (!o.columns) return [{ name, unit: o.unit, words: o.unitInWords, frequency: o.frequency, knowledge: o.knowledge?.[0]?.values, days: o.data.map((r) => dayOf(r.date)), values: o.data.map((r) => r.value) }];
  const days = o.dates.map(dayOf), thinned = Math.ceil((o.rows ?? o.count) / Math.max(1, o.dates.length));
  const known = (c, list) => list.filter((_, i) => c.values[i] !== null);
  return o.columns.map((c) => ({ name: o.columns.length > 1 ? c.series : "", color: o.columns.indexOf(c), unit: c.unit, frequency: o.frequency, thinned, days: known(c, days), values: known(c, c.values) }));
}

/** Figures with an empty one in every gap, so that no line bridges what was never published. */
function withGaps({ days, values, frequency, thinned = 1 }) {
  const pause = (PAUSE[frequency] ?? 45) * thinned, x = [], y = [];
  for (let i = 0; i < days.length; i++) {
    if (i > 0 && days[i] - days[i - 1] > pause) { x.push(days[i - 1] + 1); y.push(null); }
    x.push(days[i]);
    y.push(values[i]);
  }
  return [x, y];
}

/** Lines on the days of all. In a gap of a line the days of others have an empty figure, too: what is undefined is bridged. */
function joined(lines) {
  const data = uPlot.join(lines.map(withGaps));
  for (const values of data.slice(1)) for (let i = 1; i < values.length; i++) if (values[i] === undefined && values[i - 1] === null) values[i] = null;
  return data;
}

/** Highest, lowest and newest figure from one day to another, and where the line last crossed zero or else its mean. */
function eventsOf({ days, values }, from, to) {
  let first = 0, last = days.length - 1;
  while (first <= last && days[first] < from) first++;
  while (last >= first && days[last] > to) last--;
  if (first > last) return null;
  let high = first, low = first, sum = 0;
  for (let i = first; i <= last; i++) {
    if (values[i] > values[high]) high = i;
    if (values[i] < values[low]) low = i;
    sum += values[i];
  }
  const zero = values[low] < 0 && values[high] > 0, level = zero ? 0 : sum / (last - first + 1);
  let cross = null;
  for (let i = last; i > first && cross === null; i--) if (values[i] >= level !== values[i - 1] >= level) cross = i;
  const at = (i) => ({ date: dateOf(days[i]), value: values[i] });
  return { newest: at(last), highest: at(high), lowest: at(low), crossed: cross === null ? null : { ...at(cross), level, zero, up: values[cross] >= level } };
}

/**
 * Draws lines into an element that has a size. Lines of a second unit stand on an axis to the right.
 * `options`: label, said to those who do not see it; `read(rows)`, told what is under the crosshair;
 * `viewed(from, to, zoomed)`, told which days are in view; `log`, that axes are logarithmic; `reach`, the first and last day
 * if they are not those of the lines; `due`, the day of the next figure, to which the last one goes on dotted; `newer`, a
 * `{ day, value }` that is known of later days, drawn hollow; `rings(line)`, which figures of a line of a past day are marked; of one panel of several
 * `span`, the days of all, `edges`, the room beside all, and `moved(day)`, told where the crosshair is, null when it leaves.
 */
function chart(place, lines, { label = "", read = () => {}, viewed = () => {}, bare = false, log = false, reach = null, due = 0, newer = null, rings = () => [], span = null, edges = null, moved = () => {} } = {}) {
  lines = lines.filter((l) => l.days.length);
  const data = lines.length === 1 ? withGaps(lines[0]) : joined(lines);
  const [x] = data, units = [...new Set(lines.map((l) => l.unit))];
  const [first, held] = span ?? reach ?? [Math.min(...lines.map((l) => l.days[0])), Math.max(...lines.map((l) => l.days.at(-1)))];
  // What lies ahead of a short view would fill it.
  const ahead = Math.max(due, newer?.day ?? 0), last = ahead > held && ahead - held <= held - first ? ahead : held;
  const room = Math.max(0.5, (last - first) * 0.002);
  const scaleOf = (line) => (line.unit === units[0] ? "y" : `y${units.indexOf(line.unit)}`);
  const isLog = (scale) => log && lines.every((l) => scaleOf(l) !== scale || l.values.every((v) => v > 0));
  const places = lines.map((l) => placesOf(l.values)), ringed = lines.map((l) => (l.ghost ? rings(l) : []));
  const say = (i, value) => figureOf(value, Math.max(places[i], Math.min(4, decimalsOf(value)) * (decimalsOf(value) <= 4)), lines[i].unit, lines[i].words);
  let colours = {}, marked = {}, at = x.length - 1, u;
  const dress = () => {
    const style = getComputedStyle(place);
    for (const name of ["paper", "ink", "muted", "rule", "shade", "line", "line-2", "line-3", "line-4", "line-5", "line-6", "line-7", "line-8"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
    colours.font = `12px ${style.fontFamily}`;
  };
  dress();
  const ghosts = Number(Boolean(lines[0]?.ghost));
  const stroke = (i) => { const place = lines[i].color ?? i - ghosts; return colours[lines[i].ghost ? "muted" : place ? `line-${place + 1}` : "line"]; };
  const rangeOf = (scale) => (_, low, high) => {
    if (low === null) [low, high] = isLog(scale) ? [1, 10] : [0, 1];
    if (newer && last > held && scale === "y") [low, high] = [Math.min(low, newer.value), Math.max(high, newer.value)];
    const of = lines.find((l) => scaleOf(l) === scale), largest = Math.max(Math.abs(low), Math.abs(high));
    const steps = stepsOf(largest, of.unit, of.words), factor = 1000 ** -steps, round = (isLog(scale) ? logMarks : roundMarks)(low * factor, high * factor, place.clientHeight > 300 ? 6 : 4);
    marked[scale] = { ...round, factor, unit: headingOf(of.unit, of.words, steps) };
    return [round.low / factor, round.high / factor];
  };
  const axis = (scale, side) => ({
    scale, side, gap: 6, filter: (_, splits) => splits,
    size: (_, texts) => {
      const own = texts ? Math.max(...texts.map((t) => t.length)) * 7.2 + 12 : 40;
      return edges ? (edges.left = Math.max(edges.left, own)) : own;
    },
    stroke: () => (units.length > 1 ? stroke(lines.findIndex((l) => scaleOf(l) === scale)) : colours.muted), font: colours.font,
    grid: { show: side === 3, stroke: () => colours.rule, width: 1 }, ticks: { show: false },
    splits: () => marked[scale].marks.map((m) => m / marked[scale].factor),
    values: (_, splits) => splits.map((s) => { const { factor, places } = marked[scale], value = s * factor; return withPlaces(value, places ?? Math.max(0, -Math.floor(Math.log10(value) + 1e-9))); }),
  });
  const nearest = (series, i) => {
    const row = data[series], known = (k) => row[k] !== null && row[k] !== undefined;
    for (let step = 0; step < x.length; step++) {
      if (i - step >= 0 && known(i - step)) return i - step;
      if (i + step < x.length && known(i + step)) return i + step;
    }
    return null;
  };
  /** What each line says at the crosshair: its figure of that day, else its newest before it. */
  const rows = () => lines.map((line, i) => {
    let k = at;
    while (k > 0 && (data[i + 1][k] === null || data[i + 1][k] === undefined)) k--;
    if (data[i + 1][k] === null || data[i + 1][k] === undefined) k = nearest(i + 1, at);
    const value = data[i + 1][k];
    return { name: line.name, unit: line.unit, date: dateOf(x[k]), period: periodOf(dateOf(x[k]), line.frequency), value, colour: stroke(i), text: say(i, value) };
  });
  const tell = () => {
    const said = rows();
    place.setAttribute("aria-valuenow", at);
    place.setAttribute("aria-valuetext", said.map((r) => `${r.name ? `${r.name}: ` : ""}${r.text}, ${r.period}`).join("; "));
    read(said);
  };
  const bands = (u) => {
    const { ctx, bbox } = u, { min, max } = u.scales.x;
    ctx.fillStyle = colours.shade;
    for (const [start, end] of RECESSIONS) {
      const a = Math.max(dayOf(start), min), b = Math.min(dayOf(end), max);
      if (a < b) ctx.fillRect(u.valToPos(a, "x", true), bbox.top, Math.max(1, u.valToPos(b, "x", true) - u.valToPos(a, "x", true)), bbox.height);
    }
  };
  const zero = (u) => {
    const { ctx, bbox } = u, { min, max } = u.scales.y;
    if (!(min < 0 && max > 0)) return;
    ctx.fillStyle = colours.ink;
    ctx.fillRect(bbox.left, Math.round(u.valToPos(0, "y", true)), bbox.width, uPlot.pxRatio);
  };
  // A code is shown in full or not at all: the line above the chart has every name.
  const short = (name) => { const isLong = name.length > (place.clientWidth < 480 ? 9 : 14); return !isLong || (/^\w+$/.test(name) && place.clientWidth >= 480) ? name : ""; };
  const beside = (line, i, value) => {
    const { factor } = marked[scaleOf(line)] ?? { factor: 1 };
    return `${line.name ? `${short(line.name)} ` : ""}${withPlaces(value * factor, factor === 1 ? places[i] : 2)}`;
  };
  /** What the figures of an axis are in, where that is not the unit above the chart. */
  const saysUnits = () => !bare && (span || units.length > 1 || Object.values(marked).some((axis) => axis.factor !== 1));
  const unitsOf = (u) => {
    const { ctx, bbox } = u, ratio = uPlot.pxRatio;
    ctx.save();
    ctx.font = `${11 * ratio}px ${getComputedStyle(place).fontFamily}`;
    ctx.textBaseline = "top";
    for (const [scale, x, align] of [["y", bbox.left, "left"], ["y1", bbox.left + bbox.width, "right"]]) {
      const axis = marked[scale];
      if (!axis || !saysUnits()) continue;
      ctx.fillStyle = colours.muted;
      ctx.textAlign = align;
      ctx.fillText(axis.unit, x, bbox.top - 16 * ratio);
    }
    ctx.restore();
  };
  /** A dot on the newest figure in view of each line and, where there is room, its value beside it. */
  const ends = (u) => {
    const { ctx, bbox } = u, ratio = uPlot.pxRatio, { max } = u.scales.x, labels = [];
    lines.forEach((line, i) => {
      let k = data[0].length - 1;
      while (k >= 0 && (x[k] > max || data[i + 1][k] === null || data[i + 1][k] === undefined)) k--;
      if (k < 0 || x[k] < u.scales.x.min) return;
      const px = u.valToPos(x[k], "x", true), py = u.valToPos(data[i + 1][k], scaleOf(line), true);
      // A line that ends early is named where it ends.
      const isEarly = line.ghost && px + 90 * ratio < bbox.left + bbox.width;
      labels.push({ px, py, y: py, at: isEarly ? px : bbox.left + bbox.width, colour: stroke(i), text: beside(line, i, data[i + 1][k]) });
    });
    labels.sort((a, b) => a.y - b.y);
    const gap = 14 * ratio;
    for (let i = 1; i < labels.length; i++) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + gap);
    for (let i = labels.length - 1, floor = bbox.top + bbox.height; i >= 0; i--, floor -= gap) labels[i].y = Math.min(labels[i].y, floor);
    ctx.save();
    ctx.font = `600 ${12 * ratio}px ${getComputedStyle(place).fontFamily}`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const { px, py, y, at, colour, text } of labels) {
      ctx.fillStyle = colour;
      ctx.beginPath();
      ctx.arc(px, py, 3.2 * ratio, 0, 7);
      ctx.fill();
      if (!bare && !units[1]) ctx.fillText(text, at + 6 * ratio, y);
    }
    ctx.restore();
  };
  /** What is not known yet: a dotted line until the next figure is due, and a hollow dot for what is known of later days. */
  const beyond = (u) => {
    const line = lines.findLast((l) => !l.ghost), ratio = uPlot.pxRatio, { ctx } = u;
    if (last === held || !line || u.scales.x.max < held) return;
    const at = (day, value) => [u.valToPos(day, "x", true), u.valToPos(value, scaleOf(line), true)];
    ctx.save();
    ctx.strokeStyle = stroke(lines.indexOf(line));
    ctx.lineWidth = 1.6 * ratio;
    ctx.lineCap = "round";
    ctx.setLineDash([0.1, 4 * ratio]);
    ctx.beginPath();
    ctx.moveTo(...at(line.days.at(-1), line.values.at(-1)));
    ctx.lineTo(...at(Math.min(last, u.scales.x.max), line.values.at(-1)));
    ctx.stroke();
    if (newer && newer.day <= u.scales.x.max) {
      ctx.setLineDash([]);
      ctx.fillStyle = colours.paper;
      ctx.beginPath();
      ctx.arc(...at(newer.day, newer.value), 3.6 * ratio, 0, 7);
      ctx.fill();
      ctx.stroke();
    }
    ctx.restore();
  };
  /** Rings on the marked figures of lines of a past day; small dots where rings would run into each other. */
  const marks = (u) => {
    const { ctx, bbox } = u, ratio = uPlot.pxRatio, { min, max } = u.scales.x;
    ctx.save();
    ctx.lineWidth = 1.4 * ratio;
    lines.forEach((line, i) => {
      const seen = ringed[i].filter((k) => line.days[k] >= min && line.days[k] <= max);
      const inView = line.days.filter((day) => day >= min && day <= max).length, isDense = inView * 6 * ratio > bbox.width;
      ctx.strokeStyle = stroke(i);
      ctx.fillStyle = isDense ? stroke(i) : colours.paper;
      for (const k of seen) {
        ctx.beginPath();
        ctx.arc(u.valToPos(line.days[k], "x", true), u.valToPos(line.values[k], scaleOf(line), true), (isDense ? 1 : 2.6) * ratio, 0, 7);
        ctx.fill();
        ctx.stroke();
      }
    });
    ctx.restore();
  };
  /** Room to the right for the values beside the ends of lines. */
  const margin = (u) => {
    if (bare || units[1]) return 8;
    u.ctx.save();
    u.ctx.font = `600 ${12 * uPlot.pxRatio}px ${getComputedStyle(place).fontFamily}`;
    const widths = lines.map((l, i) => u.ctx.measureText(beside(l, i, l.values.at(-1))).width / uPlot.pxRatio);
    u.ctx.restore();
    const own = Math.max(...widths) + 14;
    return edges ? (edges.right = Math.max(edges.right, own)) : own;
  };
  place.replaceChildren();
  const quit = new AbortController(), heard = { signal: quit.signal };
  u = new uPlot({
    width: Math.max(60, place.clientWidth), height: Math.max(40, place.clientHeight), legend: { show: false }, pxAlign: 0,
    padding: [() => (saysUnits() ? 22 : 8), margin, bare ? 2 : 0, bare ? 4 : 0],
    cursor: {
      y: false, drag: { x: true, y: false, setScale: true, dist: 6 }, dataIdx: (_, series, i) => (series ? nearest(series, i) : i),
      points: { size: 8, width: 2, fill: () => colours.paper, stroke: (_, i) => stroke(i - 1) },
    },
    scales: {
      x: { time: false, range: (_, low, high) => [Math.max(first - room, low ?? first), Math.min(last + room, high ?? last)] },
      ...Object.fromEntries([...new Set(lines.map(scaleOf))].map((scale) => [scale, { range: rangeOf(scale), distr: isLog(scale) ? 3 : 1 }])),
    },
    axes: [
      { show: !bare, stroke: () => colours.muted, font: colours.font, grid: { show: false }, ticks: { stroke: () => colours.muted, width: 1, size: 4 }, gap: 3, size: 26, splits: (u) => calendarMarks(u.scales.x.min, u.scales.x.max, Math.max(2, Math.floor(u.width / 84))).map(([d]) => d), values: (u) => calendarMarks(u.scales.x.min, u.scales.x.max, Math.max(2, Math.floor(u.width / 84))).map(([, text]) => text) },
      { ...axis("y", 3), show: !bare }, ...(units[1] !== undefined && !bare ? [axis("y1", 1)] : []),
    ],
    series: [{}, ...lines.map((line, i) => ({ scale: scaleOf(line), stroke: () => stroke(i), width: 1.8, points: { show: false } }))],
    hooks: {
      drawClear: [bands], drawAxes: [zero], draw: [marks, beyond, ends, unitsOf],
      setCursor: [(u) => { if (u.cursor.idx !== null && u.cursor.idx !== undefined && u.cursor.left >= 0) { at = lines.length === 1 ? nearest(1, u.cursor.idx) : u.cursor.idx; tell(); moved(x[at]); } }],
      setScale: [(u, key) => { if (key === "x") viewed(u.scales.x.min, Math.min(u.scales.x.max, held + room), u.scales.x.min > first || u.scales.x.max < last); }],
    },
  }, data, place);
  for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-label": label, "aria-orientation": "horizontal", "aria-valuemin": 0, "aria-valuemax": x.length - 1 })) place.setAttribute(name, value);
  const move = (to) => {
    const { min, max } = u.scales.x;
    at = Math.max(0, Math.min(x.length - 1, to));
    if (x[at] < min || x[at] > max) { const half = (max - min) / 2; u.setScale("x", { min: x[at] - half, max: x[at] + half }); }
    const i = nearest(1, at), line = lines[0];
    u.setCursor({ left: u.valToPos(x[at], "x"), top: i === null ? 0 : u.valToPos(data[1][i], scaleOf(line)) }, false);
    tell();
    moved(x[at]);
  };
  /** Goes with the crosshair of another panel; null lets it go. */
  const follow = (day) => {
    at = day === null ? x.length - 1 : Math.max(0, x.findLastIndex((d) => d <= day));
    u.setCursor(day === null ? { left: -10, top: -10 } : { left: u.valToPos(x[at], "x"), top: 0 }, false);
    tell();
  };
  const step = (by) => { let to = at + by; while (lines.length === 1 && to > 0 && to < x.length - 1 && data[1][to] === null) to += Math.sign(by) || 1; move(to); };
  const zoom = (from, to) => u.setScale("x", { min: Math.max(first - room, from), max: Math.min(last + room, to) });
  const closer = (by) => { const { min, max } = u.scales.x; zoom(x[at] - (x[at] - min) * by, x[at] + (max - x[at]) * by); move(at); };
  place.addEventListener("keydown", (event) => {
    const jump = Math.max(1, Math.round(x.length / 12));
    const done = { ArrowLeft: () => step(-1), ArrowDown: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => step(1), PageDown: () => step(-jump), PageUp: () => step(jump), Home: () => move(0), End: () => move(x.length - 1), "+": () => closer(0.5), "=": () => closer(0.5), "-": () => closer(2), Escape: () => zoom(first, last) }[event.key];
    if (!done || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    done();
  }, heard);
  // A finger moves the crosshair; up and down it scrolls the page.
  const finger = (event) => { if (event.pointerType !== "mouse") u.setCursor({ left: event.clientX - u.over.getBoundingClientRect().left, top: 10 }, true, true); };
  u.over.addEventListener("pointerdown", finger);
  u.over.addEventListener("pointermove", finger);
  const newest = () => { at = x.length - 1; tell(); moved(null); };
  u.over.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse" && document.activeElement !== place) newest(); });
  const sized = new ResizeObserver(() => { if (place.clientWidth && (place.clientWidth !== u.width || place.clientHeight !== u.height)) u.setSize({ width: place.clientWidth, height: place.clientHeight }); });
  sized.observe(place);
  const redress = () => { dress(); u.redraw(false, true); };
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", redress, heard);
  newest();
  if (span || reach || last > held) u.setScale("x", { min: first - room, max: last + room });
  viewed(u.scales.x.min, Math.min(u.scales.x.max, held + room), false);
  return { u, lines, say, move, follow, zoom, redress, first, last, at: (date) => { move(Math.max(0, x.indexOf(dayOf(date)))); place.scrollIntoView({ block: "nearest" }); }, gone: () => { quit.abort(); sized.disconnect(); u.destroy(); } };
}
// </chart>
