// Drives a release of CopilotKit's own GraphQL client: cases on standard input, what it saw as JSON.
// usage: node gql_client.mjs PACKAGE URL TOKEN < cases.json
import { createRequire } from "node:module";
import { text } from "node:stream/consumers";

const [name, url, token] = process.argv.slice(2);
const { CopilotRuntimeClient, convertGqlOutputToMessages } = createRequire(import.meta.url)(name);
const told = { handleGQLErrors: () => {}, handleGQLWarning: () => {} };
const headers = { Authorization: `Bearer ${token}` };

const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

async function run(client, { data, properties }) {
  const seen = [];
  const reader = client.asStream(client.generateCopilotResponse({ data, properties })).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { seen };
      const response = value?.generateCopilotResponse;
      seen.push({
        status: plain(response?.status),
        metaEvents: plain(response?.metaEvents),
        messages: plain(convertGqlOutputToMessages(response?.messages ?? [])),
      });
    }
  } catch (error) {
    return { seen, error: error.message };
  }
}

async function ask(client, { query, data }) {
  const result = await client[query](data).toPromise();
  return { data: plain(result.data), error: result.error?.message };
}

const cases = JSON.parse(await text(process.stdin));
const found = {};
for (const [key, one] of Object.entries(cases)) {
  const client = new CopilotRuntimeClient({ url, headers, publicApiKey: one.publicApiKey, ...told });
  found[key] = one.query ? await ask(client, one) : await run(client, one);
}
process.stdout.write(JSON.stringify(found));
process.exit(0);
