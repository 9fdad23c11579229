// One agent framework, its own agent on the recorded model: node frameworks.mjs FRAMEWORK SPEC; as frameworks.py.
const [framework, given] = process.argv.slice(2);
const spec = JSON.parse(given);
const TURNS = 40;

const frameworks = {
  "ai-sdk": async (servers, model) => {
    const { generateText, stepCountIs, isStepCount } = await import("ai");
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const stdio = await import("@ai-sdk/mcp/mcp-stdio");
    const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
    const Stdio = stdio.StdioMCPTransport ?? stdio.Experimental_StdioMCPTransport;
    const transport = ({ url, command, args }) => (url ? { type: "http", url } : new Stdio({ command, args }));
    const clients = await Promise.all(servers.map((server) => createMCPClient({ transport: transport(server) })));
    const tools = Object.assign({}, ...(await Promise.all(clients.map((client) => client.tools()))));
    const llm = createOpenAICompatible({ name: "recorded", baseURL: model, apiKey: "none" })("gpt-5");
    await generateText({ model: llm, tools, prompt: "go", stopWhen: (isStepCount ?? stepCountIs)(TURNS) });
    await Promise.all(clients.map((client) => client.close()));
  },
  mastra: async (servers, model) => {
    const { Agent } = await import("@mastra/core/agent");
    const { MCPClient } = await import("@mastra/mcp");
    const named = servers.map(({ name, url, command, args }) => [name, url ? { url: new URL(url) } : { command, args }]);
    const client = new MCPClient({ id: model, servers: Object.fromEntries(named) });
    const tools = await (client.listTools ?? client.getTools).call(client);
    const agent = new Agent({ id: "test", name: "test", instructions: "go", model: { id: "recorded/gpt-5", url: model, apiKey: "none" }, tools });
    await agent.generate("go", { maxSteps: TURNS });
    await client.disconnect();
  },
  genkit: async (servers, model) => {
    const { genkit } = await import("genkit");
    const { createMcpHost } = await import("@genkit-ai/mcp");
    const { openAICompatible, compatOaiModelRef, defineCompatOpenAIModel } = await import("@genkit-ai/compat-oai");
    const ai = genkit({ plugins: [openAICompatible({ name: "recorded", apiKey: "none", baseURL: model })] });
    const named = servers.map(({ name, url, command, args }) => [name, url ? { url } : { command, args }]);
    const host = createMcpHost({ name: "test", mcpServers: Object.fromEntries(named) });
    await ai.generate({ model: "recorded/gpt-5", prompt: "go", tools: await host.getActiveTools(ai), maxTurns: TURNS });
    await host.close();
  },
  "langchain-js": async (servers, model) => {
    const { createAgent } = await import("langchain");
    const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
    const { ChatOpenAI } = await import("@langchain/openai");
    const named = servers.map(({ name, url, command, args }) => [name, url ? { url } : { command, args }]);
    const client = new MultiServerMCPClient({ mcpServers: Object.fromEntries(named) });
    const llm = new ChatOpenAI({ model: "gpt-5", apiKey: "none", configuration: { baseURL: model } });
    const agent = createAgent({ model: llm, tools: await client.getTools() });
    await agent.invoke({ messages: [{ role: "user", content: "go" }] }, { recursionLimit: 4 * TURNS });
    await client.close();
  },
  "openai-agents-js": async (servers, model) => {
    const { Agent, MCPServerStdio, MCPServerStreamableHttp, OpenAIProvider, Runner, setTracingDisabled } = await import("@openai/agents");
    setTracingDisabled(true);
    const made = servers.map(({ name, url, command, args }) => (url ? new MCPServerStreamableHttp({ name, url }) : new MCPServerStdio({ name, command, args })));
    await Promise.all(made.map((server) => server.connect()));
    const runner = new Runner({ modelProvider: new OpenAIProvider({ apiKey: "none", baseURL: model }), tracingDisabled: true });
    try {
      await runner.run(new Agent({ name: "test", model: "gpt-5", mcpServers: made }), "go", { maxTurns: TURNS });
    } finally {
      await Promise.all(made.map((server) => server.close()));
    }
  },
};

const stopped = {};
for (const [run, servers] of Object.entries(spec.runs)) {
  try {
    await frameworks[framework](servers, `${spec.model}/${run}/v1`);
    stopped[run] = null;
  } catch (error) {
    // What stops one run must not hide the others.
    stopped[run] = String(error).slice(0, 300);
  }
}
console.log(JSON.stringify(stopped));
process.exit(0);
