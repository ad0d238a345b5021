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

async function send(method, path, body, signal, accept = "application/json") {
  const headers = { accept };
  if (token.get()) headers.authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["content-type"] = "application/json";
  let response;
  try {
    response = await fetch(`api/v1${path}`, { method, headers, signal, body: body && JSON.stringify(body) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem(0, { detail: String(error.message) });
  }
  if (!response.ok) throw new Problem(response.status, await response.json().catch(() => ({})));
  return response;
}

export async function get(path, parameters = {}, signal) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  const query = given.length ? `?${new URLSearchParams(given)}` : "";
  return (await send("GET", path + query, undefined, signal)).json();
}

export async function post(path, body, signal) {
  return (await send("POST", path, body, signal)).json();
}

export async function remove(path) {
  await send("DELETE", path);
}

/** The rows of a statement as a file. */
export async function csv(body) {
  return (await send("POST", "/query", body, undefined, "text/csv")).blob();
}
