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

// What people write stands on the page and in what programs get at once, and goes again.
await page.getByRole("button", { name: "Edit texts and facts" }).click();
await page.getByLabel("Purpose").fill("What customers have ordered, one row an order.");
await page.getByLabel("channel").fill("How the order came in.");
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
await page.getByRole("alert").getByText("masked_column").first().waitFor();

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
const refusals = said.filter((text) => !/status of (4\d\d)/.test(text));
assert.deepEqual(refusals, [], "nothing is wrong in the console");
assert.deepEqual(elsewhere, [], "nothing is asked of anybody else");
await context.close();

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

// Of every rule's codes the page says in German what they mean.
const rules = new URL("../docs/rules/", import.meta.url);
const meanings = readFileSync(new URL("../serve/page/meanings.js", import.meta.url), "utf8");
const codes = readdirSync(rules).flatMap((name) => {
  const section = readFileSync(new URL(name, rules), "utf8").split(/^## /m).find((part) => part.startsWith("Codes")) ?? "";
  return [...section.matchAll(/^\| `(\w+)`/gm)].map(([, code]) => code);
});
assert.ok(codes.length > 100, "codes are read");
assert.deepEqual(codes.filter((code) => !meanings.includes(`\n    ${code}: "`)), [], "codes without a sentence in German");
console.log("the page works");
