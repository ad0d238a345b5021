// What several views are made of.

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { post, visible } from "./api.js";
import { meaning, servers, unnamed } from "./meanings.js";
import { count, t } from "./texts.js";

/** What a request gives: `{ value, problem, isLoading }`, anew whenever one of `on` changes. Until then, and where there is a
 * problem, the value of before is kept, unless it would be taken for the answer to something else. */
export function useRequest(request, on, { keeps = true } = {}) {
  const [state, setState] = useState({ isLoading: true });
  useEffect(() => {
    const leaving = new AbortController();
    setState((before) => ({ ...(keeps ? before : {}), isLoading: true }));
    request(leaving.signal)
      .then((value) => setState({ value }))
      .catch((problem) => problem.name === "AbortError" || setState(({ value }) => ({ value, problem })));
    return () => leaving.abort();
  }, on);
  return state;
}

/** The value once it hasn't changed for a while. */
export function useSettled(value, milliseconds) {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), milliseconds);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}

export const Loading = () => html`<p class="quiet" role="status">${t("loading")}</p>`;

/** What the server says, below what its code means where the page speaks another language. */
function Coded({ code, message, children }) {
  const meant = meaning(code);
  const own = html`<span lang=${servers}>${said(message)}</span>`;
  return html`<p><strong>${meant ?? own}</strong> <code>${code}</code>${children}</p>${meant && html`<p>${own}</p>`}`;
}

export const Wrong = ({ problem }) => html`
  <div class="wrong" role="alert">
    ${problem.findings?.length > 0 || html`<${Coded} code=${problem.code} message=${problem.message} />`}
    ${problem.hint && html`<p lang=${servers}>${said(problem.hint)}</p>`}
    ${problem.suggestions?.length > 0 && html`<p>${problem.suggestions.join(", ")}</p>`}
    <${Findings} findings=${problem.findings ?? []} />
  </div>`;

/** A request's outcome, shown by `children` once it is there. */
export const Outcome = ({ of, children }) => {
  if (of.problem) return html`<${Wrong} problem=${of.problem} />`;
  if (of.value === undefined) return html`<${Loading} />`;
  return children(of.value);
};

/** A sentence with the names that it leaves open. */
const named = (sentence, names) => sentence.split(/\{(\w+)\}/).map((part, number) => {
  if (number % 2 === 0) return part;
  return names[part] ? html`<code>${names[part]}</code>` : unnamed(part);
});

/** What the server says, below what its kind means where the page speaks another language; else behind the column that it is
 * about, beside which the server's sentence is meant to stand, unless it names the column itself. */
export function Meant({ meant, says, ...names }) {
  const isNamed = says.split(/[^\p{L}\p{N}_]+/u).includes(names.column);
  const before = meant ? html`${named(meant, names)}<br />` : names.column && !isNamed && html`<code>${names.column}</code>: `;
  return html`${before}<span lang=${servers}>${said(says)}</span>`;
}

/** A reason as the server gives it: a sentence, or one with its kind. */
export const reason = (given) => (typeof given === "string" ? { says: given } : given);

/** Where a byte of a statement stands. */
function place(sql, byte) {
  const before = new TextDecoder().decode(new TextEncoder().encode(sql).slice(0, byte));
  const lines = before.split("\n");
  return `${t("line")} ${lines.length}:${lines.at(-1).length + 1}`;
}

/** A sentence of the server's, with what stands between backticks as code. */
export const said = (sentence) => sentence.split("`").map((part, number) => (number % 2 ? html`<code>${part}</code>` : part));

/** A statement as it is shown; where it is run or kept, it stays as it is. */
export const Sql = ({ children }) => html`<pre tabindex="0">${visible(children)}</pre>`;

export const Findings = ({ findings, sql }) => findings.length > 0 && html`
  <ul class="findings">
    ${findings.map((finding) => html`
      <li class=${finding.severity}>
        <${Coded} code=${finding.code} message=${finding.message}>
          ${sql !== undefined && finding.at && html`<span class="quiet"> ${place(sql, finding.at[0])}</span>`}
        <//>
        ${finding.why && html`<p lang=${servers}>${said(finding.why)}</p>`}
        ${finding.help && html`<p lang=${servers}>${said(finding.help)}</p>`}
      </li>`)}
  </ul>`;

/** Whether the address is one that somebody came to from within the page. What another page's link says isn't done before somebody
 * wants it: it would ask the model, and be recorded, under their name. */
export const arrived = { isFromWithin: false };

/** Whether somebody would lose what they have written by leaving. */
export const unsaved = { is: false };
export const mayLeave = () => !unsaved.is || confirm(t("unsaved"));

/** Rows under a header; `stacked` ones stand below each other where there is no room. */
export const Table = ({ caption, header, rows, stacked }) => html`
  <div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table class=${stacked ? "stacked" : undefined}>
      <caption class="hidden">${caption}</caption>
      <thead><tr>${header.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
      <tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`;

/** A cell as a database has it. */
export const cell = (value) => {
  if (value === null || value === undefined) return html`<span class="quiet">NULL</span>`;
  // In a document, any name may stand before a text.
  if (typeof value === "object") return visible(JSON.stringify(value));
  // The last digits of a sum are how machines count.
  return String(typeof value === "number" ? Number(value.toPrecision(15)) : value);
};

export const tableLink = (source, name) => `#/tables/${encodeURIComponent(source)}/${encodeURIComponent(name)}`;

/** Two tables of a source beside one another; without the second one, to choose it. */
export const besideLink = (source, left, right = "") => `${tableLink(source, left)}/beside/${encodeURIComponent(right)}`;

/** A link that says which source it means, where that is known. */
export const withSource = (link, source) => (source ? `${link}&source=${encodeURIComponent(source)}` : link);

/** How many rows a table has, as the server says it: `about 1200`. */
export const tableRows = (rows) => rows?.replace("about", t("about")).replace(/\d+/, (digits) => count(Number(digits)));

/** Which source is meant, where there are several. */
export function Source({ sources, chosen, choose }) {
  return sources.length > 1 && html`<label>${t("source")}
    <select value=${chosen} onChange=${(event) => choose(event.target.value)}>
      ${sources.map((source) => html`<option value=${source.name}>${source.name}</option>`)}
    </select></label>`;
}

/** Approves a statement that has run, or says what is wrong with it; `again` asks with what was said. */
export function Say({ sql, source, caller, asked = "", again }) {
  const [question, setQuestion] = useState(asked);
  const [correction, setCorrection] = useState("");
  const [said, setSaid] = useState({});
  const say = (verdict) => (event) => {
    event.preventDefault();
    const more = verdict === "reject" ? { correction } : {};
    post("/feedback", { verdict, question, sql, source, ...more }).then((value) => setSaid({ value })).catch((problem) => setSaid({ problem }));
  };
  const may = caller.rights !== "reader";
  const askAgain = (event) => {
    event.preventDefault();
    if (correction.trim()) again(correction);
  };
  // Who presses Enter does what the first button is for.
  return (may || again) && html`
    <form class="say" onSubmit=${may ? say("approve") : askAgain}>
      ${may && html`<label class="wide">${t("answers")}<input required value=${question} onInput=${(event) => setQuestion(event.target.value)} /></label>`}
      <label class="wide">${t("correction")}<input value=${correction} onInput=${(event) => setCorrection(event.target.value)} /></label>
      ${may && html`<button disabled=${correction.trim() !== ""}>${t("approve")}</button>
        <button type="button" disabled=${!correction.trim() || !question.trim()} onClick=${say("reject")}>${t("reject")}</button>`}
      ${again && html` <button type="button" disabled=${!correction.trim()} onClick=${askAgain}>${t("askAgain")}</button>`}
      ${said.problem && html`<${Wrong} problem=${said.problem} />`}
      ${said.value && html`<p role="status">${t("saved")} ${said.value.id}.</p>`}
    </form>`;
}
