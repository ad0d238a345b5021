// The catalog: tables by name, a table with what is in it, and the tables around it.

import { html, useEffect, useState } from "./vendor/htm-preact.js";
import { get, getTagged, patch, visible } from "./api.js";
import { alike } from "./beside.js";
import { factMeaning, maskMeaning } from "./meanings.js";
import {
  Meant, Outcome, Sql, Table, Wrong, besideLink, cell, mayLeave, reason, tableLink, tableRows, unsaved, useRequest, useSettled,
} from "./parts.js";
import { brief, count, counted, share, t, time } from "./texts.js";

/** By how many tables the list grows, and how many the server gives at most at a time. */
const PAGE = { more: 100, most: 1000 };
/** From how many letters on it is searched for them, how many passages are shown, and how many where none has the words. */
const SEARCHED = { letters: 3, most: 12, near: 5 };
/** Letters of a passage. */
const PASSAGE = 240;

/** So many tables, the first by name. */
async function tablesOf(contains, limit, signal) {
  const tables = [];
  let page = {};
  do {
    page = await get("/tables", { contains, limit: Math.min(limit - tables.length, PAGE.most), cursor: page.next_cursor }, signal);
    tables.push(...page.tables);
  } while (page.next_cursor && tables.length < limit);
  return { ...page, tables };
}

export function Catalog({ sources }) {
  const [contains, setContains] = useState("");
  const [limit, setLimit] = useState(PAGE.more);
  const settled = useSettled(contains, 150);
  useEffect(() => setLimit(PAGE.more), [settled]);
  const found = useRequest((signal) => tablesOf(settled.trim(), limit, signal), [settled, limit]);
  return html`
    <h1>${t("catalog")}</h1>
    <label class="wide">${t("search")}
      <input id="search" type="search" autocomplete="off" spellcheck="false" value=${contains}
        onInput=${(event) => setContains(event.target.value)} />
    </label>
    <${Outcome} of=${found}>${(page) => html`
      <p class="quiet" role="status">${counted(page.total, "tables")}</p>
      ${page.total === 0 && contains.trim() && html`<p>${t("noneCalled")} <a href=${`#/find?question=${encodeURIComponent(contains.trim())}`}>${t("find")}</a>.</p>`}
      <ul class="tables">
        ${page.tables.map((table) => html`<li key=${table.name}>
          <a href=${tableLink(table.source, table.name)}>${table.name}</a>
          <span class="quiet">
            ${table.kind ? ` ${table.kind}` : ""}
            ${table.rows === undefined ? "" : ` ${counted(table.rows, "rows")}`}
          </span>
          ${table.stale && html` <span class="badge warning" title=${t("staleSay")}>${t("stale")}</span>`}
          ${table.summary && html`<p>${table.summary}</p>`}
        </li>`)}
      </ul>
      ${page.next_cursor && html`<button onClick=${() => setLimit(limit + PAGE.more)}>${t("more")}</button>`}
    `}<//>
    <${Hits} text=${contains} />`;
}

/** What else holds the words: columns, stored values, descriptions and queries. */
function Hits({ text }) {
  const sought = useSettled(text.trim(), 300);
  const found = useRequest(async (signal) => {
    if (sought.length < SEARCHED.letters) return { passages: [] };
    const { passages } = await get("/search", { query: sought, limit: SEARCHED.most }, signal);
    return { pattern: anyWord(sought), passages: passages.map((hit) => ({ ...hit, text: hit.text.replace(/^column of .*\n- /, "") })) };
  }, [sought]);
  if (found.problem) return html`<${Wrong} problem=${found.problem} />`;
  const { passages, pattern } = found.value ?? { passages: [] };
  const holding = passages.filter((hit) => pattern.test(hit.text));
  // What only means something alike comes where nothing has the words themselves.
  const hits = holding.length > 0 ? holding : passages.slice(0, SEARCHED.near);
  return hits.length > 0 && html`
    <h2>${t(holding.length > 0 ? "hits" : "hitsNear")}</h2>
    <p class="quiet" role="status">${counted(hits.length, "hitsCount")}</p>
    <ul class="tables">${hits.map((hit) => {
      const { kind, column } = hit;
      return html`<li key=${hit.chunk}>
        <span class="badge">${t(`hit_${kind}`) ?? kind}</span> <a href=${tableLink(hit.source, hit.table)}>${hit.table}${column && `.${column}`}</a>
        <p class="passage">${marked(hit.text, pattern)}</p>
      </li>`;
    })}</ul>`;
}

const anyWord = (sought) => {
  const words = sought.split(/\s+/).map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
  return new RegExp(`(${words.join("|")})`, "iu");
};

/** The part of a passage around the first of the words that it has, with each of them marked. */
function marked(text, pattern) {
  const from = Math.max(0, text.search(pattern) - PASSAGE / 3);
  const part = `${from > 0 ? "…" : ""}${text.slice(from, from + PASSAGE)}${from + PASSAGE < text.length ? "…" : ""}`;
  return part.split(pattern).map((piece, place) => (place % 2 ? html`<mark>${piece}</mark>` : piece));
}

export function TablePage({ source, name, caller }) {
  const path = `/tables/${encodeURIComponent(source)}/${encodeURIComponent(name)}`;
  const [edits, setEdits] = useState({ count: 0, isOpen: false });
  const table = useRequest((signal) => get(path, {}, signal), [path, edits.count]);
  const profile = useRequest((signal) => get(`${path}/profile`, {}, signal), [path]);
  const around = useRequest((signal) => get(`${path}/neighbours`, {}, signal), [path]);
  const done = (isSaved) => setEdits({ count: edits.count + (isSaved ? 1 : 0), isOpen: false });
  if (edits.isOpen) return html`<${Texts} path=${path} name=${name} done=${done} />`;
  return html`<${Outcome} of=${table}>${(it) => html`
    <h1>${it.table} ${it.stale && html`<span class="badge warning" title=${t("staleSay")}>${t("stale")}</span>`}</h1>
    ${it.purpose && html`<p class="lead">${it.purpose}</p>`}
    <dl class="facts">
      ${fact(t("rows"), tableRows(it.rows))}
      ${fact(t("key"), it.primary_key?.join(", "))}
      ${fact(t("dialect"), `${it.dialect}, ${it.kind}`)}
      ${fact(t("oneRow"), it.one_row)}
      ${fact(t("indexed"), time(profile.value?.profiled_at))}
      ${fact(t("indexes"), it.indexes?.join("; "))}
      ${fact(t("context"), it.context)}
      ${fact(t("notes"), it.notes)}
      ${fact(t("readBy"), it.read_by?.join(", "))}
    </dl>
    ${it.facts?.length > 0 && html`<h2>${t("rowsSay")}</h2>
      <ul>${it.facts.map((one) => html`<li><${Meant} ...${one} meant=${factMeaning(one.kind)} /></li>`)}</ul>`}
    <p>
      ${caller.rights !== "reader" && html`<button onClick=${() => setEdits({ ...edits, isOpen: true })}>${t("edit")}</button> `}
      <a href=${`#/query?${new URLSearchParams({ source, sql: `SELECT *\nFROM ${it.sql ?? it.table}\nLIMIT 20` })}`}>${t("openQuery")}</a>
      ${alike(it).map(({ name: other }) => html` · <a href=${besideLink(source, it.table, other)}>${t("compareWith")} ${other}</a>`)}
      ${" · "}<a href=${besideLink(source, it.table)}>${t("compareOther")}</a>
    </p>
    <h2>${t("columns")}</h2>
    <${Columns} columns=${it.columns} profile=${profile.value} />
    <${Keys} title=${t("refers")} source=${source} keys=${(it.foreign_keys ?? []).map((key) => ({
      text: `${key.columns.join(", ")} → ${key.references}`, table: key.references.replace(/ \(.*$/, ""), confidence: key.confidence,
    }))} />
    <${Keys} title=${t("referred")} source=${source} keys=${(it.referenced_by ?? []).map((other) => ({ text: other, table: other }))} />
    ${around.value?.tables.length > 1 && html`<${Neighbours} graph=${around.value} />`}
    ${it.sample_rows?.length > 0 && html`
      <h2>${t("sample")}</h2>
      <${Table} caption=${t("sample")} header=${it.columns.map((column) => column.name)}
        rows=${it.sample_rows.map((row) => row.map((value, place) => (it.columns[place]?.masked ? html`<span class="masked">${t("masked")}</span>` : cell(value))))} />`}
    ${it.queries?.length > 0 && html`
      <h2>${t("approved")}</h2>
      ${it.queries.map((query) => html`<h3>${query.name}</h3><${Sql}>${query.sql}<//>`)}`}
  `}<//>`;
}

/** The kind of a fact that is to be judged, and the column that it is about: its key begins with both. */
function keyed({ key, kind, column, other }, columns) {
  const [, first, second] = visible(key).match(/^(\w+):([^,>=]*)/) ?? [];
  const isColumn = columns.some(({ name }) => name === second);
  return { kind: kind ?? first, column: column ?? (isColumn ? second : undefined), other };
}

/** The texts of a table, to be written by people. What is emptied is generated again. */
function Texts({ path, name, done }) {
  const [times, setTimes] = useState(0);
  const read = useRequest((signal) => getTagged(`${path}/texts`, signal), [path, times], { keeps: false });
  const [changed, setChanged] = useState({ columns: {}, facts: {} });
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    unsaved.is = JSON.stringify(changed) !== JSON.stringify({ columns: {}, facts: {} });
    return () => { unsaved.is = false; };
  }, [changed]);
  const write = (tag) => patch(`${path}/texts`, changed, tag).then(() => done(true)).catch(setProblem);
  const save = (event) => {
    event.preventDefault();
    write(read.value.tag);
  };
  const readAgain = () => {
    if (!mayLeave()) return;
    setChanged({ columns: {}, facts: {} });
    setProblem(null);
    setTimes(times + 1);
  };
  const field = (label, said, lines, change) => html`
    <label class="wide">${label} ${said.by_person && html`<span class="badge good">${t("byPerson")}</span>`}
      <textarea rows=${lines} defaultValue=${said.text} onInput=${(event) => change(event.target.value)}></textarea>
    </label>`;
  const part = (key) => (text) => setChanged((before) => ({ ...before, [key]: text }));
  const column = (key) => (text) => setChanged((before) => ({ ...before, columns: { ...before.columns, [key]: text } }));
  const judge = (key) => (event) => {
    const facts = { ...changed.facts, [key]: event.target.value || null };
    setChanged((before) => ({ ...before, facts }));
  };
  return html`
    <h1>${name}</h1>
    <p class="quiet">${t("editSay")}</p>
    ${problem && html`<${Wrong} problem=${problem.code === "changed_meanwhile" ? { ...problem, message: problem.message, hint: undefined } : problem} />`}
    ${problem?.code === "changed_meanwhile" && html`<p><button onClick=${() => write("*")}>${t("saveAnyway")}</button>
      <button onClick=${readAgain}>${t("readAgain")}</button></p>`}
    <${Outcome} of=${read}>${({ value }) => html`
      <form onSubmit=${save}>
        ${field(t("purpose"), value.purpose, 3, part("purpose"))}
        ${field(t("context"), value.business_context, 4, part("business_context"))}
        ${field(t("notes"), value.notes, 3, part("notes"))}
        <h2>${t("columns")}</h2>
        ${value.columns.map((one) => field(html`<code>${one.name}</code>`, one, 1, column(one.name)))}
        ${value.facts.length > 0 && html`<h2>${t("rowsSay")}</h2><p class="quiet">${t("judgeSay")}</p>`}
        ${value.facts.map((one) => {
          const names = keyed(one, value.columns);
          return html`<label class="wide"><${Meant} ...${names} meant=${factMeaning(names.kind)} says=${one.told} />
            ${" "}${one.said && html`<span class="quiet">${one.said}</span>`}
            <select defaultValue=${one.judgement ?? ""} onChange=${judge(one.key)}>
              <option value="" selected=${!one.judgement}>${t("notJudged")}</option>
              ${["confirmed", "dismissed"].map((word) => html`<option value=${word} selected=${one.judgement === word}>${t(word)}</option>`)}
            </select>
          </label>`;
        })}
        <button class="main">${t("save")}</button> <button type="button" onClick=${() => done(false)}>${t("cancel")}</button>
      </form>`}<//>`;
}

const fact = (name, value) => value && html`<div><dt>${name}</dt><dd>${value}</dd></div>`;

function Columns({ columns, profile }) {
  const seen = new Map((profile?.columns ?? []).map((column) => [column.name, column]));
  const rows = columns.map((column) => [
    html`<strong>${column.name}</strong>`,
    html`<code>${column.type}</code>`,
    html`<${Values} column=${column} seen=${seen.get(column.name)} />`,
    column.description,
  ]);
  return html`<${Table} caption=${t("columns")} stacked=${true} header=${[t("name"), t("type"), t("values"), t("description")]} rows=${rows} />`;
}

/** What a column holds, as a picture where there is something to draw. */
function Values({ column, seen }) {
  if (column.masked) {
    const { kind, says } = reason(column.masked);
    return html`<span class="badge masked" title=${says}>${t("masked")}</span> <span class="quiet"><${Meant} meant=${maskMeaning(kind)} says=${says} /></span>`;
  }
  const common = seen?.most_common ?? [];
  const range = column.range ?? (seen?.kind === "time" && seen.min && [seen.min, seen.max]);
  const listed = column.values ?? column.examples ?? [];
  return html`
    ${seen?.null_share > 0 && html`<p class="quiet">${share(seen.null_share)} ${t("nulls")}</p>`}
    ${common.length > 0 && common[0].share > 0.005
      ? html`<${Bars} common=${common} rest=${1 - common.reduce((sum, one) => sum + one.share, 0) - (seen.null_share ?? 0)} />`
      : html`<p>${listed.join(", ")}</p>`}
    ${seen?.histogram && html`<${Histogram} ...${seen.histogram} />`}
    ${range && !seen?.histogram && html`<p class="quiet">${range[0]} – ${range[1]}</p>`}
    ${seen?.distinct > common.length && html`<p class="quiet">${count(seen.distinct)} ${t("distinct")}</p>`}`;
}

const SHAPE = { width: 128, height: 28 };

/** How numbers or days are distributed: a bar for each part, with its share of all rows. */
function Histogram({ from, until, shares }) {
  const [first, last] = [from, until].map((end) => (/^-?[\d.]+$/.test(end) ? brief(Number(end)) : end));
  const most = Math.max(...shares);
  const width = SHAPE.width / shares.length;
  const part = (held, place) => {
    const height = held > 0 ? Math.max(1, (held / most) * SHAPE.height) : 0;
    return html`<rect class="bar" x=${place * width} y=${SHAPE.height - height} width=${width - 1} height=${height}><title>${share(held)}</title></rect>`;
  };
  return html`<svg class="shape" role="img" aria-label=${`${t("distribution")}: ${first} – ${last}`} width=${SHAPE.width} height=${SHAPE.height}>
      ${shares.map(part)}
    </svg>
    <p class="quiet">${first} – ${last}</p>`;
}

const BAR = { width: 120, height: 10 };

const Bars = ({ common, rest }) => html`
  <ul class="bars">
    ${common.slice(0, 6).map((one) => html`<li>
      <svg width=${BAR.width} height=${BAR.height} aria-hidden="true">
        <rect class="track" width=${BAR.width} height=${BAR.height} rx="2" />
        <rect class="bar" width=${Math.max(1, one.share * BAR.width)} height=${BAR.height} rx="2" />
      </svg>
      <span>${one.value}</span> <span class="quiet">${share(one.share)}</span>
    </li>`)}
    ${common.length > 6 || rest > 0.01 ? html`<li class="quiet">…</li>` : ""}
  </ul>`;

const Keys = ({ title, source, keys }) => keys.length > 0 && html`
  <h2>${title}</h2>
  <ul>${keys.map((key) => html`<li>
    <a href=${tableLink(source, key.table)}>${key.text}</a>
    ${key.confidence !== undefined && html` <span class="quiet">${t("inferred")}, ${share(key.confidence)}</span>`}
  </li>`)}</ul>`;

const BOX = { width: 190, height: 26, gap: 8, across: 110 };

/** The middle table, left of it those that refer to it, right of it those that it refers to. */
function Neighbours({ graph }) {
  const middle = graph.tables[0].name;
  const isNear = (name) => graph.keys.filter((key) => key.from !== key.to && (key.from === name ? key.to : key.from) !== undefined);
  const left = graph.tables.filter((table) => isNear(middle).some((key) => key.to === middle && key.from === table.name) && table.name !== middle);
  const right = graph.tables.filter((table) => table.name !== middle && !left.includes(table));
  const columns = [left, [graph.tables[0]], right];
  const rows = Math.max(...columns.map((column) => column.length));
  const height = rows * (BOX.height + BOX.gap) + BOX.gap;
  const spots = new Map();
  columns.forEach((column, across) => column.forEach((table, down) => spots.set(table.name, {
    x: across * (BOX.width + BOX.across),
    y: (height - column.length * (BOX.height + BOX.gap)) / 2 + down * (BOX.height + BOX.gap) + BOX.gap / 2,
  })));
  const keys = graph.keys.filter((key) => key.from !== key.to && (key.from === middle || key.to === middle));
  const curve = (key) => {
    const [from, to] = [spots.get(key.from), spots.get(key.to)];
    const isForward = from.x < to.x;
    const [x1, x2] = [from.x + (isForward ? BOX.width : 0), to.x + (isForward ? 0 : BOX.width)];
    const [y1, y2, bend] = [from.y + BOX.height / 2, to.y + BOX.height / 2, (isForward ? 1 : -1) * BOX.across / 2];
    return `M${x1},${y1} C${x1 + bend},${y1} ${x2 - bend},${y2} ${x2},${y2}`;
  };
  const width = 3 * BOX.width + 2 * BOX.across;
  const short = (name) => (name.length > 26 ? `${name.slice(0, 25)}…` : name);
  return html`
    <h2>${t("neighbours")}</h2>
    <p class="quiet">${t("neighboursSay")}</p>
    <div class="scroll" tabindex="0" role="region" aria-label=${t("neighbours")}>
      <svg class="graph" width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`}>
        ${keys.map((key) => html`<path d=${curve(key)} class=${key.confidence === undefined ? "key" : "key inferred"}>
          <title>${`${key.from} → ${key.to}: ${key.on}`}</title></path>`)}
        ${graph.tables.map((table) => {
          const spot = spots.get(table.name);
          return html`<a href=${tableLink(table.source, table.name)}>
            <rect x=${spot.x} y=${spot.y} width=${BOX.width} height=${BOX.height} rx="4" class=${table.name === middle ? "box middle" : "box"} />
            <text x=${spot.x + 8} y=${spot.y + 17}>${short(table.name)}</text>
            <title>${table.name}</title>
          </a>`;
        })}
      </svg>
    </div>
    ${graph.omitted > 0 && html`<p class="quiet">${count(graph.omitted)} ${t("omitted")}</p>`}`;
}
