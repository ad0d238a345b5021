// The way to the server: requests with the caller's token, errors as objects with a code.

const KEY = "periplus-token";

// A token lives as long as the tab.
export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

export class Problem extends Error {
  constructor(status, document) {
    super(document.detail ?? `HTTP ${status}`);
    this.status = status;
    this.code = document.code ?? "unreachable";
    this.hint = document.hint;
    this.findings = document.findings ?? [];
    this.suggestions = document.suggestions ?? [];
  }
}

// Who is told when the server doesn't take the token any more.
let refused = () => {};
export const whenRefused = (tell) => { refused = tell; };

const unreachable = (error) => {
  throw error.name === "AbortError" ? error : new Problem(0, { detail: String(error.message) });
};

async function send(method, path, body, signal, accept = "application/json", more = {}) {
  const headers = { accept, ...more };
  if (token.get()) headers.authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  const response = await fetch(`api/v1${path}`, { method, headers, signal, body: body && JSON.stringify(body) }).catch(unreachable);
  if (response.ok) return response;
  const problem = new Problem(response.status, await read(response).catch(() => ({})));
  if (problem.status === 401) refused(problem);
  throw problem;
}

// Characters that are never seen, or turn what is around them, as the command line has them (`shown/src/hidden.rs`); what a
// database says may hold any.
const HIDDEN = new RegExp(
  "(?![\\n\\t])\\p{Cc}|[\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e" +
  "\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\ue000-\\uf8ff\\u{13430}-\\u{1345f}\\u{1bca0}-\\u{1bca3}" +
  "\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{10ffff}]", "gu");
export const visible = (text) => text.replace(HIDDEN, (hidden) => `\\u{${hidden.codePointAt(0).toString(16)}}`);

// What is sent back, or put into a statement, stays as it is; whoever shows it makes it visible.
const RAW = ["key", "next_cursor", "rewrite", "sql"];
const parsed = (text) => JSON.parse(text, (name, value) => (typeof value === "string" && !RAW.includes(name) ? visible(value) : value));

const read = async (response) => parsed(await response.text());

export async function get(path, parameters = {}, signal) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  const query = given.length ? `?${new URLSearchParams(given)}` : "";
  return read(await send("GET", path + query, undefined, signal));
}

export async function post(path, body, signal) {
  return read(await send("POST", path, body, signal));
}

/** A document with the tag by which a change of it is told from one of somebody else's. */
export async function getTagged(path, signal) {
  const response = await send("GET", path, undefined, signal);
  return { tag: response.headers.get("etag"), value: await read(response) };
}

/** Changes a document, where it still is what was read. */
export async function patch(path, body, tag) {
  return read(await send("PATCH", path, body, undefined, "application/json", tag ? { "if-match": tag } : {}));
}

/** What comes step by step: `take` is called with the name and the document of each event. */
export async function events(path, body, take, signal) {
  const response = await send("POST", path, body, signal, "text/event-stream");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read().catch(unreachable);
    if (done) return;
    const whole = (text + value).split("\n\n");
    text = whole.pop();
    for (const event of whole) {
      const field = (name) => event.split("\n").find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
      if (field("data")) take(field("event"), parsed(field("data")));
    }
  }
}

export async function remove(path) {
  await send("DELETE", path);
}

/** The rows of a statement as a file, which people open with a spreadsheet. */
export async function csv(body) {
  return (await send("POST", "/query", body, undefined, "text/csv; for=spreadsheet")).blob();
}
