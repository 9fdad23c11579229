// One generation of the TypeScript SDK against the server: node clients.mjs CLIENT SERVER CALLS
// SERVER is JSON, {command, args} for stdio or {url}, which the oldest does not speak.
// CALLS is what truth.py has, as JSON; the answer is as in clients.py.
const [client, where, given] = process.argv.slice(2);
const server = JSON.parse(where);
const { calls, wrong, prompt, resource } = JSON.parse(given);
const [{ Client, StreamableHTTPClientTransport }, { StdioClientTransport }] =
  client === "js-1"
    ? await Promise.all([import("@modelcontextprotocol/sdk/client/index.js"), import("@modelcontextprotocol/sdk/client/stdio.js")])
    : await Promise.all([import("@modelcontextprotocol/client"), import("@modelcontextprotocol/client/stdio")]);
const session = new Client({ name: client, version: "1" }, client === "js-1" ? { capabilities: {} } : {});
await session.connect(server.url ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport(server));
const names = (listed) => listed.map((one) => one.name).sort();
const text = (content) => content.map((part) => part.text ?? "").join("\n");
const call = ([name, args]) => session.callTool({ name, arguments: args });
const answers = [];
for (const one of calls) answers.push(await call(one));
const failed = await call(wrong);
if (!failed.isError) throw new Error("a wrong call is no error");
const report = {
  lists: {
    tools: names((await session.listTools()).tools),
    prompts: names((await session.listPrompts()).prompts),
    resources: names((await session.listResources()).resources),
    templates: names((await session.listResourceTemplates()).resourceTemplates),
  },
  structures: answers.map((one) => one.structuredContent ?? null),
  texts: answers.map((one) => text(one.content)),
  error: text(failed.content),
  resource: text((await session.readResource({ uri: resource })).contents),
  prompt: text((await session.getPrompt({ name: prompt[0], arguments: prompt[1] })).messages.map((m) => m.content)),
};
await session.close();
console.log(JSON.stringify(report));
