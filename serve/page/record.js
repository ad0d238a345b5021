// What was said and asked so far, and what is served.

import { html, useState } from "./vendor/htm-preact.js";
import { get, remove } from "./api.js";
import { Outcome, Table, Wrong, useRequest } from "./parts.js";
import { count, t, time } from "./texts.js";

export function Feedback({ caller }) {
  const [changes, setChanges] = useState(0);
  const [problem, setProblem] = useState(null);
  const all = useRequest((signal) => get("/feedback", {}, signal), [changes]);
  const undo = (id) => remove(`/feedback/${id}`).then(() => setChanges(changes + 1), setProblem);
  const standing = ({ state, content, id }) => {
    if (typeof state === "object") return `${t("undone")} ${Object.values(state)[0]?.by ?? state.by}`;
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
          html`<pre>${memory.content.sql}</pre>${memory.content.correction && html`<p>${memory.content.correction}</p>`}`,
          memory.content.author, time(memory.created_at), standing(memory),
        ])} />`}<//>`;
}

export function History() {
  const records = useRequest((signal) => get("/history", { limit: 200 }, signal), []);
  if (records.problem?.code === "no_record") return html`<h1>${t("history")}</h1><p>${t("noRecord")}</p>`;
  const went = (outcome) => outcome && (outcome.error ?? `${count(outcome.rows)} ${t("rows")}, ${count(outcome.milliseconds)} ${t("took")}`);
  return html`
    <h1>${t("history")}</h1>
    <${Outcome} of=${records}>${({ records: all }) => {
      const outcomes = new Map(all.filter((record) => record.event === "outcome").map((record) => [record.id, record]));
      const asked = all.filter((record) => record.event === "verdict").reverse();
      return asked.length === 0 ? html`<p>${t("none")}</p>` : html`
        <${Table} caption=${t("history")} header=${[t("when"), t("who"), t("statement"), t("decision"), ""]}
          rows=${asked.map((record) => [
            time(record.at),
            html`${record.caller}${record.client && html` <span class="quiet">${record.client}</span>`}`,
            html`${record.question && html`<p>${record.question}</p>`}<pre>${record.sql}</pre>`,
            html`<span class=${`badge ${record.decision === "accept" ? "good" : "error"}`}>${t(record.decision === "accept" ? "accepted" : "refused")}</span>
              <p class="quiet">${(record.findings ?? []).join(", ")}</p>`,
            went(outcomes.get(record.id)),
          ])} />`;
    }}<//>`;
}

export function Status({ caller }) {
  const status = useRequest((signal) => get("/status", {}, signal), []);
  return html`
    <h1>${t("status")}</h1>
    <${Outcome} of=${status}>${(it) => html`
      <p>Periplus ${it.version}. ${t("revision")}: ${count(it.revision)}. ${count(it.memories)} ${t("memories")}.</p>
      <p>${t("caller")}: ${caller.name}. ${t("role")}: ${caller.role}.</p>
      <${Table} caption=${t("status")} header=${[t("source"), t("dialect"), t("tables"), t("indexed"), t("description")]}
        rows=${it.sources.map((source) => [source.name, source.dialect, count(source.tables), time(source.indexed_at), source.description])} />
    `}<//>`;
}
