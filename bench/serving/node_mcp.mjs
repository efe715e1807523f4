// CopilotKit's runtime 1.10.6 with the tools of an MCP server as actions.
// usage: node node_mcp.mjs PORT MODEL_URL MCP_URL
// Its client of MCP is a few lines, so that the runtime is charged with as little as possible.
import { CopilotRuntime, OpenAIAdapter, copilotRuntimeNodeHttpEndpoint } from "@copilotkit/runtime";
import http from "node:http";
import OpenAI from "openai";

const [port, modelUrl, mcpUrl] = process.argv.slice(2);
const headers = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
  "mcp-protocol-version": "2025-06-18",
};

async function call(method, params, id = 1) {
  const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
  const response = await fetch(mcpUrl, { method: "POST", headers, body });
  const told = await response.json();
  if (told.error) throw new Error(told.error.message);
  return told.result;
}

async function createMCPClient() {
  const own = { name: "bench", version: "1" };
  const asked = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: own };
  await call("initialize", asked);
  const { tools } = await call("tools/list", {});
  const found = tools.map(({ name, description, inputSchema }) => [
    name,
    {
      description,
      schema: { parameters: inputSchema },
      execute: (given) => call("tools/call", { name, arguments: given }),
    },
  ]);
  return { tools: async () => Object.fromEntries(found) };
}

const openai = new OpenAI({ apiKey: "sk-fake", baseURL: modelUrl, maxRetries: 0 });
const serviceAdapter = new OpenAIAdapter({ openai, model: "fake" });
const runtime = new CopilotRuntime({ createMCPClient, mcpServers: [{ endpoint: mcpUrl }] });
const options = { endpoint: "/copilotkit", runtime, serviceAdapter };
const handler = copilotRuntimeNodeHttpEndpoint(options);
http
  .createServer((request, response) => handler(request, response))
  .listen(Number(port), "127.0.0.1", () => console.log("on", port));
