// A small host: the app bridge of the MCP Apps SDK around one app in a sandboxed frame under the policy that
// hosts must apply. The page that drives it calls window.mount(…) and reads window.seen.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "media-src 'self' data:; connect-src 'none'";

window.seen = { initialized: false, sizes: [], calls: [], links: [], raw: [], app: null };
window.addEventListener("message", (event) => window.seen.raw.push(event.data));

window.mount = async ({ html, tool, args, result, context, serverTools = true }) => {
  const frame = document.createElement("iframe");
  frame.title = "App";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.height = "300px";
  document.querySelector("#stage").replaceChildren(frame);
  const capabilities = { openLinks: {}, logging: {}, ...(serverTools ? { serverTools: {} } : {}) };
  const bridge = new AppBridge(null, { name: "econoscope-test-host", version: "1.0.0" }, capabilities, { hostContext: context });
  bridge.oninitialized = () => {
    window.seen.initialized = true;
    window.seen.app = bridge.getAppVersion();
    bridge.sendToolInput({ arguments: args });
    if (result) bridge.sendToolResult(result);
  };
  bridge.onsizechange = ({ height }) => {
    window.seen.sizes.push(height);
    frame.style.height = `${height}px`;
  };
  bridge.oncalltool = async (params) => {
    window.seen.calls.push(params);
    return await window.callTool(params);
  };
  bridge.onopenlink = async ({ url }) => {
    window.seen.links.push(url);
    return {};
  };
  bridge.onrequestdisplaymode = async ({ mode }) => ({ mode });
  window.bridge = bridge;
  const policy = `<meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  const loaded = bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html.replace("<head>", `<head>${policy}`);
  await loaded;
};
