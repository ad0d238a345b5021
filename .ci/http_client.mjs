// Talks to a server over HTTP with the protocol's own TypeScript client: an answer, a refusal, and a call given up.
// usage: http_client.mjs ADDRESS NODE_MODULES
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [address, modules] = process.argv.slice(2);
const sdk = (path) => import(pathToFileURL(`${modules}/@modelcontextprotocol/sdk/dist/esm/client/${path}.js`));
const { Client } = await sdk("index");
const { StreamableHTTPClientTransport } = await sdk("streamableHttp");

const client = new Client({ name: "ci", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL(`${address}/mcp`)));
const query = (sql, options) => client.callTool({ name: "read_query", arguments: { sql } }, undefined, options);

const { tools } = await client.listTools();
const answer = await query("SELECT count(*) AS n FROM orders");
assert.equal(answer.structuredContent.rows.length, 1);
const refusal = await query("SELECT email FROM customers");
assert.equal(refusal.isError, true);
assert.match(refusal.content[0].text, /masked_column/);

const given = new AbortController();
setTimeout(() => given.abort(), 2000);
const long = "SELECT count(*) AS pairs FROM orders a, orders b WHERE a.id % 7 < b.id % 7";
await assert.rejects(query(long, { signal: given.signal }));
assert.deepEqual((await query("SELECT 1 AS one")).structuredContent.rows, [[1]]);
await client.close();
console.log(`${tools.length} tools by the TypeScript client`);
