// <bridge> Speaks MCP Apps 2026-01-26 with the host; the same in every app.
const $ = (id) => document.getElementById(id);
const text = (id, value) => { const at = $(id); at.textContent = value ?? ""; at.hidden = value == null || value === ""; };
/** A structure's tables (columns, rows, constant) as lists of objects; what is no table stays as it is. */
const expand = (value) => {
  if (Array.isArray(value)) return value.map(expand);
  if (value === null || typeof value !== "object") return value;
  if (!Array.isArray(value.columns) || !Array.isArray(value.rows)) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, expand(inner)]));
  }
  return value.rows.map((row) => {
    const object = {};
    const put = (name, cell) => {
      if (cell === null || cell === undefined) return;
      const path = String(name).split("."), last = path.pop();
      let at = object;
      for (const part of path) at = Object.hasOwn(at, part) ? at[part] : (at[part] = {});
      Object.defineProperty(at, last, { value: expand(cell), enumerable: true, writable: true, configurable: true });
    };
    value.columns.forEach((name, at) => put(name, row?.[at]));
    for (const [name, cell] of Object.entries(value.constant ?? {})) put(name, cell);
    return object;
  });
};
const host = { capabilities: {}, context: {}, onResult() {}, onContext() {} };
(() => {
  const waiting = new Map();
  let last = 0;
  const send = (message) => window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
  host.notify = (method, params = {}) => send({ method, params });
  host.request = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, { resolve, reject });
    send({ id: last, method, params });
  });
  const dress = (context) => {
    Object.assign(host.context, context);
    const root = document.documentElement;
    if (context.theme === "light" || context.theme === "dark") {
      root.dataset.theme = context.theme;
      root.style.colorScheme = context.theme;
    }
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
      if (name.startsWith("--") && typeof value === "string") root.style.setProperty(name, value);
    }
    if (context.styles?.css?.fonts) $("fonts").textContent = context.styles.css.fonts;
    const inset = context.safeAreaInsets;
    if (inset) document.body.style.margin = `${inset.top}px ${inset.right}px ${inset.bottom}px ${inset.left}px`;
    host.onContext();
  };
  const measure = () => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    host.notify("ui/notifications/size-changed", { width: Math.ceil(document.documentElement.clientWidth), height });
  };
  const observer = new ResizeObserver(measure);
  const said = {
    "ui/notifications/tool-result": (result) => {
      if (result.isError) text("status", result.content?.find((c) => c.type === "text")?.text ?? "The tool failed.");
      else if (result.structuredContent) { text("status", null); host.onResult(expand(result.structuredContent)); }
      else text("status", "The tool gave no data to show.");
    },
    "ui/notifications/tool-cancelled": () => text("status", "The call was cancelled."),
    "ui/notifications/host-context-changed": dress,
  };
  window.addEventListener("message", (event) => {
    if (event.source !== window.parent || event.data?.jsonrpc !== "2.0") return;
    const { id, method, params, result, error } = event.data;
    if (method === undefined) {
      const asked = waiting.get(id);
      waiting.delete(id);
      if (error) asked?.reject(new Error(error.message)); else asked?.resolve(result);
    } else if (id === undefined) said[method]?.(params ?? {});
    else if (method === "ping") send({ id, result: {} });
    else if (method === "ui/resource-teardown") { observer.disconnect(); send({ id, result: {} }); }
    else send({ id, error: { code: -32601, message: "Method not found" } });
  });
  host.call = async (name, args) => {
    const result = await host.request("tools/call", { name, arguments: args });
    if (result.isError) throw new Error(result.content?.find((c) => c.type === "text")?.text ?? "The tool failed.");
    return expand(result.structuredContent);
  };
  host.start = async (name) => {
    const answer = await host.request("ui/initialize", {
      protocolVersion: "2026-01-26",
      appInfo: { name, version: "1.0.0" },
      appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
    });
    host.capabilities = answer.hostCapabilities ?? {};
    dress(answer.hostContext ?? {});
    host.notify("ui/notifications/initialized");
    observer.observe(document.body);
    measure();
  };
})();
/** The credit line; the host opens its link where it can. */
function credit(attribution, asOf, age) {
  const link = $("credit");
  const given = attribution ?? {};
  link.textContent = given.text ?? "";
  if (/^https?:\/\//.test(given.url ?? "")) link.href = given.url;
  link.onclick = (event) => {
    if (!host.capabilities.openLinks || !link.href) return;
    event.preventDefault();
    host.request("ui/open-link", { url: link.href }).catch(() => text("status", "The host did not open the link."));
  };
  const old = age > 2 ? `, ${age} days old` : "";
  text("asof", asOf ? `As of ${asOf}${old}` : null);
}
// </bridge>
