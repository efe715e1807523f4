// Starts aimock on the loopback device, prints its address, and ends when its standard input does.
// It replies by rules rather than by heart, so that the conformance suite finds what it asks for.
import { LLMock } from "@copilotkit/aimock";

const COUNTED = "One, two, three, four, five, six, seven.";
const ERRORS = {
  400: { message: "Bad request.", type: "invalid_request_error" },
  403: { message: "Not for you.", type: "permission_error" },
  404: { message: "No such model.", code: "model_not_found" },
  413: { message: "Too large." },
  429: { message: "Slow down.", code: "rate_limit_exceeded" },
  500: { message: "Out of order.", type: "server_error" },
  quota: { message: "No credit.", code: "insufficient_quota" },
  filter: { message: "Filtered.", code: "content_filter" },
  long: { message: "Too long.", code: "context_length_exceeded" },
};
const STATUSES = { quota: 429, filter: 400, long: 400 };

const textOf = (message) =>
  typeof message?.content === "string"
    ? message.content
    : (message?.content ?? []).map((part) => part.text ?? "").join("");

function called(request) {
  if (!request.tools?.length || request.messages.at(-1)?.role === "tool") return null;
  const choice = request.tool_choice ?? "auto";
  if (choice === "none") return null;
  if (typeof choice === "object") return choice.function?.name ?? choice.name;
  const asked = /Use the tool/.test(textOf(request.messages.findLast((one) => one.role === "user")));
  return choice === "required" || asked ? request.tools[0].function.name : null;
}

function said(request) {
  const last = textOf(request.messages.at(-1));
  if (/as JSON/.test(last)) return '{"colour": "red"}';
  return /Repeat after me/.test(last) ? COUNTED : `Hello! You said ${last.length} letters.`;
}

function cut(text, request) {
  for (const word of [request.stop ?? []].flat()) text = text.split(word)[0];
  const words = text.match(/\S+\s*/g) ?? [];
  const most = request.max_completion_tokens ?? request.max_tokens ?? words.length;
  const usage = { prompt_tokens: 12, completion_tokens: Math.min(words.length, most) };
  if (words.length <= most) return { content: text, usage };
  return { content: words.slice(0, most).join(""), usage, finishReason: "length" };
}

function reply(request) {
  const wanted = /Fail with (\w+)/.exec(textOf(request.messages.at(-1)))?.[1];
  if (wanted) {
    const status = STATUSES[wanted] ?? Number(wanted);
    return { error: ERRORS[wanted], status, retryAfter: 7 };
  }
  const name = called(request);
  if (name === null) return cut(said(request), request);
  return { toolCalls: [{ name, arguments: name === "weather" ? '{"city": "Oslo"}' : "{}" }] };
}

const mock = new LLMock({
  host: "127.0.0.1",
  port: 0,
  auth: { apiKeys: [process.argv[2]] },
  chunkSize: 5,
});
mock.onMessage(/Break off/, { content: COUNTED }, { truncateAfterChunks: 3 });
mock.on({ predicate: (request) => request._endpointType !== "embedding" }, reply);
console.log(await mock.start());
process.stdin.resume();
process.stdin.on("end", () => process.exit(0));
