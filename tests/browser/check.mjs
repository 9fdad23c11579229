// What a reader sees, checked in Chromium. See run.sh.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const { BASE, SHOTS, CHROMIUM = "/usr/bin/chromium" } = process.env;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const failures = [];
let checks = 0;
const check = (right, what) => {
  checks += 1;
  if (!right) {
    failures.push(what);
    console.error(`FAILED ${what}`);
  }
};

const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** An MCP App as a host reads it. */
async function readApp(name) {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const message = { jsonrpc: "2.0", id: 1, method: "resources/read", params: { uri: `ui://econoscope/${name}.html` } };
  const response = await fetch(`${BASE}/mcp`, { method: "POST", headers, body: JSON.stringify(message) });
  return (await response.json()).result.contents[0].text;
}

/** Opens a page, tells what goes wrong on it, and closes it. */
async function look(name, url, { width, height, scheme = "light", full = false, script = true, status = 200, act }) {
  // ONLY names what to look at, for one who works on it.
  if (!new RegExp(process.env.ONLY ?? "").test(name)) return;
  // The accessibility checker needs script in the page; the page's own policy forbids foreign script, and is
  // checked by itself below.
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: full ? 1 : 2, javaScriptEnabled: script, bypassCSP: script });
  const page = await context.newPage();
  const where = `${name} ${width}x${height} ${scheme}${script ? "" : " without script"}`;
  page.on("console", (message) => {
    const expected = status !== 200 && message.text().includes(`${status}`);
    if (message.type() === "error" && !expected) check(false, `${where}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => check(false, `${where}: ${error.message}`));
  page.on("dialog", (dialog) => {
    check(false, `${where}: a dialog opened: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on("request", (request) => check(request.url().startsWith(BASE) || /^(data|about|blob):/.test(request.url()) || request.url().startsWith(hostBase), `${where}: asked for ${request.url()}`));
  const response = await page.goto(url, { waitUntil: "load" });
  check(response.status() === status, `${where}: status ${response.status()}, not ${status}`);
  if (act) await act(page, where);
  if (full) {
    await page.evaluate(() => document.querySelectorAll("iframe[loading=lazy]").forEach((f) => f.setAttribute("loading", "eager"))).catch(() => {});
    await page.waitForTimeout(250);
  }
  await page.screenshot({ path: `${SHOTS}/${where.replaceAll(" ", "-")}.png`, fullPage: full });
  if (script) {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(over <= 0, `${where}: ${over} px too wide`);
    const cut = await page.evaluate(() => [...document.querySelectorAll("p.value, footer a")].filter((e) => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline").map((e) => e.textContent.trim()));
    check(cut.length === 0 || full, `${where}: cut: ${cut}`);
    for (const frame of page.frames()) {
      if (frame !== page.mainFrame() && frame.url() === "about:blank") continue;
      await frame.evaluate(axe);
      const result = await frame.evaluate(() => axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"], iframes: false }));
      for (const v of result.violations) check(false, `${where}: axe ${v.id}: ${v.help}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3)}`);
      check(result.passes.length > 3, `${where}: axe looked at nothing`);
    }
  }
  await context.close();
}

const addresses = JSON.parse(await readFile("addresses.json", "utf8"));
const rows = addresses.pages.map((row) => row.sample);
/** Widgets in sizes and with arguments of their own; each of the program's list is looked at in its usual size, too. */
const SIZES = [
  ["regime", "/widget/regime", 300, 120],
  ["recession", "/widget/recession", 300, 140],
  ["metric", "/widget/metric/DGS10", 250, 100],
  ["metric-monthly", "/widget/metric/PAYEMS", 250, 100],
  ["metric-empty", "/widget/metric/VIXCLS", 250, 100],
  ["least", "/widget/metric/DGS10?range=10y", 160, 90],
  ["usual", "/widget/metric/PAYEMS?range=10y&units=pc1", 480, 270],
  ["several", "/widget/chart?series=DGS10,DGS2,T10Y2Y&range=10y", 800, 400],
  ["regime-large", "/widget/regime", 800, 400],
  ["regime-tall", "/widget/regime", 390, 900],
];
const WIDGETS = [...SIZES, ...rows.filter((path) => path.startsWith("/widget/")).map((path) => [path.replaceAll(/\W+/g, "-").slice(8), path, 480, 270])];
/** Pages with arguments; the first five, which have charts, are looked at in every size. */
const VARIANTS = ["/", "/?as_of=2020-04-30", "/regime?as_of=2008-12-01", "/series/UNRATE", "/calendar", "/compare?series=DGS10,DGS2,PAYEMS,GASREGW", "/compare", "/series/DGS10?start=max", "/series/VIXCLS", "/glossary?q=spread", "/articles/sahm-rule-record", "/series/PAYEMS?start=2007-01-01&as_of=2009-01-15", "/compare?series=PAYEMS,UNRATE&range=5y&as_of=2010-06-01", "/embed?show=release", "/why/PAYEMS?date=2020-04", "/why/regime", "/scenarios"];
const isHtml = async (path) => (await fetch(BASE + path)).headers.get("content-type").startsWith("text/html");
const listed = [];
for (const path of rows) if (!path.startsWith("/widget/") && !path.includes("{base}") && (await isHtml(path))) listed.push(path);
const PAGES = [...new Set([...VARIANTS, ...listed])];

/** Names that try to become markup. */
const EVIL = [
  "<script>alert(1)</script>",
  "\"><svg onload=alert(1)>",
  "'><img src=x onerror=alert(1)>",
  "javascript:alert(1)",
  "</title><script>alert(1)</script>",
  "</style><script>alert(1)</script>",
  "{{7*7}}${7*7}",
  "%3Cscript%3Ealert(1)%3C/script%3E",
  "\u202Egnp.exe",
  "a\u0000b",
  "--><script>alert(1)</script>",
  "x onmouseover=alert(1) y",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "<iframe srcdoc='<script>alert(1)</script>'>",
  "😀".repeat(40),
];

async function headers() {
  for (const [name, path] of WIDGETS) {
    const answer = await fetch(BASE + path);
    const policy = answer.headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "style-src 'sha256-", "script-src 'sha256-", "connect-src 'self'", "img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors *"]) check(policy.includes(part), `${name}: policy without ${part}: ${policy}`);
    check(!policy.includes("unsafe"), `${name}: policy allows any script: ${policy}`);
    check(!answer.headers.has("x-frame-options"), `${name}: X-Frame-Options`);
    check(answer.headers.get("x-content-type-options") === "nosniff", `${name}: nosniff`);
    check(Boolean(answer.headers.get("referrer-policy")), `${name}: Referrer-Policy`);
    check(/max-age=\d+/.test(answer.headers.get("cache-control") ?? ""), `${name}: Cache-Control`);
    // On loopback no foreign page may read it; a public listener is tested in tests/edges/http/origins.rs.
    check(!answer.headers.has("access-control-allow-origin"), `${name}: open to foreign pages on loopback`);
    const again = await fetch(BASE + path, { headers: { "if-none-match": answer.headers.get("etag") } });
    check(again.status === 304, `${name}: ${again.status}, not 304`);
    const html = await answer.text();
    check(html.match(/<script/gi).length === 1, `${name}: another script`);
    check(/<a [^>]*href="http[^"]*"[^>]*>Data by /.test(html), `${name}: no credit link`);
  }
  for (const path of PAGES) {
    const policy = (await fetch(BASE + path)).headers.get("content-security-policy") ?? "";
    check(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'") && !policy.includes("unsafe"), `${path}: policy ${policy}`);
  }
  for (const [path, kind] of [["/chart/DGS10.png", "image/png"], ["/chart/UNRATE.svg", "image/svg+xml"]]) {
    const answer = await fetch(BASE + path);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    check(answer.ok && answer.headers.get("content-type") === kind, `${path}: ${answer.status} ${answer.headers.get("content-type")}`);
    check(bytes.length > 2000 && bytes.length < 60000, `${path}: ${bytes.length} bytes`);
  }
}

async function evil() {
  for (const name of EVIL) {
    for (const path of [`/widget/metric/${encodeURIComponent(name)}`, `/series/${encodeURIComponent(name)}`, `/glossary/${encodeURIComponent(name)}`, `/glossary?q=${encodeURIComponent(name)}`, `/chart/${encodeURIComponent(name)}.svg`, `/widget/regime?theme=${encodeURIComponent(name)}`, `/compare?series=${encodeURIComponent(name)}`, `/embed?series=${encodeURIComponent(name)}&theme=${encodeURIComponent(name)}`, `/widget/chart?series=${encodeURIComponent(name)}`]) {
      const answer = await fetch(BASE + path);
      const html = await answer.text();
      check(answer.status < 500, `${path}: status ${answer.status}`);
      check(!/<script|<iframe|<img|onload=|onerror=[^&]*>/i.test(html.replace(/<script>const say=[^]*?<\/script>/, "").replace(/<script type="module" src="\/assets\/[0-9a-f]+\.js"><\/script>/, "").replaceAll(/<iframe [^<>]*src="\/widget\/[^"<>]*" title="Preview[^"<>]*"[^<>]*>/g, "").replaceAll(/&[a-z#0-9]+;[^<]*/gi, "")), `${path}: markup came through: ${html.match(/.{0,80}(<script|<iframe|<img|onload=).{0,80}/i)?.[0]}`);
      const policy = answer.headers.get("content-security-policy") ?? "";
      if (answer.headers.get("content-type")?.startsWith("text/html")) check(policy.includes("default-src 'none'"), `${path}: no policy`);
    }
  }
}

/** Whether a page works under its own policy, without the checker's way around it. */
async function policies() {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on("console", (m) => m.type() === "error" && check(false, `${page.url()}: ${m.text()}`));
  for (const path of [...PAGES.slice(0, 4), ...WIDGETS.map((w) => w[1])]) await page.goto(BASE + path);
  await page.goto(`${BASE}/`);
  await page.locator(".snippet button").first().waitFor();
  check((await page.locator(".snippet button").count()) > 4, "the copy buttons are not there");
  await context.close();
}

// Apps inside a host.
const files = { "/host.html": ["text/html", await readFile("host.html")], "/host.js": ["text/javascript", await readFile("host.js")] };
const server = createServer((request, response) => {
  const [kind, body] = files[request.url] ?? ["text/plain", null];
  response.writeHead(body ? 200 : 404, { "content-type": kind });
  response.end(body ?? "");
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const hostBase = `http://127.0.0.1:${server.address().port}`;

const REST = { get_regime: () => "/api/public/regime", get_signals: () => "/api/public/signals", get_macro_summary: () => "/api/public/macro-summary", get_time_series: ({ seriesId, ...rest }) => `/api/public/data/${seriesId}?${new URLSearchParams(rest)}` };
async function callTool({ name, arguments: args = {} }) {
  const answer = await fetch(BASE + REST[name](args));
  const body = await answer.json();
  return answer.ok ? { content: [{ type: "text", text: "…" }], structuredContent: body } : { isError: true, content: [{ type: "text", text: body.error }] };
}
const LIGHT = { theme: "light", displayMode: "inline", availableDisplayModes: ["inline", "fullscreen"], containerDimensions: { maxHeight: 2000 }, locale: "en-US", styles: { variables: { "--color-background-primary": "#ffffff", "--color-text-primary": "#1a1a1a", "--font-sans": "Georgia, serif" } } };
const DARK = { theme: "dark", displayMode: "inline", availableDisplayModes: ["inline"] };

/** Puts an app into the host and waits until it has shown its data. */
async function mount(page, file, tool, args, context, change = {}) {
  await page.exposeFunction("callTool", callTool).catch(() => {});
  const html = await readApp(file);
  const result = change.result === undefined ? await callTool({ name: tool, arguments: args }) : change.result;
  await page.evaluate((given) => window.mount(given), { html, tool, args, result, context, serverTools: change.serverTools ?? true });
  await page.waitForFunction(() => window.seen.initialized && window.seen.sizes.length > 0, null, { timeout: 10_000 });
  await page.waitForTimeout(500);
  return page.frames().find((f) => f !== page.mainFrame());
}

async function apps() {
  const cases = [
    ["regime", "get_regime", {}],
    ["recession", "get_signals", {}],
    ["recession", "get_macro_summary", {}],
    ["chart", "get_time_series", { seriesId: "UNRATE", start: "10y" }],
    ["chart", "get_time_series", { seriesId: "T10Y2Y", start: "1y" }],
  ];
  for (const [file, tool, args] of cases) {
    for (const [scheme, context, width] of [["light", LIGHT, 720], ["dark", DARK, 720], ["dark", DARK, 360]]) {
      const name = `app-${file}-${tool}-${args.seriesId ?? ""}`;
      await look(name, `${hostBase}/host.html`, {
        width, height: width < 500 ? 1900 : 1200, scheme, full: true,
        act: async (page, where) => {
          const frame = await mount(page, file, tool, args, context);
          check(await frame.locator("#app").isVisible(), `${where}: shows nothing`);
          check(await frame.locator("#status").isHidden(), `${where}: says ${await frame.locator("#status").textContent()}`);
          const seen = await page.evaluate(() => window.seen);
          check(seen.app?.name === `econoscope-${file}`, `${where}: no handshake`);
          check(seen.sizes.at(-1) > 150, `${where}: size ${seen.sizes}`);
          check((await frame.evaluate(() => document.documentElement.dataset.theme)) === scheme, `${where}: theme`);
          check(await frame.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth), `${where}: too wide`);
          check(await frame.evaluate(() => document.documentElement.scrollHeight <= window.innerHeight + 1), `${where}: the host was told too small a height`);
          if (file === "recession") check(seen.calls.some((c) => c.name === "get_time_series"), `${where}: no history asked for`);
          if (context.styles) check((await frame.evaluate(() => getComputedStyle(document.body).fontFamily)).includes("Georgia"), `${where}: the host's font is not used`);
        },
      });
    }
  }
  await look("app-chart-use", `${hostBase}/host.html`, { width: 720, height: 900, full: true, act: use });
  await look("app-faults", `${hostBase}/host.html`, { width: 720, height: 900, full: true, act: faults });
}

/** Whether the colour of recessions is somewhere on a chart's canvas. */
const shaded = (frame, place) => frame.evaluate((place) => {
  const canvas = document.querySelector(`${place} canvas`), ctx = canvas.getContext("2d"), probe = document.createElement("canvas").getContext("2d");
  probe.fillStyle = getComputedStyle(document.querySelector(place)).getPropertyValue("--shade").trim();
  probe.fillRect(0, 0, 1, 1);
  const want = probe.getImageData(0, 0, 1, 1).data, seen = ctx.getImageData(0, 0, canvas.width, canvas.height).data;
  let count = 0;
  for (let i = 0; i < seen.length; i += 4) if (seen[i] === want[0] && seen[i + 1] === want[1] && seen[i + 2] === want[2] && seen[i + 3] === 255) count += 1;
  return count > 100;
}, place);

/** The chart by keyboard, pointer, range; theme change; teardown. */
async function use(page, where) {
  const frame = await mount(page, "chart", "get_time_series", { seriesId: "UNRATE", start: "1y" }, LIGHT);
  const plot = frame.locator("#plot"), said = () => plot.getAttribute("aria-valuetext");
  const newest = await said();
  await plot.focus();
  await page.keyboard.press("ArrowLeft");
  const before = await said();
  check(newest !== before && /, [A-Z][a-z]+ \d{4}$/.test(before), `${where}: arrow keys do nothing: ${newest} ${before}`);
  await page.keyboard.press("End");
  check((await said()) === newest, `${where}: End does not lead back`);
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  check((await said()) !== newest && (await frame.locator(".u-cursor-x:not(.u-off)").count()) === 1, `${where}: no crosshair under the pointer`);
  await frame.locator("button[data-range='10y']").click();
  await frame.waitForFunction(() => document.querySelector("button[data-range='10y']").getAttribute("aria-pressed") === "true");
  const calls = await page.evaluate(() => window.seen.calls);
  check(calls.length === 1 && calls[0].arguments.start === "10y", `${where}: ${JSON.stringify(calls)}`);
  check(await shaded(frame, "#plot"), `${where}: no recession is shaded`);
  await frame.locator("button[data-range='5y']").click();
  check((await page.evaluate(() => window.seen.calls.length)) === 1, `${where}: asked again for what was there`);
  await frame.locator("#credit").click();
  await page.waitForTimeout(100);
  check((await page.evaluate(() => window.seen.links.length)) === 1, `${where}: the link was not given to the host`);
  await page.evaluate(() => window.bridge.setHostContext({ theme: "dark" }));
  await page.waitForTimeout(100);
  check((await frame.evaluate(() => document.documentElement.dataset.theme)) === "dark", `${where}: no change of theme`);
  await page.evaluate(() => window.bridge.setHostContext({ theme: "light" }));
  const gone = await page.evaluate(() => window.bridge.teardownResource({}).then(() => true, (e) => e.message));
  check(gone === true, `${where}: teardown: ${gone}`);
  const odd = await page.evaluate(() => new Promise((done) => {
    const frame = document.querySelector("iframe");
    window.addEventListener("message", (e) => e.data?.id === "odd" && done(e.data.error?.code));
    frame.contentWindow.postMessage({ jsonrpc: "2.0", id: "odd", method: "no/such" }, "*");
    setTimeout(() => done("nothing"), 1000);
  }));
  check(odd === -32601, `${where}: an unknown request got ${odd}`);
}

/** Errors, empty answers, markup in names, a host without tools. */
async function faults(page, where) {
  let frame = await mount(page, "regime", "get_regime", {}, LIGHT, { result: { isError: true, content: [{ type: "text", text: "Broken <b>on purpose</b>" }] } });
  check((await frame.locator("#status").textContent()) === "Broken <b>on purpose</b>", `${where}: the error is not shown as text`);
  const evil = "<img src=x onerror=alert(1)><script>alert(2)</script>";
  const regime = (await callTool({ name: "get_regime" })).structuredContent;
  const bad = { ...regime, regime: evil, narrative: evil, assetViews: { [evil]: { direction: evil, conviction: evil, thesis: evil } }, notes: { [evil]: evil }, attribution: { text: evil, url: "javascript:alert(3)" } };
  frame = await mount(page, "regime", "get_regime", {}, LIGHT, { result: { content: [], structuredContent: bad } });
  check((await frame.locator("img, main script").count()) === 0, `${where}: markup came through a name`);
  check((await frame.locator("#credit").getAttribute("href")) === null, `${where}: an unsafe link`);
  const rows = (await callTool({ name: "get_time_series", arguments: { seriesId: "UNRATE" } })).structuredContent;
  frame = await mount(page, "chart", "get_time_series", {}, LIGHT, { serverTools: false, result: { content: [], structuredContent: { ...rows, displayName: evil, unit: evil, frequency: evil } } });
  check((await frame.locator("img, main script").count()) === 0, `${where}: markup came through a title`);
  check(await frame.locator("button[data-range='10y']").isDisabled(), `${where}: a range is offered that cannot be had`);
  const keyed = { convexIndices: { SERVICE_CRPI: { value: 12.5, interpretation: "Low" } }, marketSignals: { T10Y2Y: { value: 0.5 } }, attribution: { text: "x", url: "https://example.org" } };
  frame = await mount(page, "recession", "get_signals", {}, LIGHT, { serverTools: false, result: { content: [], structuredContent: keyed } });
  check((await frame.locator("#value").textContent()) === "12.5 %", `${where}: the keyed shape is not read`);
}

/** The number that a text shows. */
const numberIn = (text) => Number((text.replaceAll("−", "-").replaceAll(",", "").match(/[-+]?\$?[\d.]+/)?.[0] ?? "NaN").replace("$", ""));

/** A waterfall: its bars begin where the last ended, its labels add up, each part leads to its series. */
async function waterfalls() {
  for (const [path, script, width] of [["/why/CRPI", true, 1440], ["/why/CRPI?as_of=2008-10-31&since=1y", false, 390], ["/why/CPIAUCSL?date=2022-06&since=3m", false, 1440], ["/why/PAYEMS?date=2020-04", true, 390], ["/why/UNRATE", false, 390], ["/why/A191RL1Q225SBEA", true, 1440]]) {
    const context = await browser.newContext({ viewport: { width, height: 900 }, javaScriptEnabled: script });
    const page = await context.newPage();
    await page.goto(BASE + path);
    const drawn = page.locator("figure svg:visible");
    check((await drawn.count()) === 1, `${path}: ${await drawn.count()} pictures`);
    const labels = await drawn.locator("text[text-anchor=end]").allTextContents(), numbers = labels.map(numberIn);
    const sum = numbers.slice(0, -1).reduce((a, b) => a + b, 0);
    check(numbers.length > 2 && Math.abs(sum - numbers.at(-1)) < 1e-6, `${path}: ${labels.join(" | ")} do not add up`);
    const fills = await drawn.locator("rect[fill^='var(--line'], rect[fill='var(--muted)']").evaluateAll((bars) => bars.map((b) => [b.x.baseVal.value, b.x.baseVal.value + b.width.baseVal.value]));
    check(fills.length === numbers.length, `${path}: ${fills.length} bars for ${numbers.length} labels`);
    fills.slice(1).forEach(([from, to], i) => check(Math.min(...fills[i].flatMap((a) => [Math.abs(a - from), Math.abs(a - to)])) < 1.1, `${path}: bar ${i + 1} begins elsewhere`));
    for (const link of await drawn.locator("a").evaluateAll((links) => links.map((a) => a.getAttribute("href")))) check((await fetch(BASE + link)).ok, `${path}: ${link} is dead`);
    check((await drawn.locator("a").count()) > 1, `${path}: bars without links`);
    await context.close();
  }
  for (const [page, link] of [["/series/CPIAUCSL", "/why/CPIAUCSL"], ["/series/UNRATE", "/why/UNRATE"], ["/series/CRPI", "/why/CRPI"], ["/regime", "/why/CNLI"], ["/", "/why/PAYEMS"], ["/", "/why/CRPI"]]) check((await (await fetch(BASE + page)).text()).includes(`href="${link}"`), `${page} has no link to ${link}`);
}

/** The threshold of a series: dragged, moved by keys, typed; without script a form. */
async function thresholds() {
  const told = async (condition) => (await (await fetch(`${BASE}/alerts?condition=${encodeURIComponent(condition)}`)).text()).match(/class="answer">([^<]*)/)[1];
  for (const width of [390, 1440]) {
    const context = await browser.newContext({ viewport: { width, height: 1000 } });
    const page = await context.newPage();
    await page.goto(`${BASE}/series/UNRATE`);
    const mark = page.locator(".limit"), level = page.locator("form.alert input[name=level]"), said = page.locator(".crossed .answer");
    await mark.waitFor();
    await mark.scrollIntoViewIfNeeded();
    const settled = async (what) => {
      const now = await level.inputValue(), right = await told(`UNRATE > ${now}`);
      await page.waitForFunction((right) => document.querySelector(".crossed .answer")?.textContent === right, right, { timeout: 5000 }).catch(async () => check(false, `${what} to ${now} at ${width}: ${await said.textContent().catch(() => "nothing")}, not ${right}`));
      check(numberIn(await mark.getAttribute("aria-valuetext")) === Number(now), `${what} at ${width}: the mark is not at ${now}`);
      return Number(now);
    };
    const box = await mark.boundingBox();
    check(box.height >= 24 && box.width >= 24, `the mark is ${box.width} by ${box.height}`);
    const from = Number(await level.inputValue());
    await page.mouse.move(box.x + 12, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 12, box.y - 50, { steps: 5 });
    await page.mouse.up();
    const high = await settled("dragged");
    check(high > from + 0.5 && page.url() === `${BASE}/series/UNRATE`, `dragged from ${from} to ${high}, ${page.url()}`);
    await mark.focus();
    await page.keyboard.press("ArrowDown");
    check((await settled("a key")) < high, "an arrow key does not move the mark");
    await level.fill("10");
    check((await settled("typed")) === 10, "a typed number does not move the mark");
    for (const link of await page.locator(".crossed a").evaluateAll((links) => links.map((a) => a.href))) check((await fetch(link)).ok, `${link} is dead`);
    check((await page.locator(".crossed .snippet button").count()) === 1, "the address cannot be copied");
    await context.close();
  }
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${BASE}/series/UNRATE`);
  await page.locator("form.alert input[name=level]").fill("6.5");
  await page.locator("form.alert button").click();
  check((await page.locator(".answer").textContent()) === (await told("UNRATE > 6.5")), "the form without script says something else");
  check((await (await fetch(`${BASE}/series/UNRATE?units=pc1`)).text()).includes("form.alert") === false, "a threshold on a change");
  await context.close();
}

/** The board of scenarios: the nearest first, each with line, trigger, base rate and last time. */
async function board() {
  const html = await (await fetch(`${BASE}/scenarios`)).text(), rows = html.split('<tr><th scope="row">').slice(1);
  const far = rows.map((row) => (/<strong>Reached/.test(row) ? 0 : /less than two usual/.test(row) ? 1 : Number(row.match(/; about ([\d,]+) usual/)?.[1].replace(",", "") ?? Infinity)));
  check(rows.length > 15 && far.every((n, i) => !i || n >= far[i - 1]), `the board is not in order: ${far}`);
  for (const row of rows.filter((_, i) => far[i] < Infinity)) check(/class="spark"/.test(row) && row.includes('stroke="var(--line-2)"') && /\d to \d+ %/.test(row) && /<a href="\/series\/[^"]+start=|never/.test(row), `a row without line, trigger, rate or last time: ${row.slice(0, 90)}`);
}

/** First paint of the start page at a processor slowed four times; a busy machine says nothing. */
async function paint() {
  for (const width of [390, 1440]) {
    const paints = [];
    for (let i = 0; i < 9; i++) {
      const context = await browser.newContext({ viewport: { width, height: 844 } });
      const page = await context.newPage();
      await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate: 4 });
      await page.goto(`${BASE}/`, { waitUntil: "load" });
      await page.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length);
      paints.push(await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime));
      await context.close();
    }
    const median = paints.sort((a, b) => a - b)[4];
    console.log(`home: first paint after ${Math.round(median)} ms at ${width}`);
    check(median < 250, `home: first paint after ${Math.round(median)} ms at ${width}`);
  }
}

/** A link to a part of the start page leads there. */
async function anchors() {
  const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await page.goto(`${BASE}/#connect`);
  await page.waitForTimeout(300);
  const { y } = await page.locator("#connect").boundingBox();
  check(Math.abs(y) < 60, `#connect is at ${y}`);
  await page.close();
}

if (process.env.QUIET === "1") await paint();
if (!process.env.ONLY) for (const part of [headers, anchors, waterfalls, thresholds, board, evil, policies]) await part();
for (const scheme of ["light", "dark"]) {
  for (const [name, path, width, height] of WIDGETS) await look(`widget-${name}`, BASE + path, { width, height, scheme });
  await look("widget-unknown", `${BASE}/widget/metric/dgs1O`, { width: 250, height: 100, scheme, status: 404 });
}
await look("widget-fixed", `${BASE}/widget/regime?theme=dark`, { width: 300, height: 120 });
for (const [i, path] of PAGES.entries()) {
  const name = `page${path.replaceAll(/[/?=,]/g, "-")}`;
  // Pages with charts in every size and both schemes; those of text as a large and as a small screen have them.
  const looks = [[1440, "light"], [360, "dark"], ...(i < 5 ? [[1440, "dark"], [800, "light"], [800, "dark"], [360, "light"]] : [])];
  for (const [width, scheme] of looks) await look(name, BASE + path, { width, height: 900, scheme, full: true });
}
await look("page-", `${BASE}/`, { width: 320, height: 700, full: true });
await look("page-", `${BASE}/`, { width: 1280, height: 900, full: true, script: false });
/** Text twice as large, which readers set without a zoom of the page: nothing lies upon another text, and no page scrolls sideways. */
const twice = async (page, where) => {
  await page.addStyleTag({ content: "html{font-size:200%!important}" });
  await page.waitForTimeout(300);
  const found = await page.evaluate(() => {
    const seen = [], hits = [];
    for (const e of document.querySelectorAll("main *, header *")) for (const n of e.childNodes) {
      if (n.nodeType !== 3 || !n.textContent.trim() || e.closest("svg, [hidden], details:not([open]) > :not(summary), .skip, .unseen") || !e.checkVisibility()) continue;
      const range = document.createRange();
      range.selectNodeContents(n);
      for (const box of range.getClientRects()) if (box.width > 2) seen.push({ e, box, text: n.textContent.trim().slice(0, 30) });
    }
    seen.forEach((a, i) => seen.slice(i + 1).forEach((b) => {
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left), down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > 3 && down > 0.45 * Math.min(a.box.height, b.box.height) && !a.e.contains(b.e) && !b.e.contains(a.e)) hits.push(`${a.text} × ${b.text}`);
    }));
    return { hits: hits.slice(0, 5), texts: seen.length };
  });
  check(found.texts > 20 && found.hits.length === 0, `${where}: of ${found.texts} texts some overlap: ${found.hits.join("; ")}`);
};
for (const path of ["/calendar", "/release/employment", "/series/UNRATE", "/compare?series=DGS10,DGS2", "/"]) await look(`twice${path.replaceAll(/[/?=,]/g, "-")}`, BASE + path, { width: 390, height: 844, full: true, act: twice });
await look("twice-calendar", `${BASE}/calendar`, { width: 1440, height: 900, full: true, act: twice });
await look("page-offers", `${BASE}/`, { width: 390, height: 844, act: async (page, where) => {
  await page.locator(".seek input").fill("house prices");
  await page.locator("#offers li").first().waitFor();
  const offers = await page.locator("#offers li").allInnerTexts(), empty = offers.map((text) => text.includes("no figures here"));
  const { results } = await (await fetch(`${BASE}/suggest?q=house+prices`)).json();
  check(empty.filter(Boolean).length === results.filter((r) => r.lastDate === null).length && empty.lastIndexOf(false) < empty.indexOf(true), `${where}: empty series are not marked and last: ${offers}`);
} });
await look("page-compare-list", `${BASE}/compare`, { width: 800, height: 900, act: async (page) => { await page.locator("#add").fill("core infl"); await page.locator("#found li").first().waitFor(); } });
await look("page-series-table", `${BASE}/series/UNRATE`, { width: 800, height: 900, full: true, act: async (page) => { await page.locator(".readout").waitFor(); for (const summary of await page.locator("details.rows summary").all()) await summary.click(); } });
await look("page-home-live", `${BASE}/`, { width: 1440, height: 900, scheme: "dark", full: true, act: async (page) => { await page.locator("figure.chart .still").first().hover(); await page.locator(".readout").waitFor(); } });
await look("page-why-refused", `${BASE}/why/CPIAUCSL?date=1950-01`, { width: 390, height: 844, full: true, status: 404 });
await look("page-missing", `${BASE}/glossary/yield-curv`, { width: 390, height: 700, full: true, status: 404 });
await apps();
await browser.close();
server.close();
console.log(`${checks} checks, ${failures.length} failed; screenshots in ${SHOTS}`);
process.exit(failures.length ? 1 : 0);
