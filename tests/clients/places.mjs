// Holds `econoscope install` against add-mcp, which knows each host's file by itself: the same file, the same table, and
// an entry that says the same. node places.mjs BINARY FOLDER, where FOLDER has add-mcp in its node_modules.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [binary, folder] = process.argv.slice(2).map((path) => resolve(path));
const home = mkdtempSync(join(tmpdir(), "places-"));
// It reads these when it is loaded.
for (const name of ["XDG_CONFIG_HOME", "CODEX_HOME", "APPDATA"]) delete process.env[name];
process.env.HOME = home;
const { agents, listInstalledServers } = await import(pathToFileURL(join(folder, "node_modules/add-mcp/dist/lib.js")));
const names = { gemini: "gemini-cli" };
const hosts = ["claude-desktop", "claude-code", "cursor", "vscode", "codex", "gemini", "windsurf", "zed", "opencode", "cline"];
const url = "http://127.0.0.1:8080/mcp";
const run = (...words) => execFileSync(binary, words, { env: { PATH: process.env.PATH, HOME: home }, encoding: "utf8" });
// By this folder it knows Claude Code.
mkdirSync(join(home, ".claude"));
let wrong = 0;
const fail = (host, what) => { wrong += 1; console.error(`${host}: ${what}`); };
// What they leave empty says nothing; Codex knows a kind by its address, as its own command writes it.
const plain = (host, entry) => Object.fromEntries(Object.entries(entry).filter(([key, value]) =>
  value !== undefined && !(typeof value === "object" && Object.keys(value).length === 0) && !(host === "codex" && key === "type")));
for (const host of hosts) {
  const agent = agents[names[host] ?? host];
  for (const http of [false, true]) {
    if (http && !agent.supportedTransports.includes("http")) continue;
    const said = run("install", host, ...(http ? ["--http", url] : []));
    const path = agent.resolveConfigPath?.(agent, { local: false, cwd: home }) ?? agent.configPath;
    if (!said.includes(path) || !existsSync(path)) fail(host, `${path} is theirs; ${said}`);
    const mine = (await listInstalledServers({ global: true, agents: [names[host] ?? host] }))[0]?.servers?.find((server) => server.serverName === "econoscope");
    if (!mine) fail(host, "they see no server of ours in it");
    const given = http ? { type: "http", url } : { command: binary, args: [] };
    const theirs = plain(host, agent.transformConfig("econoscope", given, { local: false, configKey: agent.configKey }));
    const ours = plain(host, mine?.config ?? {});
    const same = (a, b) => JSON.stringify(Object.entries(a).sort()) === JSON.stringify(Object.entries(b).sort());
    if (!same(ours, theirs)) fail(host, `ours ${JSON.stringify(ours)}, theirs ${JSON.stringify(theirs)}`);
  }
}
console.log(`${hosts.length} hosts held against add-mcp: ${wrong} differ`);
process.exit(wrong ? 1 : 0);
