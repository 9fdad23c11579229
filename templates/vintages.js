// <vintages> The slider below a chart: the line as it was known at the end of a month, and what was revised since.
/** Which figures of a line of a past day differ from the line of today; as the server counts them. */
function revisedOf({ days, values, today }) {
  const now = new Map((today?.days ?? []).map((day, i) => [day, today.values[i]]));
  return days.map((_, i) => i).filter((i) => now.has(days[i]) && Math.abs(now.get(days[i]) - values[i]) > 1e-9);
}

/** Brings a slider to life. `show(lines, reach)` draws lines over the days of today's line. */
async function vintages(box, figure, lines, show) {
  const { from, until, asOf } = box.dataset, address = new URL(figure.dataset.figures.split(" ")[0], location.href);
  address.searchParams.set("start", dateOf(lines[0].days[0]));
  address.searchParams.delete("as_of");
  // A line in another unit stands alone, so that the page has not read today's.
  if (asOf && !lines[0].ghost && !address.searchParams.has("end")) address.searchParams.set("end", `${Number(asOf.slice(0, 4)) + 2}${asOf.slice(4)}`.replace("-02-29", "-02-28"));
  const today = asOf && !lines[0].ghost ? await readLine(address.href, "Now") : lines.at(-1), reach = [today.days[0], today.days.at(-1)];
  const slider = box.querySelector("input"), said = box.querySelector("output"), link = box.querySelector("a");
  const monthOf = (date) => date.slice(0, 4) * 12 + Number(date.slice(5, 7)) - 1, endOf = (month) => dateOf(Date.UTC(Math.floor(month / 12), (month % 12) + 1, 0) / DAY);
  const first = dateOf(reach[0]), [min, max] = [monthOf(first > from ? first : from) + (today.frequency === "quarterly" ? 4 : 2), monthOf(until)];
  if (min >= max) return;
  const held = new Map();
  const lineOf = (day) => {
    address.searchParams.set("as_of", day);
    if (!held.has(day)) held.set(day, readLine(address.href, "Then").catch((error) => { held.delete(day); throw error; }));
    return held.get(day);
  };
  const tell = (words, day = "") => {
    said.textContent = words;
    link.hidden = !day;
    const page = new URL(location.href);
    for (const name of ["from", "to", "revised"]) page.searchParams.delete(name);
    page.searchParams.set("as_of", day);
    link.href = page.pathname + page.search;
  };
  const count = (n, word) => `${exact(n)} ${word}${n === 1 ? "" : "s"}`;
  let asked = 0, later = 0;
  const slide = async () => {
    const mine = ++asked, month = Number(slider.value), day = endOf(month);
    if (month >= max) { show([{ ...today, name: "" }], reach); tell("As known today. Move back to see what was known on a past day."); return; }
    try {
      const then = await lineOf(day);
      if (mine !== asked || !figure.isConnected) return;
      const line = { ...then, ghost: true, today }, isSame = then.unit === today.unit && then.words === today.words, points = count(then.days.length, "point");
      show(isSame ? [line, { ...today, name: "Now" }] : [line], reach);
      const newer = today.days.filter((d) => d > then.days.at(-1)).length, published = newer ? `; ${exact(newer)} published later` : "";
      if (!isSame) tell(`As known on ${dayText(day)}, in another unit: ${then.words ?? then.unit}. ${points}, which cannot be set against today's.`, day);
      else if (/as known then/.test(then.knowledge)) tell(`As known on ${dayText(day)}: ${exact(revisedOf(line).length)} of ${points} revised since${published}.`, day);
      else tell(`Published by ${dayText(day)}: ${points}, as last revised, since what was known then is not held${published}.`, day);
    } catch (error) { if (mine === asked) tell(`The figures of ${dayText(day)} could not be read: ${error.message}`); }
  };
  for (const [name, value] of Object.entries({ min, max, value: asOf ? monthOf(asOf) : max })) slider[name] = value;
  const name = () => slider.setAttribute("aria-valuetext", Number(slider.value) >= max ? "today" : dayText(endOf(Number(slider.value))));
  slider.addEventListener("input", () => { name(); clearTimeout(later); later = setTimeout(slide, 90); });
  name();
  // It stands below the plot, so that it ends where the line does.
  const place = () => { const { u } = figure.drawn, left = u.bbox.left / uPlot.pxRatio; slider.style.marginLeft = `${left}px`; slider.style.width = `${u.bbox.width / uPlot.pxRatio}px`; };
  place();
  addEventListener("resize", () => figure.isConnected && place());
  box.hidden = false;
}
// </vintages>
