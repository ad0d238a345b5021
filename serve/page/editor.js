// A field for a statement, with names from the catalog while one types: tables, and columns of the tables that it reads; and how
// such names are written.

import { html, useRef, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { t } from "./texts.js";

const MOST = 8;
/** Tables that are asked for, of which those that begin so come first. */
const TABLES = 50;

/** The word in front of the caret, with what stands before its last dot. */
function wordAt(text, caret) {
  const [word] = text.slice(0, caret).match(/[\p{L}\p{N}_$."`]*$/u);
  const dot = word.lastIndexOf(".");
  return { owner: dot < 0 ? "" : bare(word.slice(0, dot)), begun: bare(word.slice(dot + 1)), length: word.length - dot - 1 };
}

const bare = (name) => name.replaceAll(/["`]/g, "");

/** The tables that a statement reads, by what it calls them. */
function tablesIn(text) {
  const found = text.matchAll(/\b(?:from|join|,)\s+([\p{L}\p{N}_$."`]+)(?:\s+(?:as\s+)?([\p{L}_][\p{L}\p{N}_$]*))?/giu);
  const words = /^(?:where|join|left|right|inner|outer|cross|full|on|using|group|order|limit|having|union|natural)$/i;
  return new Map([...found].map(([, table, alias]) => [alias && !words.test(alias) ? alias : bare(table).split(".").at(-1), bare(table)]));
}

/** The columns of tables, kept by source and table. */
const columns = new Map();
const columnsOf = (source, table) => {
  const key = JSON.stringify([source, table]);
  if (!columns.has(key)) {
    const path = `/tables/${encodeURIComponent(source)}/${encodeURIComponent(table)}`;
    columns.set(key, get(path).then((it) => it.columns.map((column) => column.name)).catch(() => {
      columns.delete(key);
      return [];
    }));
  }
  return columns.get(key);
};

/** Names that begin with what was typed, then those that hold it, each with how it is written. */
function matching(names, begun) {
  const wanted = begun.toLowerCase();
  const different = [...new Map(names.map((one) => [one.written, one])).values()];
  const ranked = different.filter(({ name }) => name.toLowerCase().includes(wanted) && name.toLowerCase() !== wanted);
  const isBegun = ({ name }) => name.toLowerCase().startsWith(wanted);
  return ranked.sort((left, right) => isBegun(right) - isBegun(left) || left.name.localeCompare(right.name)).slice(0, MOST);
}

/** Words that can't stand as a bare name in at least one dialect, as in `dialect/src/reserved.txt`. */
const RESERVED = new Set(`
  add all alter analyze and any array as asc between both by case cast change character check collate column commit condition
  constraint create cross current current_date current_time current_timestamp current_user database default delete desc
  describe distinct div do drop each else end escape except exists explain false fetch float for foreign from full function
  generated grant group grouping groups having if in index inner insert intersect interval into is isnull join key keys
  lateral leading left like limit lines localtime lock match natural not notnull null of offset on only option or order outer
  over partition placing primary qualify range rank read recursive references release rename repeat replace returning right
  row row_number rows schema schemas select session_user set show some sql system table then to trailing transaction trigger
  true union unique update usage use user using values verbose view when where window with write
`.trim().split(/\s+/));
const BACKTICKS = ["mysql", "clickhouse", "bigquery", "databricks", "hive", "spark"];
const WITHOUT_SCHEMAS = ["sqlite", "mysql", "clickhouse"];

/** A name as a statement has it (`dialect/src/spelling.rs`): PostgreSQL folds what stands without quotes, and not all quotes are alike. */
function written(name, dialect) {
  const isPlain = (dialect === "postgres" ? /^[a-z_][a-z0-9_]*$/ : /^[a-z_][a-z0-9_]*$/i).test(name);
  if (isPlain && !RESERVED.has(name.toLowerCase())) return name;
  const quote = BACKTICKS.includes(dialect) ? "`" : '"';
  const escaped = dialect === "clickhouse" ? name.replaceAll("\\", "\\\\") : name;
  return quote + escaped.replaceAll(quote, quote + quote) + quote;
}

/** A table by its name within the source, and as a statement has it. The server tells its name together with its schema's, and with
 * the source's where there are several; what stands before the first dot is taken for the schema. */
export function writtenTable(told, source, sources) {
  const dialect = dialectOf(source, sources);
  const name = sources.length > 1 && told.startsWith(`${source}.`) ? told.slice(source.length + 1) : told;
  const dot = WITHOUT_SCHEMAS.includes(dialect) ? -1 : name.indexOf(".");
  const parts = dot < 0 ? [name] : [name.slice(0, dot), name.slice(dot + 1)];
  return { name, written: parts.map((part) => written(part, dialect)).join(".") };
}

const dialectOf = (source, sources) => sources.find((one) => one.name === source)?.dialect;

export function Editor({ sql, setSql, source, sources, run }) {
  const [offered, setOffered] = useState([]);
  const [chosen, setChosen] = useState(-1);
  const field = useRef(null);
  const asked = useRef(0);
  const hide = () => {
    asked.current += 1;
    setOffered([]);
    setChosen(-1);
  };
  const offer = async (text, caret) => {
    const number = (asked.current += 1);
    const { owner, begun } = wordAt(text, caret);
    if (!owner && begun.length < 2) return hide();
    const read = tablesIn(text);
    const wanted = owner ? [read.get(owner) ?? owner] : [...read.values()];
    const tables = () => get("/tables", { source, contains: begun, limit: TABLES })
      .then((page) => page.tables.map((table) => writtenTable(table.name, source, sources))).catch(() => []);
    const column = (name) => ({ name, written: written(name, dialectOf(source, sources)) });
    const columnsIn = (table) => columnsOf(source, table).then((names) => names.map(column));
    const known = await Promise.all([...wanted.map(columnsIn), owner ? [] : tables()]);
    const names = known.flat();
    // Somebody has typed on meanwhile.
    if (number !== asked.current) return;
    setOffered(matching(names, begun));
    setChosen(-1);
  };
  const take = ({ written: put }) => {
    const caret = field.current.selectionStart;
    const { length } = wordAt(sql, caret);
    setSql(sql.slice(0, caret - length) + put + sql.slice(caret));
    hide();
    const behind = caret - length + put.length;
    setTimeout(() => {
      field.current.focus();
      field.current.setSelectionRange(behind, behind);
    });
  };
  const onInput = (event) => {
    setSql(event.target.value);
    offer(event.target.value, event.target.selectionStart);
  };
  const onKeyDown = (event) => {
    const isOpen = offered.length > 0;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    else if (isOpen && event.key === "ArrowDown") setChosen((chosen + 1) % offered.length);
    else if (isOpen && chosen >= 0 && event.key === "ArrowUp") setChosen(chosen - 1);
    else if (isOpen && chosen >= 0 && event.key === "Enter") take(offered[chosen]);
    else if (isOpen && event.key === "Escape") hide();
    else return;
    event.preventDefault();
  };
  return html`
    <label class="wide">${t("statement")}
      <textarea id="search" ref=${field} rows="10" spellcheck="false" autocapitalize="off" value=${sql} onInput=${onInput} onKeyDown=${onKeyDown}
        aria-autocomplete="list" aria-controls=${offered.length > 0 ? "names" : undefined} onBlur=${() => setTimeout(hide, 200)}
        aria-activedescendant=${chosen >= 0 ? `name-${chosen}` : undefined}></textarea>
    </label>
    <div class="offer">${offered.length > 0 && html`<ul class="names" id="names" role="listbox" aria-label=${t("names")}>
      ${offered.map((one, place) => html`<li key=${one.written} id=${`name-${place}`} role="option" aria-selected=${String(place === chosen)}
        onMouseDown=${(event) => { event.preventDefault(); take(one); }}>${one.name}</li>`)}
    </ul>`}</div>`;
}
