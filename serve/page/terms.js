// The glossary: what the words of the company mean here, where that comes from, and whether it counts.

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { servers } from "./meanings.js";
import { Outcome, said, tableLink, useRequest } from "./parts.js";
import { counted, t, time } from "./texts.js";

const termLink = (name) => `#/terms?contains=${encodeURIComponent(name)}`;

export function Terms({ parameters, sources }) {
  const asked = parameters.get("contains") ?? "";
  const [contains, setContains] = useState(asked);
  useEffect(() => setContains(asked), [asked]);
  const all = useRequest((signal) => get("/terms", {}, signal), []);
  const wanted = contains.trim().toLowerCase();
  const fits = (term) => [term.name, ...(term.synonyms ?? []), term.definition, term.table?.name].some((text) => text?.toLowerCase().includes(wanted));
  return html`
    <h1>${t("terms")}</h1>
    <label class="wide">${t("searchTerms")}
      <input id="search" type="search" autocomplete="off" spellcheck="false" value=${contains} onInput=${(event) => setContains(event.target.value)} />
    </label>
    <${Outcome} of=${all}>${({ terms }) => {
      const found = terms.filter(fits);
      return html`
        <p class="quiet" role="status">${counted(found.length, "termsCount")}</p>
        ${terms.length === 0 && html`<p>${t("noTerms")}</p>`}
        <ul class="tables">${found.map((term) => html`<li key=${`${term.source} ${term.name}`}><${Term} term=${term} sources=${sources} /></li>`)}</ul>`;
    }}<//>`;
}

function Term({ term, sources }) {
  const { name, synonyms, definition, table, expression, condition, origin, evidence, fault } = term;
  const sql = [expression, condition && `WHERE ${condition}`].filter(Boolean).join("\n");
  const local = table && [table.schema, table.name].filter(Boolean).join(".");
  return html`
    <a href=${termLink(name)}>${name}</a>
    ${synonyms?.length > 0 && html` <span class="quiet">${synonyms.join(", ")}</span>`} <${State} state=${term.state} />
    ${definition && html`<p>${definition}</p>`}
    ${fault && html`<p class="wrong">${t("notUsed")}: <span lang=${servers}>${said(fault)}</span></p>`}
    ${sql && html`<pre tabindex="0" aria-label=${`${t("computed")}: ${name}`}>${sql}</pre>`}
    <p class="quiet">
      ${table && html`${t("ofTable")} <a href=${tableLink(table.source, local)}>${local}</a>. `}
      ${t("origin")}: ${t(`origin_${origin}`)}${evidence && ` (${evidence})`}${sources.length > 1 && `. ${t("source")}: ${term.source}`}
    </p>`;
}

/** Whether a term counts, and who said so. */
function State({ state }) {
  if (state === "proposed") return html`<span class="badge warning">${t("proposed")}</span>`;
  const [[verdict, { by, at }]] = Object.entries(state);
  const is = verdict === "approved" ? ["good", "approvedTerm"] : ["error", "rejectedTerm"];
  return html`<span class=${`badge ${is[0]}`}>${t(is[1])}</span> <span class="quiet">${by}${at && `, ${time(at)}`}</span>`;
}
