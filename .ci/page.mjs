// Uses the web page as a person would, in headless Chromium: every view, in both languages, light and dark, wide and narrow;
// without a serious finding of axe, a message in the console, or a request to anywhere else.
// usage: page.mjs ADDRESS NODE_MODULES CHROMIUM TOKEN [SCREENSHOT_FOLDER]
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [address, modules, executablePath, token, pictures] = process.argv.slice(2);
const { chromium } = await import(pathToFileURL(`${modules}/playwright-core/index.mjs`));
const axe = readFileSync(`${modules}/axe-core/axe.min.js`, "utf8");

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync"],
});

async function opened(options) {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const said = [];
  const elsewhere = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => request.url().startsWith(address) || request.url().startsWith("blob:") || elsewhere.push(request.url()));
  return { context, page, said, elsewhere };
}

/** Nothing of what axe finds is serious. Its script comes by the debugger, past the page's own policy. */
async function isAccessible(page, view) {
  const session = await page.context().newCDPSession(page);
  const ran = await session.send("Runtime.evaluate", {
    expression: `${axe}; axe.run(document).then((found) => JSON.stringify(found.violations.map((one) => [one.impact, one.id, one.nodes.map((node) => node.html.slice(0, 120))])))`,
    awaitPromise: true,
    returnByValue: true,
  });
  assert.ok(!ran.exceptionDetails, JSON.stringify(ran.exceptionDetails));
  const serious = JSON.parse(ran.result.value).filter(([impact]) => ["serious", "critical"].includes(impact));
  assert.deepEqual(serious, [], `${view}: ${JSON.stringify(serious)}`);
}

async function kept(page, name) {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png`, fullPage: false });
}

const { context, page, said, elsewhere } = await opened();
const view = async (hash, heading) => {
  await page.goto(`${address}/#/${hash}`);
  await page.getByRole("heading", { level: 1, name: heading }).waitFor();
};

// A token is asked for, a wrong one is refused, the right one is kept.
await page.goto(`${address}/`);
await page.getByLabel("Token").fill("periplus_wrong");
await page.getByRole("button", { name: "Enter" }).click();
await page.getByRole("alert").waitFor();
await page.getByLabel("Token").fill(token);
await page.getByRole("button", { name: "Enter" }).click();
await page.getByRole("heading", { name: "Catalog" }).waitFor();
said.length = 0; // Chromium reports the two answers 401.

// The catalog: search while typing, a table, its neighbours.
await page.keyboard.press("/");
await page.keyboard.type("order_it");
await page.getByRole("link", { name: "order_items", exact: true }).waitFor();
await page.waitForFunction(() => document.querySelectorAll("ul.tables li").length < 6);
// Below the names stands what else has the word, and where.
await page.getByLabel("Search tables").fill("cancelled");
await page.getByRole("heading", { name: "In columns, values and queries" }).waitFor();
await page.locator("li", { has: page.locator("mark", { hasText: /cancelled/i }) }).getByRole("link", { name: /^orders/ }).first().waitFor();
await isAccessible(page, "catalog");
await kept(page, "hits");
await page.getByLabel("Search tables").fill("");
await page.getByRole("link", { name: "orders", exact: true }).waitFor();
await kept(page, "catalog");
await view("tables/shop/orders", /^orders/);
await page.getByRole("region", { name: "Columns" }).waitFor();
await page.locator("svg.graph").waitFor();
assert.ok((await page.locator("svg .bar").count()) > 3, "values are drawn");
await isAccessible(page, "table");
await kept(page, "table");
await page.locator("svg.graph a").first().waitFor();

// Two tables beside one another, chosen by name.
await page.getByRole("link", { name: "Compare with another table" }).click();
await page.getByLabel("Other table").fill("orders_v2");
await page.getByRole("button", { name: "Compare" }).click();
await page.getByRole("heading", { level: 1, name: "orders ↔ orders_v2" }).waitFor();
await page.getByRole("row", { name: /only in orders_v2/ }).first().waitFor();
await isAccessible(page, "beside");
await kept(page, "beside");
await view("tables/shop/orders", /^orders/);

// How numbers and days are distributed.
await page.getByRole("img", { name: /^Distribution: \d/ }).first().waitFor();

// What people write stands on the page and in what programs get at once, and goes again.
await page.getByRole("button", { name: "Edit texts and facts" }).click();
await page.getByLabel("Purpose").fill("What customers have ordered, one row an order.");
await page.getByRole("textbox", { name: "channel", exact: true }).fill("How the order came in.");
await page.locator("form select").first().selectOption("dismissed");
await isAccessible(page, "edit");
await page.getByRole("button", { name: "Save" }).click();
await page.getByText("What customers have ordered, one row an order.").waitFor();
await page.getByRole("cell", { name: "How the order came in." }).waitFor();
const texts = async () => (await fetch(`${address}/api/v1/tables/shop/orders/texts`, { headers: { authorization: `Bearer ${token}` } })).json();
assert.deepEqual((await texts()).purpose, { text: "What customers have ordered, one row an order.", by_person: true });
assert.equal((await texts()).facts[0].judgement, "dismissed");
await page.getByRole("button", { name: "Edit texts and facts" }).click();
await page.getByLabel("Purpose").fill("");
await page.locator("form select").first().selectOption("");
await page.getByRole("button", { name: "Save" }).click();
await page.getByRole("button", { name: "Edit texts and facts" }).waitFor();
assert.equal((await texts()).purpose.by_person, false);
assert.equal((await texts()).facts[0].judgement, null);

// The glossary: terms with their state and SQL, filtered; what they say is text. The shop has none of its own.
await page.route("**/api/v1/terms", (route) => route.fulfill({ json: { terms: [
  {
    source: "shop", name: "Revenue", synonyms: ["sales"], definition: "What was paid, <b>without tax</b>.", table: { source: "shop", schema: null, name: "orders" },
    expression: "sum(total_cents) / 100.0", condition: "status <> 'cancelled'", origin: "person", state: { approved: { by: "ana", at: null } },
  },
  { source: "shop", name: "Churn", origin: "usage", evidence: "18 of 20 statements", state: "proposed", fault: "its column `left_at` is gone" },
] } }));
await view("terms", "Glossary");
await page.getByText("2 terms").waitFor();
await page.getByText("<b>without tax</b>").waitFor();
await isAccessible(page, "terms");
await kept(page, "terms");
await page.getByLabel("Search terms").fill("sales");
await page.getByText("1 term", { exact: true }).waitFor();
await view("terms?contains=churn", "Glossary");
await page.getByRole("link", { name: "Churn", exact: true }).waitFor();
assert.equal(await page.getByRole("link", { name: "Revenue", exact: true }).count(), 0);
await page.unroute("**/api/v1/terms");

// The graph of joins: drawn, searched, zoomed, moved; a table of it is a link.
await view("graph", "Joins");
await page.locator(".canvas a", { hasText: "orders" }).first().waitFor();
assert.ok((await page.locator(".canvas path.key").count()) > 10, "keys are drawn");
await page.getByLabel("Search tables").fill("shipments");
await page.locator(".canvas rect.middle").first().waitFor();
await page.getByRole("button", { name: "Zoom in" }).click();
await page.locator(".canvas").press("ArrowLeft");
await isAccessible(page, "graph");
await kept(page, "graph");
await page.getByRole("button", { name: "Fit" }).click();
await page.locator(".canvas text", { hasText: /^shipments$/ }).first().click();
await page.getByRole("heading", { level: 1, name: /^shipments/ }).waitFor();

// A question.
await view("find", "Find tables");
await page.getByLabel("Question").fill("How many customers are there in the USA?");
await page.getByRole("button", { name: "Find" }).click();
await page.locator("ol.tables a", { hasText: "customers" }).first().waitFor();
assert.match(await page.locator("main").innerText(), /'US'/);
await isAccessible(page, "find");
await kept(page, "find");

// A question to the model: its steps, the statement, its rows.
await page.getByRole("link", { name: "Ask", exact: true }).last().click();
await page.getByRole("heading", { level: 1, name: "Ask" }).waitFor();
await page.locator("pre", { hasText: "SELECT count(*) AS n FROM customers" }).waitFor();
await page.getByRole("region", { name: "rows" }).getByRole("cell").first().waitFor();
assert.ok((await page.locator("details li").count()) > 3, "steps are told");
await isAccessible(page, "ask");
await kept(page, "ask");

// A statement: names and findings while typing, a refusal, rows, approval.
await view("query", "Query");
await page.getByLabel("Statement").fill("");
await page.getByLabel("Statement").pressSequentially("SELECT o.chan");
await page.getByLabel("Statement").fill("SELECT o. FROM orders o");
await page.getByLabel("Statement").press("Home");
for (let step = 0; step < "SELECT o.".length; step += 1) await page.getByLabel("Statement").press("ArrowRight");
await page.getByLabel("Statement").pressSequentially("chan");
await page.getByRole("option", { name: "channel", exact: true }).waitFor();
await page.getByLabel("Statement").press("ArrowDown");
await page.getByLabel("Statement").press("Enter");
assert.equal(await page.getByLabel("Statement").inputValue(), "SELECT o.channel FROM orders o");
await isAccessible(page, "names");
// Behind JOIN and ON: what keys connect.
await page.getByLabel("Statement").fill("");
await page.getByLabel("Statement").pressSequentially("SELECT * FROM orders o JOIN ");
await page.getByRole("option", { name: "customers", exact: true }).waitFor();
await page.getByLabel("Statement").pressSequentially("customers c ON ");
await page.getByRole("option", { name: "o.customer_id = c.id", exact: true }).waitFor();
await page.getByLabel("Statement").press("Tab");
assert.equal(await page.getByLabel("Statement").inputValue(), "SELECT * FROM orders o JOIN customers c ON o.customer_id = c.id");
await page.getByLabel("Statement").fill("SELECT nam FROM customers");
await page.getByText("unknown_column").waitFor();
await kept(page, "findings");
await page.getByLabel("Statement").fill("SELECT country_code, count(*) AS customers FROM customers GROUP BY country_code ORDER BY 2 DESC");
await page.getByRole("button", { name: "Run" }).click();
await page.getByRole("region", { name: "rows" }).getByRole("cell", { name: "US", exact: true }).waitFor();
await page.getByRole("img", { name: /^Bar chart, customers \/ country_code/ }).locator("rect").nth(2).waitFor();
await isAccessible(page, "query");
await kept(page, "query");
await page.getByLabel("The question that it answers").fill("Customers by country?");
await page.getByRole("button", { name: "Approve as the answer" }).click();
await page.getByText(/Kept as \d+/).waitFor();
await page.getByLabel("Statement").fill("SELECT strftime('%Y-%m', ordered_at) AS month, count(*) AS orders FROM orders GROUP BY 1 ORDER BY 1 DESC LIMIT 12");
await page.getByRole("button", { name: "Run" }).click();
await page.getByRole("img", { name: /^Line chart, orders \/ month/ }).locator("path.line").waitFor();
await kept(page, "chart");
await page.getByLabel("Statement").fill("SELECT id, name FROM products ORDER BY id LIMIT 5");
await page.getByRole("button", { name: "Run" }).click();
await page.getByText(/^5 rows/).waitFor();
assert.equal(await page.getByRole("img").count(), 0, "names aren't drawn");
await page.getByLabel("Statement").fill("SELECT email FROM customers");
await page.getByRole("button", { name: "Run" }).click();
await page.getByRole("alert").getByText("It wasn't run").waitFor();
assert.equal(await page.getByText("masked_column", { exact: true }).count(), 1, "what stands against it is said once");

// What was said and asked.
await view("feedback", "Feedback");
const row = page.getByRole("row", { name: /Customers by country/ });
await row.getByRole("button", { name: "Take back" }).first().click();
await row.getByText("taken back by").first().waitFor();
await isAccessible(page, "feedback");
await view("history", "History");
await page.getByText("SELECT email FROM customers").first().waitFor();
await isAccessible(page, "history");
await view("status", "Status");
await page.getByRole("cell", { name: "shop", exact: true }).waitFor();
await isAccessible(page, "status");
await page.getByRole("button", { name: "Index now" }).click();
await page.getByRole("region", { name: "Index runs" }).getByText("done").waitFor();
await page.getByText(/tables profiled/).waitFor();
await kept(page, "status");

// A name that isn't there is said, and markup in an address is text.
await page.goto(`${address}/#/tables/shop/${encodeURIComponent("<img src=x onerror=alert(1)>")}`);
await page.getByRole("alert").waitFor();
assert.equal(await page.locator("main img").count(), 0);
await page.getByRole("button", { name: "Sign out" }).click();
await page.getByRole("heading", { name: "A token is needed" }).waitFor();
assert.equal(await page.locator("header").count(), 0, "nothing is left of what was read");
const refusals = said.filter((text) => !/status of (4\d\d)/.test(text));
assert.deepEqual(refusals, [], "nothing is wrong in the console");
assert.deepEqual(elsewhere, [], "nothing is asked of anybody else");
await context.close();

// Several sources, and answers that a server rarely gives: they are played to the page.
const played = async (caller = { name: "page", role: "admin", rights: "admin", asks: true }) => {
  const it = await opened();
  await it.context.addInitScript((value) => sessionStorage.setItem("periplus-token", value), token);
  const asked = [];
  /** Answers requests of that path, and notes what they ask. */
  const play = (path, answer) => it.page.route((url) => url.pathname === `/api/v1${path}`, async (route) => {
    const request = route.request();
    const body = request.postDataJSON();
    asked.push([`${request.method()} ${path}`, body]);
    await route.fulfill(await answer(new URL(request.url()).searchParams, body, request)).catch(() => {}); // Who has asked may be gone.
  });
  const bodies = (what) => asked.filter(([one]) => one === what).map(([, body]) => body);
  await play("/caller", () => ({ json: caller }));
  await play("/sources", () => ({ json: { sources: [["shop", "sqlite"], ["sales", "postgres"], ["web", "mysql"]].map(([name, dialect]) => ({ name, dialect, tables: 1 })) } }));
  // What somebody comes to from within the page is asked at once.
  await it.page.goto(`${address}/#/nowhere`);
  await it.page.getByText("There is nothing at this address.").waitFor();
  const see = async (hash, heading) => {
    await it.page.goto(`${address}/#/${hash}`);
    await it.page.getByRole("heading", { level: 1, name: heading }).waitFor();
  };
  return { ...it, play, bodies, see };
};
const problem = (status, code) => ({ status, json: { code, detail: `${code} it is` } });
const later = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

{
  const { page, play, bodies, see, said, context } = await played();
  // Each source has its graph, and a table's name is written as its engine reads it.
  await play("/graph", (asked) => {
    const names = asked.get("source") === "sales" ? ["sales.public.Orders", "sales.public.order"] : ["shop.a", "shop.b"];
    const tables = names.map((name) => ({ source: asked.get("source"), name, steps: 0, stale: false }));
    return { json: { source: asked.get("source"), tables, keys: [{ from: names[0], to: names[1], on: "id = id" }], areas: [], between: [] } };
  });
  await see("graph", "Joins");
  await page.locator(".canvas text", { hasText: "shop.a" }).waitFor();
  await page.getByLabel("Source").selectOption("sales");
  await page.locator(".canvas text", { hasText: "sales.public.Orders" }).waitFor();
  const statement = page.getByLabel("Statement");
  const has = (sql) => page.waitForFunction((wanted) => document.querySelector("textarea")?.value === wanted, sql);
  await play("/check", () => ({ json: { accepted: true, findings: [], rewrite: "SELECT 'a\u200bb'" } }));
  const sql = "`order`";
  await play("/tables/web/web.order/profile", () => ({ json: { columns: [] } }));
  await play("/tables/web/web.order/neighbours", () => ({ json: { tables: [], keys: [] } }));
  await play("/tables/web/web.order", () => ({ json: { table: "web.order", sql, kind: "table", dialect: "mysql", columns: [{ name: "id" }] } }));
  await see("tables/web/web.order", "web.order");
  await page.getByRole("link", { name: "Query this table" }).click();
  await has("SELECT *\nFROM `order`\nLIMIT 20");
  assert.equal(await page.getByLabel("Source").inputValue(), "web");
  await play("/tables", () => ({ json: { tables: [{ source: "sales", name: "sales.public.Orders", sql: 'public."Orders"' }], total: 1 } }));
  await page.getByLabel("Source").selectOption("sales");
  await statement.fill("");
  await statement.pressSequentially("FROM Ord");
  await page.getByRole("option", { name: "public.Orders", exact: true }).click();
  await has('FROM public."Orders"');
  // A repaired statement is taken as it is, and shown with what is hidden in it.
  await page.locator("pre", { hasText: "SELECT 'a\\u{200b}b'" }).waitFor();
  await page.getByRole("button", { name: "Use the repaired statement" }).click();
  await has("SELECT 'a\u200bb'");
  // One statement runs at a time, and its rows stay those of its source.
  await play("/query", async (_, __, request) => {
    if (request.headers().accept.startsWith("text/csv")) return problem(504, "timeout");
    await later(300);
    return { json: { columns: ["n"], rows: [[{ sql: "a\u200bb" }]], row_count: 1, findings: [], elapsed_ms: 1 } };
  });
  await statement.fill(" ");
  await statement.press("Control+Enter");
  await statement.fill("SELECT 1 AS n");
  await statement.press("Control+Enter");
  await statement.press("Control+Enter");
  await page.getByText(/^1 row,/).waitFor();
  await page.getByRole("cell", { name: '{"sql":"a\\u{200b}b"}' }).waitFor();
  assert.equal(bodies("POST /query").length, 1, "no statement runs twice, and no empty one");
  await play("/feedback", () => ({ status: 201, json: { id: 7 } }));
  await page.getByLabel("The question that it answers").fill("One?");
  await page.getByRole("button", { name: "Approve as the answer" }).click();
  await page.getByText("Kept as 7").waitFor();
  await page.getByLabel("Source").selectOption("web");
  assert.equal(await page.getByRole("button", { name: "Approve as the answer" }).count(), 0);
  await page.getByRole("button", { name: "Download CSV" }).click();
  await page.getByRole("alert").getByText("timeout it is").waitFor();
  assert.deepEqual([...bodies("POST /query"), ...bodies("POST /feedback")].map((body) => body.source), ["sales", "sales", "sales"]);

  // A question shows no other's tables, leads on with a source, and is asked of a model only once the source is known.
  await play("/link", async (_, body) => {
    await later(body.question === "first?" ? 0 : 700);
    const tables = [{ source: "sales", name: `sales.public.${body.question === "first?" ? "one" : "two"}`, why: [], against: [] }];
    return { json: { tables, total: 1, examples: [{ source: "web", question: "One?", sql: "SELECT 1" }] } };
  });
  await play("/feedback", () => ({ json: { memories: [
    { id: 7, state: { replaced: { at: "2026-01-01T00:00:00Z", by: "ana", with: 9 } }, content: { kind: "approved", question: "One?", sql: "SELECT 1", source: "web", author: "ben" } },
  ] } }));
  await see("find?question=first?", "Find tables");
  await page.getByRole("link", { name: "sales.public.one" }).waitFor();
  assert.equal(await page.locator("main").getByRole("link", { name: "Ask" }).getAttribute("href"), "#/ask?question=first%3F&source=sales");
  assert.equal(await page.locator("main").getByRole("link", { name: "Query" }).getAttribute("href"), "#/query?sql=SELECT%201&source=web");
  await page.getByLabel("Question").fill("second?");
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByText("Loading").waitFor();
  assert.equal(await page.getByRole("link", { name: "sales.public.one" }).count(), 0);
  await page.getByRole("link", { name: "sales.public.two" }).waitFor();
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByText("Loading").waitFor();
  await page.getByRole("link", { name: "sales.public.two" }).waitFor();
  const answer = { status: "answered", sql: "SELECT 1", columns: ["n"], rows: [[1]], put_aside: 0, limit_reached: "rows: 1" };
  const stream = (text) => ({ contentType: "text/event-stream", body: text });
  await play("/ask", (_, body) => stream(body.question === "cut?" ? "" : `event: answer\ndata: ${JSON.stringify(answer)}\n\n`));
  await see("ask?question=how%20many?", "Ask");
  await later(200);
  assert.equal(bodies("POST /ask").length, 0);
  await page.getByLabel("Source").selectOption("sales");
  await page.locator("main").getByRole("button", { name: "Ask" }).click();
  await page.getByText("not all rows: rows: 1").waitFor();
  await page.getByLabel("Source").selectOption("web");
  assert.equal(await page.locator("main").getByRole("link", { name: "Query" }).getAttribute("href"), "#/query?sql=SELECT%201&source=sales");
  await see("ask?question=cut?&source=web", "Ask");
  await page.getByRole("alert").getByText("interrupted").waitFor();
  assert.deepEqual(bodies("POST /ask").map((body) => body.source), ["sales", "web"]);
  await see("feedback", "Feedback");
  await page.getByText("replaced by 9 (ana)").waitFor();

  // More tables than the server gives at a time.
  await play("/tables", (asked) => {
    const from = Number(asked.get("cursor") ?? 0);
    const to = Math.min(1150, from + Math.min(1000, Number(asked.get("limit"))));
    const tables = Array.from({ length: to - from }, (_, place) => ({ source: "shop", name: `shop.t${from + place}` }));
    return { json: { tables, total: 1150, next_cursor: to < 1150 ? String(to) : undefined } };
  });
  await see("catalog", "Catalog");
  for (let shown = 100; shown < 1150; shown += 100) {
    await page.waitForFunction((wanted) => document.querySelectorAll("ul.tables li").length === wanted, shown);
    await page.getByRole("button", { name: "Show more" }).click();
  }
  await page.getByRole("link", { name: "shop.t1149" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Show more" }).count(), 0);

  // A link to where one is shows it anew.
  await play("/terms", () => ({ json: { terms: ["Churn", "Revenue"].map((name) => ({ source: "shop", name, origin: "person", state: "proposed" })) } }));
  await see("terms?contains=churn", "Glossary");
  await page.getByLabel("Search terms").fill("");
  await page.getByRole("link", { name: "Churn", exact: true }).click();
  await page.getByLabel("Search terms").fill("");
  await page.getByRole("link", { name: "Churn", exact: true }).click();
  await page.getByText("1 term", { exact: true }).waitFor();

  // Index runs: one that can't be asked for is watched on, one that takes long to tell is waited for, and a short one tells as much.
  const runs = [];
  const run = (id, state) => ({ id, by: "page", began_at: "2026-01-01T00:00:00Z", state, phase: "", done: 0, total: 1, said: [] });
  let listed = 0;
  await play("/status", () => ({ json: { version: "1", revision: bodies("GET /status").length, memories: 0, sources: [] } }));
  await play("/index-runs", async (_, __, request) => {
    if (request.method() === "POST") {
      runs.unshift(run(runs.length + 1, runs.length === 0 ? "done" : "running"));
      return { status: 202, json: runs[0] };
    }
    if (runs.length === 2) {
      listed += 1;
      if (listed === 2) return problem(503, "interrupted");
      if (listed > 2) {
        await later(1300);
        runs[0] = run(2, "done");
      }
    }
    return { json: { runs: structuredClone(runs) } };
  });
  await see("status", "Status");
  await page.getByText("Revision of the catalog: 1.").waitFor();
  await page.getByRole("button", { name: "Index now" }).click();
  await page.getByText("Revision of the catalog: 2.").waitFor();
  await page.getByRole("button", { name: "Index now" }).click();
  await page.getByRole("alert").getByText("interrupted").first().waitFor();
  await page.getByRole("region", { name: "Index runs" }).getByText("running").waitFor();
  await page.getByText("Revision of the catalog: 3.").waitFor();
  assert.equal(await page.getByRole("alert").count(), 0);
  assert.deepEqual(said.filter((text) => !/status of (404|503|504)/.test(text)), []);
  await context.close();
}

// A fact stands behind its column and is judged by its own key; what one writes isn't lost by reading again, by signing out, or with
// the token.
{
  const { page, play, bodies, see, said, context } = await played();
  const key = "text_dates:boo\u00adked";
  const texts = () => ({
    purpose: { text: `read ${bodies("GET /tables/shop/orders/texts").length}`, by_person: false }, business_context: { text: "" }, notes: { text: "" },
    columns: [{ name: "boo\u00adked", text: "", by_person: false }], facts: [{ key, told: "text dates DD.MM.YYYY", judgement: null }],
  });
  const writes = ["changed_meanwhile", "token_expired"];
  await play("/tables/shop/orders/texts", (_, __, request) => {
    if (request.method() === "GET") return { json: texts(), headers: { etag: '"1"' } };
    const code = writes.shift();
    return code ? problem(code === "token_expired" ? 401 : 412, code) : { json: texts() };
  });
  const whole = { table: "shop.orders", kind: "table", dialect: "sqlite", columns: [{ name: "id" }] };
  await play("/tables/shop/orders", () => ({ json: { ...whole, facts: [{ kind: "text_dates", column: "booked", says: "text dates DD.MM.YYYY" }] } }));
  await play("/tables/shop/orders/profile", () => ({ json: { columns: [] } }));
  await play("/tables/shop/orders/neighbours", () => ({ json: { tables: [], keys: [] } }));
  await see("tables/shop/orders", /^shop.orders/);
  await page.getByRole("listitem").filter({ hasText: /^booked: text dates/ }).waitFor();
  await page.getByRole("button", { name: "Edit texts and facts" }).click();
  await page.getByLabel(/^boo\\u\{ad\}ked: text dates/).selectOption("confirmed");
  await page.getByRole("button", { name: "Save" }).click();
  const dialogs = [];
  const answers = [false, true, false];
  page.on("dialog", (dialog) => {
    dialogs.push(dialog.type());
    return answers.shift() ? dialog.accept() : dialog.dismiss();
  });
  await page.getByRole("button", { name: "Read them again" }).click();
  assert.equal(await page.getByLabel(/^boo/).last().inputValue(), "confirmed");
  await page.getByRole("button", { name: "Read them again" }).click();
  await page.waitForFunction(() => document.querySelector("textarea")?.value === "read 2");
  assert.equal(await page.getByLabel(/^boo/).last().inputValue(), "");
  await page.getByLabel("Notes").fill("mine");
  await page.getByRole("button", { name: "Sign out" }).click();
  assert.deepEqual([dialogs, answers], [["confirm", "confirm", "confirm"], []]);
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "A token is needed" }).waitFor();
  await isAccessible(page, "an expired token");
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Enter" }).click();
  assert.equal(await page.getByLabel("Notes").inputValue(), "mine");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Edit texts and facts" }).waitFor();
  assert.deepEqual(bodies("PATCH /tables/shop/orders/texts")[0].facts, { [key]: "confirmed" });
  assert.deepEqual(said.filter((text) => !/status of (401|412)/.test(text)), []);
  await context.close();
}

// A reader's Enter asks again, and an address that nobody encoded is one.
{
  const { page, play, see, said, context } = await played({ name: "r", role: "reader", rights: "reader", asks: true });
  await play("/ask", () => ({ contentType: "text/event-stream", body: 'event: answer\ndata: {"status":"draft","sql":"SELECT 1","put_aside":0}\n\n' }));
  await see("ask?question=how%20many?&source=web", "Ask");
  await page.getByLabel("What is wrong").fill("all of them");
  const [again] = await Promise.all([page.waitForRequest("**/ask"), page.getByLabel("What is wrong").press("Enter")]);
  assert.deepEqual(again.postDataJSON(), { question: "how many?", source: "web", rejected_sql: "SELECT 1", correction: "all of them" });
  await page.goto(`${address}/#/tables/shop/100%`);
  await page.getByRole("alert").getByText("unknown_table").waitFor();
  assert.deepEqual(said.filter((text) => !/status of 404/.test(text)), []);
  await context.close();
}

// What a link from elsewhere says isn't asked, nor checked, before somebody wants it.
{
  const { page, play, context } = await played({ name: "r", role: "reader", rights: "reader", asks: true });
  const sent = [];
  page.on("request", (request) => /\/(ask|check)$/.test(request.url()) && sent.push(request.url()));
  await play("/ask", () => ({ contentType: "text/event-stream", body: 'event: answer\ndata: {"status":"draft","sql":"SELECT 1","put_aside":0}\n\n' }));
  await play("/check", () => ({ json: { accepted: true, findings: [] } }));
  for (const [link, heading, button] of [["ask?question=how%20many%3F&source=web", "Ask", "Ask"], ["query?sql=SELECT%201&source=web", "Query", "Run"]]) {
    await page.goto("about:blank");
    await page.goto(`${address}/#/${link}`);
    await page.getByRole("heading", { level: 1, name: heading }).waitFor();
    await page.waitForTimeout(800);
    assert.deepEqual(sent, [], link);
    await Promise.all([page.waitForRequest((request) => /\/(ask|query)$/.test(request.url())), page.getByRole("button", { name: button, exact: true }).click()]);
    await page.waitForTimeout(600);
    sent.length = 0;
  }
  await context.close();
}

// German, dark, narrow.
const other = await opened({ locale: "de-DE", colorScheme: "dark", viewport: { width: 390, height: 800 } });
await other.page.addInitScript((value) => sessionStorage.setItem("periplus-token", value), token);
await other.page.goto(`${address}/#/tables/shop/orders`);
await other.page.getByRole("heading", { name: "Spalten" }).waitFor();
await other.page.locator("svg .bar").first().waitFor();
await isAccessible(other.page, "dark");
const overflow = await other.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide`);
await kept(other.page, "narrow-dark-german");
await other.page.goto(`${address}/#/query?sql=${encodeURIComponent("SELECT nam FROM customers")}`);
await other.page.getByText("Diese Spalte gibt es nicht.").waitFor();
await isAccessible(other.page, "findings in German");
await kept(other.page, "narrow-dark-findings");
assert.deepEqual(other.said, []);

await browser.close();

// Of every rule's codes, of problems and of every kind of fact the page says in German what they mean.
const rules = new URL("../docs/rules/", import.meta.url);
const meanings = readFileSync(new URL("../serve/page/meanings.js", import.meta.url), "utf8").split(/^const (\w+) = \{$/m);
const unsaid = (names, table) => names.filter((name) => !meanings[meanings.indexOf(table) + 1].includes(`\n    ${name}: "`));
const codes = readdirSync(rules).flatMap((name) => {
  const section = readFileSync(new URL(name, rules), "utf8").split(/^## /m).find((part) => part.startsWith("Codes")) ?? "";
  return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
});
assert.ok(codes.length > 100, "codes are read");
assert.deepEqual(unsaid(codes, "CODES"), [], "codes without a sentence in German");
const answered = readFileSync(new URL("../serve/src/http/problem.rs", import.meta.url), "utf8");
const [, statuses] = answered.match(/match error\.code \{\n(.*?)^ {8}\};/ms);
const problems = [...statuses.matchAll(/"(\w+[a-z])"/g)].map(([, code]) => code);
assert.ok(problems.length > 30, "codes of problems are read");
assert.deepEqual(unsaid(problems, "CODES"), [], "problems without a sentence in German");
const fact = readFileSync(new URL("../catalog/src/model/fact/kinds.rs", import.meta.url), "utf8");
const [, variants] = fact.match(/^pub enum FactKind \{\n(.*?)^\}/ms);
const kinds = [...variants.matchAll(/^ {4}([A-Z]\w*)/gm)].map(([, name]) => name.replaceAll(/\B[A-Z]/g, "_$&").toLowerCase());
assert.ok(kinds.length > 30, "kinds of facts are read");
assert.deepEqual(unsaid(kinds, "FACTS"), [], "kinds of facts without a sentence in German");
console.log("the page works");
