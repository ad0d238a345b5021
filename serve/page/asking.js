// A question to the model: its steps as they are taken, and what came of it.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { Problem, events, visible } from "./api.js";
import { Chart } from "./chart.js";
import { Findings, Say, Source, arrived, Sql, Table, Wrong, cell, said, withSource } from "./parts.js";
import { count, share, t } from "./texts.js";

/** A step in a line; of some there is nothing to tell. */
function step({ action, ...it }) {
  switch (action) {
    case "triaged": return said(it.reason);
    case "remembered": return `${t("remembered")}: ${it.question}`;
    case "composed": return `${t("reads")}: ${it.tables.join(", ")} (${count(it.left_out)} ${t("aside").toLowerCase()})`;
    case "asked_model": return `${t("modelWrote")} (${it.purpose})`;
    case "drafted": return html`${t("draft")}: <code>${visible(it.sql)}</code>`;
    case "repaired": return html`${t("repaired")}: <code>${visible(it.sql)}</code>`;
    case "checked": return `${t(it.accepted ? "accepted" : "refused")} ${it.findings.map((finding) => finding.code).join(", ")}`;
    case "ran": return it.rows === null ? said(it.note ?? "") : `${count(it.rows)} ${t("rows")}`;
    case "chose": return said(it.reason);
    case "gave_up": return said(it.reason);
    default: return null;
  }
}

export function Ask({ parameters, sources, caller }) {
  const asked = parameters.get("question") ?? "";
  const from = parameters.get("source") ?? sources[0]?.name;
  // Where there are several sources and the address names none, somebody has to choose first.
  const isMeant = parameters.has("source") || sources.length < 2;
  const [question, setQuestion] = useState(asked);
  const [source, setSource] = useState(from);
  const [state, setState] = useState({});
  const running = useRef(null);
  const ask = (text, of, corrected) => {
    running.current?.abort();
    const leaving = new AbortController();
    running.current = leaving;
    setState({ steps: [], isRunning: true, source: of });
    const take = (name, document) => setState((before) => name === "step"
      ? { ...before, steps: [...before.steps, document] }
      : { ...before, [name]: document, isRunning: false });
    const isOver = (before) => (before.isRunning
      ? { ...before, problem: new Problem(0, { code: "interrupted", detail: "The connection ended before there was an answer." }) } : before);
    events("/ask", { question: text, source: of, ...corrected }, take, leaving.signal)
      .then(() => setState(isOver))
      .catch((problem) => problem.name === "AbortError" || setState({ problem }))
      .finally(() => running.current === leaving && setState((before) => ({ ...before, isRunning: false })));
  };
  useEffect(() => {
    setQuestion(asked);
    setSource(from);
    if (asked && isMeant && arrived.isFromWithin) ask(asked, from);
    else setState({});
    return () => running.current?.abort();
  }, [parameters]);
  const submit = (event) => {
    event.preventDefault();
    if (question === asked && source === from && isMeant) ask(question, source);
    else location.hash = withSource(`#/ask?question=${encodeURIComponent(question)}`, source);
  };
  const steps = (state.steps ?? []).map(step).filter(Boolean);
  return html`
    <h1>${t("ask")}</h1>
    <form onSubmit=${submit}>
      <${Source} sources=${sources} chosen=${source} choose=${setSource} />
      <label class="wide">${t("question")}
        <input id="search" value=${question} onInput=${(event) => setQuestion(event.target.value)} required />
      </label>
      <button class="main" disabled=${state.isRunning}>${t("ask")}</button>
      ${state.isRunning && html` <button type="button" onClick=${() => running.current?.abort()}>${t("stop")}</button>`}
    </form>
    ${state.isRunning && html`<p class="quiet" role="status">${t("working")}</p>`}
    ${steps.length > 0 && html`<details open=${state.isRunning}><summary>${t("steps")} (${count(steps.length)})</summary>
      <ol>${steps.map((line) => html`<li>${line}</li>`)}</ol></details>`}
    ${state.problem && html`<${Wrong} problem=${{ ...state.problem, message: state.problem.message ?? state.problem.detail }} />`}
    ${state.answer && html`<${Answer} answer=${state.answer} question=${asked} source=${state.source} caller=${caller} again=${ask} />`}`;
}

function Answer({ answer, question, source, caller, again }) {
  const list = (title, sentences) => sentences?.length > 0 && html`<h3>${title}</h3>
    <ul>${sentences.map((sentence) => html`<li>${said(sentence)}</li>`)}</ul>`;
  const badge = { answered: "good", draft: "warning", declined: "error" }[answer.status];
  return html`
    <section aria-live="polite">
      <h2><span class=${`badge ${badge}`}>${t(answer.status)}</span>
        ${answer.confidence !== undefined && html` <span class="quiet">${t("sure")} ${share(answer.confidence)}</span>`}</h2>
      ${answer.failure && html`<p>${said(answer.failure)}</p>`}
      ${answer.clarification && html`<p>${said(answer.clarification)}</p>`}
      ${list(t("missing"), answer.missing)}
      ${list(t("against"), answer.against)}
      ${answer.limit_reached && html`<p class="quiet">${t("cut")}: ${answer.limit_reached}</p>`}
      ${answer.columns && html`<${Chart} columns=${answer.columns} rows=${answer.rows ?? []} cut=${answer.limit_reached} />`}
      ${answer.columns && html`<${Table} caption=${t("rows")} header=${answer.columns} rows=${(answer.rows ?? []).map((row) => row.map(cell))} />`}
      ${answer.sql && html`<h3>${t("statement")}</h3><${Sql}>${answer.sql}<//>
        <p><a href=${withSource(`#/query?sql=${encodeURIComponent(answer.sql)}`, source)}>${t("query")}</a></p>`}
      ${list(t("assumed"), answer.assumptions)}
      <${Findings} findings=${answer.findings ?? []} sql=${answer.sql} />
      ${answer.tables && html`<p class="quiet">${t("reads")}: ${answer.tables.join(", ")}; ${count(answer.put_aside)} ${t("aside").toLowerCase()}</p>`}
      ${answer.sql && html`<${Say} sql=${answer.sql} source=${source} asked=${question} caller=${caller}
        again=${(correction) => again(question, source, { rejected_sql: answer.sql, correction })} />`}
    </section>`;
}
