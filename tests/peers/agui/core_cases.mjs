// Drives the real @copilotkit/core through the cases that were recorded from the Node runtime, and
// prints what it saw as JSON. usage: node core_cases.mjs URL rest|single|auto [TOKEN]
import { createRequire } from "node:module";
globalThis.window = globalThis;
globalThis.location = new URL("http://localhost/");
const { CopilotKitCore } = createRequire(import.meta.url)("@copilotkit/core");
const [runtimeUrl, runtimeTransport, token] = process.argv.slice(2);
const headers = token ? { Authorization: `Bearer ${token}` } : {};
const core = new CopilotKitCore({ runtimeUrl, runtimeTransport, headers });
const views = {}, errors = [], threadId = `thread-${runtimeTransport}`;

const isSettled = () => ["connected", "error"].includes(core.runtimeConnectionStatus);
await new Promise((done) => {
  core.subscribe({
    onError: (one) => errors.push(String(one.error?.message ?? one.code)),
    onRuntimeConnectionStatusChanged: () => isSettled() && done(),
  });
  if (isSettled()) done();
});
views.info = {
  status: core.runtimeConnectionStatus,
  transport: core.runtimeTransport,
  agents: Object.keys(core.agents),
};
const agent = core.getAgent("default");
agent.threadId = threadId;

async function run(name, content) {
  const seen = [];
  const heard = agent.subscribe({ onTextMessageContentEvent: ({ event }) => seen.push(event.delta) });
  agent.addMessage({ id: `u-${name}`, role: "user", content });
  try {
    await core.runAgent({ agent });
  } catch (error) {
    errors.push(`throw: ${error.message}`);
  }
  heard.unsubscribe();
  views[name] = { contentEvents: seen.length, messages: structuredClone(agent.messages), errors: errors.splice(0) };
}

await run("run_text", "CHUNKS:5:50");
core.addTool({
  name: "sayHello",
  description: "Say hello",
  handler: async (given) => `Hello ${given?.name ?? ""}`,
});
await run("run_frontend_tool", 'TOOL:sayHello:{"name":"Ada"}');
agent.setMessages([]);
await core.connectAgent({ agent });
views.connect = { messages: structuredClone(agent.messages), errors: errors.splice(0) };
agent.setMessages([]);
await run("run_error", "ERROR:500");

agent.setMessages([]);
const stopping = agent.subscribe({ onTextMessageContentEvent: () => core.stopAgent({ agent }) });
await run("run_stopped", "HOLD:1");
stopping.unsubscribe();
console.log(JSON.stringify(views));
process.exit(0);
