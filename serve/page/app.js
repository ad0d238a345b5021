// The page: who is there, which view the address means, and what is around every view.

import { html, render, useEffect, useState } from "./vendor/htm-preact.js";
import { get, token, visible, whenRefused } from "./api.js";
import { Ask } from "./asking.js";
import { Beside } from "./beside.js";
import { Catalog, TablePage } from "./catalog.js";
import { Graph } from "./graph.js";
import { Loading, Wrong, arrived, mayLeave, unsaved, useRequest } from "./parts.js";
import { Feedback, History, Status } from "./record.js";
import { Find, Query } from "./statements.js";
import { Terms } from "./terms.js";
import { choose, language, languages, t } from "./texts.js";

const VIEWS = {
  catalog: Catalog, terms: Terms, graph: Graph, find: Find, ask: Ask, query: Query, feedback: Feedback, history: History, status: Status,
};

/** A part of an address; what somebody has typed needn't be encoded. */
function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function useAddress() {
  const read = () => {
    const [path, ...query] = location.hash.slice(1).split("?");
    return { parts: path.split("/").filter(Boolean).map(decoded), parameters: new URLSearchParams(query.join("?")) };
  };
  const [address, setAddress] = useState(() => ({ ...read(), times: 0 }));
  useEffect(() => {
    let here = location.hash;
    const change = () => {
      if (location.hash === here) return;
      if (!mayLeave()) {
        location.hash = here;
        return;
      }
      here = location.hash;
      arrived.isFromWithin = true;
      setAddress(({ times }) => ({ ...read(), times }));
      scrollTo(0, 0);
    };
    // A link to where one is already shows it anew, which browsers don't tell; but who clicks the view's own name loses nothing.
    const again = (event) => {
      const link = event.target.closest?.("a:not([aria-current])");
      if (link?.getAttribute("href") === here && mayLeave()) setAddress(({ times }) => ({ ...read(), times: times + 1 }));
    };
    const leave = (event) => unsaved.is && event.preventDefault();
    addEventListener("hashchange", change);
    addEventListener("click", again);
    addEventListener("beforeunload", leave);
    return () => {
      removeEventListener("hashchange", change);
      removeEventListener("click", again);
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
  return html`<main class="entry">
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
  const { parts, parameters, times } = useAddress();
  const [entries, setEntries] = useState({ count: 0, read: 0 });
  const [refused, setRefused] = useState(null);
  useEffect(() => whenRefused(setRefused), []);
  const met = useRequest(async (signal) => {
    const [caller, { sources }] = await Promise.all([get("/caller", {}, signal), get("/sources", {}, signal)]);
    setRefused(null);
    return { caller, sources };
  }, [entries]);
  // What somebody is writing outlasts their token; everything else is read anew.
  const enter = () => setEntries(({ count, read }) => ({ count: count + 1, read: unsaved.is ? read : count + 1 }));
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
  const entry = refused && html`<${Entry} enter=${enter} problem=${met.problem ?? refused} />`;
  if (refused && !met.value) return entry;
  if (met.problem && !met.value) return html`<main id="content"><${Wrong} problem=${met.problem} /></main>`;
  if (!met.value) return html`<main id="content"><${Loading} /></main>`;
  const views = Object.keys(VIEWS).filter((view) => view !== "ask" || met.value.caller.asks);
  const asked = parts[0] ?? "catalog";
  const name = asked === "tables" ? "catalog" : asked;
  const View = views.includes(name) ? VIEWS[name] : () => html`<p>${t(name === "ask" ? "noModel" : "noView")} <a href="#/find">${t("find")}</a></p>`;
  document.title = [parts[2] ? visible(parts[2]) : (views.includes(name) ? t(name) : undefined), "Periplus"].filter(Boolean).join(" – ");
  // With all that was read with the token.
  const leave = () => {
    if (!mayLeave()) return;
    unsaved.is = false;
    token.set(null);
    location.reload();
  };
  const key = `${entries.read} ${times}`;
  return html`${entry}<div hidden=${refused !== null}>
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
      ${parts[0] === "tables" ? html`<${parts[3] === "beside" ? Beside : TablePage} key=${`${key} ${parts.join("/")}`}
          source=${parts[1] ?? ""} name=${parts[2] ?? ""} other=${parts[4] ?? ""} caller=${met.value.caller} />`
        : html`<${View} key=${key} parameters=${parameters} ...${met.value} />`}
    </main>
  </div>`;
}

render(html`<${App} />`, document.getElementById("app"));
