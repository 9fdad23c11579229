// Ten things people come for, done in Chromium as a reader does them, with their clicks counted: fails where one takes more
// than it may, or does not lead to what was wanted. A click is a press of the pointer or of Enter; typing is none.
// Usage: BASE=http://… node tasks.mjs
import { chromium } from "playwright-core";

const { BASE, CHROMIUM = "/usr/bin/chromium" } = process.env;
const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
let clicks = 0, page;
const text = async (address) => (await fetch(new URL(address, BASE))).text();
const live = () => page.locator("figure.chart[data-state=live]").first().waitFor();

/** Presses what a reader sees; returns where it leads without leaving for what is no page. */
async function press(target) {
  const link = typeof target === "string" ? page.locator("main, header").getByRole("link", { name: target, exact: true }).first() : target;
  clicks += 1;
  const href = await link.getAttribute("href");
  if (/\.(png|csv|ics|atom)\b|format=csv/.test(href ?? "")) { check(await link.isVisible(), `${href} is hidden`); return new URL(href, page.url()); }
  await link.click();
  return page.url();
}
/** Types into the search of a page and takes the first offer. */
async function find(words) {
  await page.locator(".seek input").fill(words);
  await press(page.locator("#offers li").first());
  await page.waitForURL(/\/series\//);
  await live();
}
const check = (right, what) => { if (!right) throw new Error(what); };

const TASKS = [
  ["core inflation as CSV since 1990", 2, "/", async () => {
    await find("core inflation");
    await page.locator("#start").fill("1990-01-01");
    await page.waitForURL(/start=1990-01-01/);
    await live();
    const rows = (await text(await press("CSV"))).trim().split("\n");
    check(/^observation_date,/.test(rows[0]) && rows[1].startsWith("1990-01-01,") && rows.length > 400, `${rows.length} rows from ${rows[1]}`);
    check(/core/i.test(await page.locator("h1").innerText()), await page.locator("h1").innerText());
  }],
  ["code to embed a chart", 1, "/series/UNRATE", async () => {
    await press(page.locator("summary", { hasText: "Embed code" }));
    check((await page.locator(".snippet code").innerText()).includes("<iframe src="), "no code");
  }],
  ["a citation of a figure", 1, "/series/UNRATE", async () => {
    await press("Cite");
    check(/BibTeX/.test(await page.locator("main").innerText()), "no citation");
  }],
  ["GDP as known in October 2008", 2, "/", async () => {
    await find("real gdp");
    await page.locator("#as_of").fill("2008-10-31");
    await page.waitForURL(/as_of=2008-10-31/);
    await live();
    check(/\$11\.7\d* trillion \(2000 dollars\)/.test(await page.locator(".facts").innerText()), await page.locator(".facts").innerText());
  }],
  ["the day of the next consumer prices", 1, "/", async () => {
    await press("Calendar");
    const said = await page.locator(".agenda > li", { hasText: "Consumer Price Index" }).or(page.locator(".agenda > li", { hasText: "CPI" })).first().innerText();
    check(/\d{1,2} [A-Z][a-z]+ 20\d\d/.test(said), said);
  }],
  ["wages against rent", 2, "/", async () => {
    await press("Compare");
    await page.locator("#add").fill("wages, rent");
    clicks += 1;
    await page.locator("#add").press("Enter");
    await page.waitForURL(/series=/);
    await live();
    const names = await page.locator("h2").first().innerText();
    check(/earnings|wages/i.test(names) && /rent/i.test(names), names);
  }],
  ["a picture for a post", 2, "/", async () => {
    await find("unemployment");
    const answer = await fetch(await press("PNG"));
    check(answer.headers.get("content-type") === "image/png" && (await answer.arrayBuffer()).byteLength > 5000, `${answer.status}`);
  }],
  ["why the probability of a recession is what it is", 1, "/series/SERVICE_CRPI", async () => {
    await press(page.getByRole("link", { name: /^Why / }).first());
    const said = await page.locator("main").innerText();
    check(/base/i.test(said) && /Recession/i.test(said), "the parts are not told");
  }],
  ["may I use it", 1, "/series/UNRATE", async () => {
    check(/Bureau of Labor Statistics|public domain/i.test(await page.locator("h2", { hasText: "May I use this?" }).locator("xpath=following-sibling::p").first().innerText()), "the page does not say");
    await press("Rights of all series");
    check(/rights/.test(page.url()), page.url());
  }],
  ["an alert on a series", 1, "/series/T10Y2Y", async () => {
    await press("Alert");
    const feed = await page.locator("a[href*='alerts.atom']").first().getAttribute("href");
    check((await text(feed)).includes("<feed"), "no feed");
  }],
];

let failed = 0;
for (const width of [1440, 390]) {
  const context = await browser.newContext({ viewport: { width, height: 900 }, hasTouch: width < 500 });
  context.setDefaultTimeout(60_000);
  page = await context.newPage();
  for (const [name, most, start, act] of TASKS) {
    clicks = 0;
    await page.goto(BASE + start);
    const wrong = await act().then(() => (clicks > most ? `more than ${most}` : ""), (error) => error.message.split("\n")[0]);
    if (wrong) failed += 1;
    console.log(`${wrong ? "FAILED" : "ok"} at ${width}: ${name}: ${clicks} of ${most}${wrong ? `: ${wrong}` : ""}`);
  }
  await context.close();
}
await browser.close();
process.exit(failed ? 1 : 0);
