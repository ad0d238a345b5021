// The page: who is there, which view the address means, and what is around every view.

import { html, render, useEffect, useState } from "./vendor/htm-preact.js";
import { get, token } from "./api.js";
import { Ask } from "./asking.js";
import { Beside } from "./beside.js";
import { Catalog, TablePage } from "./catalog.js";
import { Graph } from "./graph.js";
import { Loading, Wrong, unsaved, useRequest } from "./parts.js";
import { Feedback, History, Status } from "./record.js";
import { Find, Query } from "./statements.js";
import { Terms } from "./terms.js";
import { choose, language, languages, t } from "./texts.js";

const VIEWS = {
  catalog: Catalog, terms: Terms, graph: Graph, find: Find, ask: Ask, query: Query, feedback: Feedback, history: History, status: Status,
};

function useAddress() {
  const read = () => {
    const [path, query] = location.hash.slice(1).split("?");
    return { parts: path.split("/").filter(Boolean).map(decodeURIComponent), parameters: new URLSearchParams(query) };
  };
  const [address, setAddress] = useState(read);
  useEffect(() => {
    let here = location.hash;
    const change = () => {
      if (location.hash === here) return;
      if (unsaved.is && !confirm(t("unsaved"))) {
        location.hash = here;
        return;
      }
      here = location.hash;
      setAddress(read());
      scrollTo(0, 0);
    };
    const leave = (event) => unsaved.is && event.preventDefault();
    addEventListener("hashchange", change);
    addEventListener("beforeunload", leave);
    return () => {
      removeEventListener("hashchange", change);
      removeEventListener("beforeunload", leave);
    };
  }, []);
  return address;
}

function Entry({ enter, problem }) {
  const [given, setGiven] = useState("");
  const submit = (event) => {
    event.preventDefault();
    token.set(given.trim());
    enter();
  };
  return html`<main id="content" class="entry">
    <p><span class="brand">Periplus</span></p>
    <h1>${t("tokenNeeded")}</h1>
    <p>${t("tokenSay")}</p>
    ${token.get() && html`<${Wrong} problem=${problem} />`}
    <form onSubmit=${submit}>
      <label class="wide">${t("token")}
        <input type="password" autocomplete="off" required autofocus value=${given} onInput=${(event) => setGiven(event.target.value)} />
      </label>
      <button class="main">${t("enter")}</button>
    </form>
  </main>`;
}

function App() {
  const { parts, parameters } = useAddress();
  const [entries, setEntries] = useState(0);
  const met = useRequest(async (signal) => {
    const [caller, { sources }] = await Promise.all([get("/caller", {}, signal), get("/sources", {}, signal)]);
    return { caller, sources };
  }, [entries]);
  useEffect(() => {
    const toSearch = (event) => {
      const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
      if (event.key === "/" && !isTyping && document.getElementById("search")) {
        event.preventDefault();
        document.getElementById("search").focus();
      }
    };
    addEventListener("keydown", toSearch);
    return () => removeEventListener("keydown", toSearch);
  }, []);
  if (met.problem?.status === 401) return html`<${Entry} enter=${() => setEntries(entries + 1)} problem=${met.problem} />`;
  if (met.problem) return html`<main id="content"><${Wrong} problem=${met.problem} /></main>`;
  if (!met.value) return html`<main id="content"><${Loading} /></main>`;
  const views = Object.keys(VIEWS).filter((view) => view !== "ask" || met.value.caller.asks);
  const asked = parts[0] ?? "catalog";
  const name = asked === "tables" ? "catalog" : asked;
  const View = views.includes(name) ? VIEWS[name] : () => html`<p>${t(name === "ask" ? "noModel" : "noView")} <a href="#/find">${t("find")}</a></p>`;
  document.title = [parts[2] ?? (views.includes(name) ? t(name) : undefined), "Periplus"].filter(Boolean).join(" – ");
  const leave = () => {
    token.set(null);
    setEntries(entries + 1);
  };
  return html`
    <a class="skip" href="#content" onClick=${(event) => {
      event.preventDefault();
      document.getElementById("content").focus();
    }}>${t("skip")}</a>
    <header>
      <a class="brand" href="#/catalog">Periplus</a>
      <nav aria-label="Periplus">
        ${views.map((view) => html`<a href=${`#/${view}`} aria-current=${view === name ? "page" : undefined}>${t(view)}</a>`)}
      </nav>
      <label class="language"><span class="hidden">${t("language")}</span>
        <select value=${language} onChange=${(event) => choose(event.target.value)}>
          ${languages.map((one) => html`<option value=${one}>${one.toUpperCase()}</option>`)}
        </select>
      </label>
      ${token.get() && html`<button onClick=${leave}>${t("leave")}</button>`}
    </header>
    <main id="content" tabindex="-1">
      ${parts[0] === "tables" ? html`<${parts[3] === "beside" ? Beside : TablePage} key=${parts.join("/")}
          source=${parts[1] ?? ""} name=${parts[2] ?? ""} other=${parts[4] ?? ""} caller=${met.value.caller} />`
        : html`<${View} parameters=${parameters} ...${met.value} />`}
    </main>`;
}

render(html`<${App} />`, document.getElementById("app"));
