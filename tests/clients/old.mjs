// The calls through the TypeScript SDK of the older protocol: node old.mjs URL CALLS
import { readFileSync } from "node:fs";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, calls] = process.argv.slice(2);
const client = new Client({ name: "old", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
await client.listTools();
const answers = [];
for (const [name, args] of JSON.parse(readFileSync(calls, "utf8"))) {
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  answers.push({ name, args, content, structuredContent: structuredContent ?? null, isError: isError ?? false });
}
console.log(JSON.stringify(answers));
await client.close();
