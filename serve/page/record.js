// What was said and asked so far, and what is served.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { get, post, remove, visible } from "./api.js";
import { servers } from "./meanings.js";
import { Outcome, Table, Wrong, said, useRequest } from "./parts.js";
import { count, counted, t, time } from "./texts.js";

export function Feedback({ caller }) {
  const [changes, setChanges] = useState(0);
  const [problem, setProblem] = useState(null);
  const all = useRequest((signal) => get("/feedback", {}, signal), [changes]);
  const undo = (id) => remove(`/feedback/${id}`).then(() => setChanges(changes + 1), setProblem);
  const standing = ({ state, content, id }) => {
    if (state.replaced) return `${t("replaced")} ${state.replaced.with} (${state.replaced.by})`;
    if (state.undone) return `${t("undone")} ${state.undone.by}`;
    const what = t(content.kind === "approved" ? "approvedBy" : "rejectedBy");
    return html`${what} ${caller.rights !== "reader" && html`<button onClick=${() => undo(id)}>${t("undo")}</button>`}`;
  };
  return html`
    <h1>${t("feedback")}</h1>
    ${problem && html`<${Wrong} problem=${problem} />`}
    <${Outcome} of=${all}>${({ memories }) => memories.length === 0 ? html`<p>${t("none")}</p>` : html`
      <${Table} caption=${t("feedback")} header=${[t("question"), t("statement"), t("who"), t("when"), t("what")]}
        rows=${memories.map((memory) => [
          memory.content.question,
          html`<pre>${visible(memory.content.sql)}</pre>${memory.content.correction && html`<p>${memory.content.correction}</p>`}`,
          memory.content.author, time(memory.created_at), standing(memory),
        ])} />`}<//>`;
}

export function History() {
  const records = useRequest((signal) => get("/history", { limit: 400 }, signal), []);
  const [checks, setChecks] = useState(false);
  if (records.problem?.code === "no_record") return html`<h1>${t("history")}</h1><p>${t("noRecord")}</p>`;
  const went = (outcome) => outcome && (outcome.error ?? `${counted(outcome.rows, "rows")}, ${count(outcome.milliseconds)} ${t("took")}`);
  return html`
    <h1>${t("history")}</h1>
    <p><label><input type="checkbox" checked=${checks} onChange=${(event) => setChecks(event.target.checked)} /> ${t("withChecks")}</label></p>
    <${Outcome} of=${records}>${({ records: all }) => {
      const outcomes = new Map(all.filter((record) => record.event === "outcome").map((record) => [record.id, record]));
      const asked = all.filter((record) => record.event === "verdict" && (checks || record.asked !== "check")).reverse();
      return asked.length === 0 ? html`<p>${t("none")}</p>` : html`
        <${Table} caption=${t("history")} header=${[t("when"), t("who"), t("statement"), t("decision"), t("outcome")]}
          rows=${asked.map((record) => [
            time(record.at),
            html`${record.caller}${record.client && html` <span class="quiet">${record.client}</span>`}`,
            html`${record.question && html`<p>${record.question}</p>`}<pre>${visible(record.sql ?? "")}</pre>`,
            html`<span class=${`badge ${record.decision === "accept" ? "good" : "error"}`}>${t(record.decision === "accept" ? "accepted" : "refused")}</span>
              <p class="quiet">${(record.findings ?? []).join(", ")}</p>`,
            went(outcomes.get(record.id)),
          ])} />`;
    }}<//>`;
}

/** How long after an answer a run that goes on is asked again how far it is, in milliseconds. */
const EVERY = 1000;

/** Runs that look at the databases again: started, watched and cancelled. */
function IndexRuns({ ended }) {
  const [asked, setAsked] = useState(0);
  const [full, setFull] = useState(false);
  const [problem, setProblem] = useState(null);
  const all = useRequest((signal) => get("/index-runs", {}, signal), [asked]);
  const again = () => setAsked((before) => before + 1);
  const runs = all.value?.runs ?? [];
  const isRunning = runs[0]?.state === "running";
  // Whether it could be asked or not; an answer that takes long is waited for.
  useEffect(() => {
    if (!isRunning || all.isLoading) return undefined;
    const timer = setTimeout(again, EVERY);
    return () => clearTimeout(timer);
  }, [all]);
  // The last run that has ended: once it is another, there is more to tell of the sources, however short it was.
  const last = all.value && (runs.find((run) => run.state !== "running")?.id ?? 0);
  const known = useRef(undefined);
  useEffect(() => {
    if (known.current !== undefined && known.current !== last) ended();
    known.current = last;
  }, [last]);
  const act = (request) => request.then(() => { setProblem(null); again(); }, setProblem);
  if (all.problem?.code === "cannot_index") return null;
  const state = (run) => html`
    <span class=${`badge ${{ running: "", done: "good", failed: "error", cancelled: "warning" }[run.state]}`}>${t(run.state)}</span>
    ${run.state === "running" && html` <progress max=${run.total || 1} value=${run.done}></progress> ${run.phase} ${count(run.done)}/${count(run.total)}`}
    ${run.code && html` <code>${run.code}</code>`}
    ${(run.said ?? []).map((line) => html`<p lang=${servers}>${said(line)}</p>`)}`;
  return html`<section>
    <h2>${t("indexRuns")}</h2>
    ${(problem ?? all.problem) && html`<${Wrong} problem=${problem ?? all.problem} />`}
    <p>
      <button class="main" disabled=${isRunning} onClick=${() => act(post("/index-runs", { full }))}>${t("indexNow")}</button>
      <label> <input type="checkbox" checked=${full} onChange=${(event) => setFull(event.target.checked)} /> ${t("indexFull")}</label>
      ${isRunning && html` <button onClick=${() => act(remove(`/index-runs/${runs[0].id}`))}>${t("cancel")}</button>`}
    </p>
    ${runs.length > 0 && html`<${Table} caption=${t("indexRuns")} header=${[t("when"), t("who"), t("what")]}
      rows=${runs.map((run) => [time(run.began_at), run.by, state(run)])} />`}</section>`;
}

export function Status({ caller }) {
  const [changes, setChanges] = useState(0);
  const status = useRequest((signal) => get("/status", {}, signal), [changes]);
  return html`
    <h1>${t("status")}</h1>
    <section><${Outcome} of=${status}>${(it) => html`
      <p>Periplus ${it.version}. ${t("revision")}: ${count(it.revision)}. ${count(it.memories)} ${t("memories")}.</p>
      <p>${t("caller")}: ${caller.name}. ${t("role")}: ${caller.role}.</p>
      <${Table} caption=${t("status")} header=${[t("source"), t("dialect"), t("tables"), t("indexed"), t("description")]}
        rows=${it.sources.map((source) => [source.name, source.dialect, count(source.tables), time(source.indexed_at), source.description])} />
    `}<//></section>
    ${caller.rights === "admin" && html`<${IndexRuns} ended=${() => setChanges((before) => before + 1)} />`}`;
}
