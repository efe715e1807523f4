// The real Node runtime, which uses us as a remote endpoint. It ends with its standard input.
// Its model calls what the user says: TOOL:name:{json}.
// usage: node remote_runtime.mjs ENDPOINT_URL TOKEN
import http from "node:http";
import { createRequire } from "node:module";
const { CopilotRuntime, copilotRuntimeNodeHttpEndpoint } = createRequire(import.meta.url)("@copilotkit/runtime");
const [url, token] = process.argv.slice(2);
const onBeforeRequest = () => ({ headers: { Authorization: `Bearer ${token}` } });
const runtime = new CopilotRuntime({ remoteEndpoints: [{ url, onBeforeRequest }] });
const serviceAdapter = {
  async process({ eventSource, messages, threadId }) {
    const [, actionName, args] = /TOOL:(\w+):(.*)/s.exec(messages.at(-1).content);
    eventSource.stream(async (events) => {
      events.sendActionExecution({ actionExecutionId: "call-1", actionName, args });
      events.complete();
    });
    return { threadId: threadId ?? "thread-1" };
  },
};
const listener = copilotRuntimeNodeHttpEndpoint({ endpoint: "/copilotkit", runtime, serviceAdapter });
const server = http.createServer((request, response) => listener(request, response)).listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/copilotkit`);
});
process.stdin.resume().on("end", () => process.exit(0));
