// Lets the real @copilotkit/core load a thread, and prints what it has then as JSON.
// usage: node connect_thread.mjs URL TOKEN THREAD
import { createRequire } from "node:module";
globalThis.window = globalThis;
globalThis.location = new URL("http://localhost/");
const { CopilotKitCore } = createRequire(import.meta.url)("@copilotkit/core");
const [runtimeUrl, token, threadId] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const core = new CopilotKitCore({ runtimeUrl, runtimeTransport: "rest", headers });
const errors = [];
await new Promise((done) => {
  core.subscribe({
    onError: (one) => errors.push(String(one.error?.message ?? one.code)),
    onRuntimeConnectionStatusChanged: () => core.runtimeConnectionStatus === "connected" && done(),
  });
});
const agent = core.getAgent("default");
agent.threadId = threadId;
await core.connectAgent({ agent });
console.log(JSON.stringify({ messages: agent.messages, errors, isRunning: agent.isRunning }));
process.exit(0);
