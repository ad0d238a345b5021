// Questions and statements: which tables a question needs, what is wrong with a statement, its rows.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { csv, post } from "./api.js";
import { alikeBy } from "./beside.js";
import { Chart } from "./chart.js";
import { Editor } from "./editor.js";
import { Findings, Outcome, Say, Source, Table, Wrong, besideLink, cell, said, tableLink, useRequest, useSettled } from "./parts.js";
import { count, counted, share, t } from "./texts.js";

export function Find({ parameters, sources, caller }) {
  const asked = parameters.get("question") ?? "";
  const [question, setQuestion] = useState(asked);
  useEffect(() => setQuestion(asked), [asked]);
  const found = useRequest((signal) => (asked ? post("/link", { question: asked }, signal) : Promise.resolve(null)), [asked]);
  const submit = (event) => {
    event.preventDefault();
    location.hash = `#/find?question=${encodeURIComponent(question)}`;
  };
  return html`
    <h1>${t("find")}</h1>
    <form onSubmit=${submit}>
      <label class="wide">${t("question")}
        <input id="search" value=${question} onInput=${(event) => setQuestion(event.target.value)} required />
      </label>
      <button class="main">${t("find")}</button>
      ${asked && caller.asks && html` <a href=${`#/ask?question=${encodeURIComponent(asked)}`}>${t("ask")}</a>`}
    </form>
    <${Outcome} of=${found}>${(it) => it && html`<${Found} found=${it} sources=${sources} />`}<//>`;
}

function Found({ found, sources }) {
  const list = (title, names) => names?.length > 0 && html`<details><summary>${title} (${count(names.length)})</summary>
    <p>${names.join(", ")}</p></details>`;
  const source = (table) => table.source ?? sources[0]?.name;
  return html`
    ${found.elsewhere && html`<p class="wrong" role="alert">${t("elsewhere")}</p>`}
    <h2>${t("needed")}</h2>
    <ol class="tables">
      ${found.tables.map((table) => html`<li>
        <a href=${tableLink(source(table), table.name)}>${table.name}</a>
        ${table.score !== undefined && html` <span class="quiet">${share(table.score)}</span>`}
        ${table.columns?.length > 0 && html`<p><code>${table.columns.join(", ")}</code></p>`}
        ${table.why?.length > 0 && html`<p class="quiet">${t("why")}: ${said(table.why.join("; "))}</p>`}
        ${table.against?.length > 0 && html`<p class="quiet">${t("against")}: ${said(table.against.join("; "))}</p>`}
        ${alikeBy(table.against).map((other) => html`<p><a href=${besideLink(source(table), table.name, other)}>${t("compareWith")} ${other}</a></p>`)}
      </li>`)}
    </ol>
    ${found.values?.length > 0 && html`<h2>${t("stored")}</h2>
      <ul>${found.values.map((value) => html`<li>“${value.asked}” → <code>${value.column} = '${value.stored}'</code></li>`)}</ul>`}
    ${found.joins?.length > 0 && html`<h2>${t("joins")}</h2><ul>${found.joins.map((join) => html`<li><code>${join}</code></li>`)}</ul>`}
    ${found.examples?.length > 0 && html`<h2>${t("examples")}</h2>
      ${found.examples.map((example) => html`<h3>${example.question}</h3><pre tabindex="0">${example.sql}</pre>
        <p><a href=${`#/query?sql=${encodeURIComponent(example.sql)}`}>${t("query")}</a></p>`)}`}
    ${found.unmatched?.length > 0 && html`<p>${t("unmatched")}: ${found.unmatched.join(", ")}</p>`}
    ${list(t("perhaps"), found.unlikely)}
    ${list(t("aside"), found.irrelevant)}`;
}

export function Query({ parameters, sources, caller }) {
  const quoted = (name) => (/^[a-z_][a-z0-9_.]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`);
  const given = parameters.get("sql") ?? (parameters.get("table") ? `SELECT *\nFROM ${quoted(parameters.get("table"))}\nLIMIT 20` : "");
  const [sql, setSql] = useState(given);
  const [source, setSource] = useState(parameters.get("source") ?? sources[0]?.name);
  const [ran, setRan] = useState({});
  const running = useRef(null);
  useEffect(() => setSql(given), [given]);
  useEffect(() => () => running.current?.abort(), []);
  const settled = useSettled(sql, 400);
  const checked = useRequest(
    (signal) => (settled.trim() ? post("/check", { sql: settled, source }, signal) : Promise.resolve(null)), [settled, source]);
  // Of a statement that has changed since, nothing is known yet.
  const isCurrent = settled === sql && !checked.isLoading;
  const run = () => {
    const leaving = new AbortController();
    running.current = leaving;
    setRan({ isRunning: true });
    post("/query", { sql, source }, leaving.signal)
      .then((value) => setRan({ value, sql }))
      .catch((problem) => setRan(problem.name === "AbortError" ? {} : { problem }));
  };
  const save = async () => {
    const file = URL.createObjectURL(await csv({ sql: ran.sql, source }));
    Object.assign(document.createElement("a"), { href: file, download: "rows.csv" }).click();
    URL.revokeObjectURL(file);
  };
  return html`
    <h1>${t("query")}</h1>
    <${Source} sources=${sources} chosen=${source} choose=${setSource} />
    <${Editor} sql=${sql} setSql=${setSql} source=${source} run=${run}
      dialect=${sources.find((one) => one.name === source)?.dialect} />
    <div aria-live="polite">
      ${isCurrent && checked.problem && html`<${Wrong} problem=${checked.problem} />`}
      ${isCurrent && checked.value && html`
        <p><span class=${`badge ${checked.value.accepted ? "good" : "error"}`}>${t(checked.value.accepted ? "accepted" : "refused")}</span>
          ${checked.value.findings.length === 0 && html` <span class="quiet">${t("checked")}</span>`}</p>
        <${Findings} findings=${checked.value.findings} sql=${settled} />
        ${checked.value.rewrite && checked.value.rewrite !== sql && html`
          <pre tabindex="0">${checked.value.rewrite}</pre>
          <button onClick=${() => setSql(checked.value.rewrite)}>${t("rewrite")}</button>`}`}
    </div>
    <p>
      <button class="main" onClick=${run} disabled=${ran.isRunning || !sql.trim()}>${t("run")}</button>
      ${ran.isRunning && html` <button onClick=${() => running.current?.abort()}>${t("stop")}</button>`}
    </p>
    ${ran.problem && html`<${Wrong} problem=${ran.problem} />`}
    ${ran.value && html`
      ${ran.sql !== sql && html`<p>${t("earlier")}</p><pre tabindex="0">${ran.sql}</pre>`}
      <p class="quiet" role="status">${counted(ran.value.row_count, "rows")}, ${count(ran.value.elapsed_ms)} ${t("took")}
        ${ran.value.limit_reached && html`; ${t("cut")}: ${ran.value.limit_reached}`}</p>
      <${Chart} columns=${ran.value.columns} rows=${ran.value.rows} cut=${ran.value.limit_reached} />
      <${Table} caption=${t("rows")} header=${ran.value.columns} rows=${ran.value.rows.map((row) => row.map(cell))} />
      <p><button onClick=${save}>${t("download")}</button></p>
      ${ran.sql === sql && html`<${Say} sql=${ran.sql} source=${source} caller=${caller} />`}`}`;
}
