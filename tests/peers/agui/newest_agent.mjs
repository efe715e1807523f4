// Drives @ag-ui/client of AG-UI 1.0: a run, an interrupt and its answer. Prints what it saw as JSON.
// usage: node newest_agent.mjs URL TOKEN
import { HttpAgent } from "@ag-ui/client";
const [url, token] = process.argv.slice(2);
const warnings = [];
console.warn = (...told) => warnings.push(told.join(" "));
const agent = new HttpAgent({ url, headers: { Authorization: `Bearer ${token}` } });
const events = [];
agent.subscribe({ onEvent: ({ event }) => void events.push(event) });

const say = (id, content) => agent.addMessage({ id, role: "user", content });
say("u-1", "CHUNKS:2");
await agent.runAgent();
const first = structuredClone(agent.messages);

say("u-2", 'TOOL:wipe_disk:{"disk":"a"}');
await agent.runAgent();
const asked = structuredClone(agent.pendingInterrupts);
const payload = { approved: true };
await agent.runAgent({
  resume: asked.map(({ id }) => ({ interruptId: id, status: "resolved", payload })),
});
console.log(JSON.stringify({ first, asked, messages: agent.messages, state: agent.state, warnings,
  versions: events.filter((one) => one.protocolVersion).map((one) => one.protocolVersion) }));
