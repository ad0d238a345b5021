// Questions and statements: which tables a question needs, what is wrong with a statement, its rows.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { csv, post } from "./api.js";
import { alikeBy } from "./beside.js";
import { Chart } from "./chart.js";
import { Editor } from "./editor.js";
import { objectionMeaning, reasonMeaning, servers } from "./meanings.js";
import {
  Findings, Meant, Outcome, Say, Source, Sql, Table, Wrong, arrived, besideLink, cell, reason, said, tableLink, useRequest, useSettled, withSource,
} from "./parts.js";
import { count, counted, share, t } from "./texts.js";

export function Find({ parameters, sources, caller }) {
  const asked = parameters.get("question") ?? "";
  const [question, setQuestion] = useState(asked);
  useEffect(() => setQuestion(asked), [asked]);
  const [times, setTimes] = useState(0);
  const found = useRequest((signal) => (asked ? post("/link", { question: asked }, signal) : Promise.resolve(null)), [asked, times], { keeps: false });
  const submit = (event) => {
    event.preventDefault();
    if (question === asked) setTimes(times + 1);
    else location.hash = `#/find?question=${encodeURIComponent(question)}`;
  };
  // Of several sources, it is asked of the one that has the best table.
  const best = sources.length > 1 ? found.value?.tables[0]?.source : undefined;
  return html`
    <h1>${t("find")}</h1>
    <form onSubmit=${submit}>
      <label class="wide">${t("question")}
        <input id="search" value=${question} onInput=${(event) => setQuestion(event.target.value)} required />
      </label>
      <button class="main">${t("find")}</button>
      ${asked && caller.asks && html` <a href=${withSource(`#/ask?question=${encodeURIComponent(asked)}`, best)}>${t("ask")}</a>`}
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
        <${Reasons} title=${t("why")} given=${table.why} meaningOf=${reasonMeaning} />
        <${Reasons} title=${t("against")} given=${table.against} meaningOf=${objectionMeaning} />
        ${alikeBy(table.against).map((other) => html`<p><a href=${besideLink(source(table), table.name, other)}>${t("compareWith")} ${other}</a></p>`)}
      </li>`)}
    </ol>
    ${found.values?.length > 0 && html`<h2>${t("stored")}</h2>
      <ul>${found.values.map((value) => html`<li>“${value.asked}” → <code>${value.column} = '${value.stored}'</code></li>`)}</ul>`}
    ${found.joins?.length > 0 && html`<h2>${t("joins")}</h2><ul>${found.joins.map((join) => html`<li><code>${join}</code></li>`)}</ul>`}
    ${found.examples?.length > 0 && html`<h2>${t("examples")}</h2>
      ${found.examples.map((example) => html`<h3>${example.question}</h3><${Sql}>${example.sql}<//>
        <p><a href=${withSource(`#/query?sql=${encodeURIComponent(example.sql)}`, example.source)}>${t("query")}</a></p>`)}`}
    ${found.unmatched?.length > 0 && html`<p>${t("unmatched")}: ${found.unmatched.join(", ")}</p>`}
    ${list(t("perhaps"), found.unlikely)}
    ${list(t("aside"), found.irrelevant)}`;
}

/** Reasons in a line, or each below what its kind means where the page speaks another language. */
function Reasons({ title, given, meaningOf }) {
  const reasons = (given ?? []).map(reason).map(({ kind, says }) => ({ says, meant: meaningOf(kind) }));
  if (reasons.length === 0) return null;
  const inALine = reasons.map(({ says }) => says).join("; ");
  if (!reasons.some(({ meant }) => meant)) return html`<p class="quiet">${title}: <span lang=${servers}>${said(inALine)}</span></p>`;
  return html`<div class="quiet">${title}:<ul>${reasons.map((one) => html`<li><${Meant} ...${one} /></li>`)}</ul></div>`;
}

export function Query({ parameters, sources, caller }) {
  const from = parameters.get("source") ?? sources[0]?.name;
  const given = parameters.get("sql") ?? "";
  const [sql, setSql] = useState(given);
  const [source, setSource] = useState(from);
  const [ran, setRan] = useState({});
  const [notSaved, setNotSaved] = useState(null);
  const running = useRef(null);
  useEffect(() => {
    setSql(given);
    setSource(from);
  }, [parameters]);
  useEffect(() => () => running.current?.abort(), []);
  const settled = useSettled(sql, 400);
  const [isWanted, setIsWanted] = useState(arrived.isFromWithin);
  useEffect(() => { if (sql !== given) setIsWanted(true); }, [sql]);
  const checked = useRequest(
    (signal) => (settled.trim() && isWanted ? post("/check", { sql: settled, source }, signal) : Promise.resolve(null)), [settled, source, isWanted], { keeps: false });
  // Of a statement that has changed since, nothing is known yet.
  const isCurrent = settled === sql && !checked.isLoading;
  const mayRun = !ran.isRunning && sql.trim() !== "";
  const run = () => {
    if (!mayRun) return;
    const leaving = new AbortController();
    running.current = leaving;
    setIsWanted(true);
    setRan({ isRunning: true });
    setNotSaved(null);
    post("/query", { sql, source }, leaving.signal)
      .then((value) => setRan({ value, sql, source }))
      .catch((problem) => setRan(problem.name === "AbortError" ? {} : { problem }));
  };
  const save = () => csv({ sql: ran.sql, source: ran.source }).then((rows) => {
    const file = URL.createObjectURL(rows);
    Object.assign(document.createElement("a"), { href: file, download: "rows.csv" }).click();
    URL.revokeObjectURL(file);
    setNotSaved(null);
  }).catch(setNotSaved);
  const isToldAbove = isCurrent && checked.value?.accepted === false && ran.problem?.findings?.length > 0;
  const isOfThis = ran.sql === sql && ran.source === source;
  return html`
    <h1>${t("query")}</h1>
    <${Source} sources=${sources} chosen=${source} choose=${setSource} />
    <${Editor} sql=${sql} setSql=${setSql} source=${source} run=${run} />
    <div aria-live="polite">
      ${isCurrent && checked.problem && html`<${Wrong} problem=${checked.problem} />`}
      ${isCurrent && checked.value && html`
        <p><span class=${`badge ${checked.value.accepted ? "good" : "error"}`}>${t(checked.value.accepted ? "accepted" : "refused")}</span>
          ${checked.value.findings.length === 0 && html` <span class="quiet">${t("checked")}</span>`}</p>
        <${Findings} findings=${checked.value.findings} sql=${settled} />
        ${checked.value.rewrite && checked.value.rewrite !== sql && html`
          <${Sql}>${checked.value.rewrite}<//>
          <button onClick=${() => setSql(checked.value.rewrite)}>${t("rewrite")}</button>`}`}
    </div>
    <p>
      <button class="main" onClick=${run} disabled=${!mayRun}>${t("run")}</button>
      ${ran.isRunning && html` <button onClick=${() => running.current?.abort()}>${t("stop")}</button>`}
    </p>
    ${ran.problem && (isToldAbove
      ? html`<p class="wrong" role="alert">${t("notRun")}</p>` : html`<${Wrong} problem=${ran.problem} />`)}
    ${ran.value && html`
      ${isOfThis || html`<p>${t("earlier")} ${sources.length > 1 && `${t("source")} ${ran.source}`}</p><${Sql}>${ran.sql}<//>`}
      <p class="quiet" role="status">${counted(ran.value.row_count, "rows")}, ${count(ran.value.elapsed_ms)} ${t("took")}
        ${ran.value.limit_reached && html`; ${t("cut")}: ${ran.value.limit_reached}`}</p>
      <${Chart} columns=${ran.value.columns} rows=${ran.value.rows} cut=${ran.value.limit_reached} />
      <${Table} caption=${t("rows")} header=${ran.value.columns} rows=${ran.value.rows.map((row) => row.map(cell))} />
      <p><button onClick=${save}>${t("download")}</button></p>
      ${notSaved && html`<${Wrong} problem=${notSaved} />`}
      ${isOfThis && html`<${Say} sql=${ran.sql} source=${ran.source} caller=${caller} />`}`}`;
}
