// The real Node runtime before us: it uses us as an HttpAgent. It ends with its standard input.
// usage: node node_runtime.mjs AGENT_URL TOKEN
import http from "node:http";
import { createRequire } from "node:module";
import { CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
const beside = createRequire(createRequire(import.meta.url).resolve("@copilotkit/runtime"));
const { HttpAgent } = beside("@ag-ui/client");
const [url, token] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${token}` };
const runtime = new CopilotRuntime({ agents: { default: new HttpAgent({ url, headers }) } });
const listener = createCopilotNodeListener({ runtime, basePath: "/copilotkit" });
const server = http.createServer(listener).listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/copilotkit`);
});
process.stdin.resume().on("end", () => process.exit(0));
