// CopilotKit's newest runtime, with its own agent on an OpenAI-compatible model, over AG-UI.
// usage: node node_agui.mjs PORT MODEL_URL
import { createOpenAI } from "@ai-sdk/openai";
import { BuiltInAgent, CopilotRuntime } from "@copilotkit/runtime/v2";
import { createCopilotNodeListener } from "@copilotkit/runtime/v2/node";
import http from "node:http";

const [port, modelUrl] = process.argv.slice(2);
const model = createOpenAI({ apiKey: "sk-fake", baseURL: modelUrl }).chat("fake");
const runtime = new CopilotRuntime({ agents: { default: new BuiltInAgent({ model }) } });
const listener = createCopilotNodeListener({ runtime, basePath: "/copilotkit" });
http.createServer(listener).listen(Number(port), "127.0.0.1", () => console.log("on", port));
