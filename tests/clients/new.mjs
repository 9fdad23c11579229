// The calls through the TypeScript SDK of the newest protocol: node new.mjs URL CALLS
import { readFileSync } from "node:fs";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, calls] = process.argv.slice(2);
const client = new Client({ name: "new", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const answers = [];
for (const [name, args] of JSON.parse(readFileSync(calls, "utf8"))) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  answers.push({ name, args, content, structuredContent: structuredContent ?? null, isError: isError ?? false });
}
console.error(`protocol ${client.getNegotiatedProtocolVersion?.() ?? "unknown"}`);
console.log(JSON.stringify(answers));
await client.close();
