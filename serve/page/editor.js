// A field for a statement, with names from the catalog while one types: tables, columns of the tables that it reads, and behind
// JOIN and ON what keys connect. How such names are written the server says.

import { html, useRef, useState } from "./vendor/htm-preact.js";
import { get, visible } from "./api.js";
import { count, t } from "./texts.js";

const MOST = 16;
/** So long nobody has typed on, in milliseconds. */
const PAUSE = 150;
/** What isn't the beginning of a name, however it goes on. */
const WORDS = /^(?:select|from|where|join|left|right|inner|outer|cross|on|using|group|order|by|limit|having|union|as|and|or|not|in|is|null|case|when|then|else|end|distinct|between|like|desc|asc|with)$/i;
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

/** A table or column as it is offered, and as a statement has it. */
const named = ({ name, sql }) => ({ name: bare(sql ?? name), written: sql ?? name });

/** What the server says of tables, kept by source and table. */
const told = new Map();
const described = (source, table) => {
  const key = JSON.stringify([source, table]);
  if (!told.has(key)) {
    const path = `/tables/${encodeURIComponent(source)}/${encodeURIComponent(table)}`;
    told.set(key, get(path).catch(() => {
      told.delete(key);
      return null;
    }));
  }
  return told.get(key);
};

/** The tables that keys connect with those that are read. */
async function connected(source, tables) {
  const others = tables.flatMap((it) => [...(it.foreign_keys ?? []).map((key) => keyed(key).table), ...(it.referenced_by ?? [])]);
  const different = [...new Set(others)].slice(0, MOST);
  const found = await Promise.all(different.map((table) => described(source, table)));
  return found.filter(Boolean).map((it) => named({ name: it.table, sql: it.sql }));
}

/** A key's table and columns at its other end, which the server tells as `orders (id)`. */
function keyed({ columns, references }) {
  const [, table, others] = references.match(/^(.*) \((.*)\)$/);
  return { table, columns, others: others.split(", ") };
}

/** The conditions by which the last table of a statement is joined with those before it: `[alias, table as described]` each. */
function conditions(read) {
  const last = read.at(-1);
  const written = ([alias, table], column) => `${alias}.${table.columns.find(({ name }) => name === column)?.sql ?? column}`;
  const along = (from, to) => (from[1].foreign_keys ?? []).map(keyed).filter((key) => key.table === to[1].table)
    .map((key) => key.columns.map((column, place) => `${written(from, column)} = ${written(to, key.others[place])}`).join(" AND "));
  const found = read.slice(0, -1).flatMap((other) => [...along(last, other), ...along(other, last)]);
  return found.map((condition) => ({ name: condition, written: condition }));
}

/** Each once, as it is written. */
const different = (names) => [...new Map(names.map((one) => [one.written, one])).values()];

/** Names that begin with what was typed, then those that hold it, each with how it is written. */
function matching(names, begun) {
  const wanted = begun.toLowerCase();
  const ranked = different(names).filter(({ name }) => name.toLowerCase().includes(wanted) && name.toLowerCase() !== wanted);
  const isBegun = ({ name }) => name.toLowerCase().startsWith(wanted);
  return ranked.sort((left, right) => isBegun(right) - isBegun(left) || left.name.localeCompare(right.name));
}

export function Editor({ sql, setSql, source, run }) {
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
    const { owner, begun, length } = wordAt(text, caret);
    const [, joining] = text.slice(0, caret).match(/\b(join|on)\s+$/i) ?? [];
    if (!owner && !joining && (begun.length < 2 || WORDS.test(begun))) return hide();
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
    if (number !== asked.current) return;
    // The name that is being typed is none yet.
    const read = tablesIn(`${text.slice(0, caret - length)}?${text.slice(caret)}`);
    // What stands before a dot can be anything before it stands behind FROM.
    const wanted = owner ? [...read].filter(([alias, table]) => alias === owner || table === owner) : [...read];
    const found = await Promise.all(wanted.map(async ([alias, table]) => [alias, await described(source, table)]));
    const tables = found.filter(([, table]) => table);
    const alike = () => get("/tables", { source, contains: begun, limit: TABLES }).then((page) => page.tables.map(named)).catch(() => []);
    const names = joining
      ? different(/on/i.test(joining) ? conditions(tables) : await connected(source, tables.map(([, table]) => table)))
      : matching([...tables.flatMap(([, table]) => table.columns.map(named)), ...(owner ? [] : await alike())], begun);
    // Somebody has typed on meanwhile.
    if (number !== asked.current) return;
    setOffered(names);
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
  const shown = offered.slice(0, MOST);
  const onKeyDown = (event) => {
    const isOpen = shown.length > 0;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) run();
    else if (isOpen && event.key === "ArrowDown") setChosen((chosen + 1) % shown.length);
    else if (isOpen && chosen >= 0 && event.key === "ArrowUp") setChosen(chosen - 1);
    else if (isOpen && chosen >= 0 && event.key === "Enter") take(shown[chosen]);
    else if (isOpen && event.key === "Tab" && !event.shiftKey) take(shown[Math.max(chosen, 0)]);
    else if (isOpen && event.key === "Escape") hide();
    else return;
    event.preventDefault();
  };
  return html`
    <label class="wide">${t("statement")}
      <textarea id="search" ref=${field} rows="10" spellcheck="false" autocapitalize="off" value=${sql} onInput=${onInput} onKeyDown=${onKeyDown}
        aria-autocomplete="list" aria-controls=${shown.length > 0 ? "names" : undefined} onBlur=${() => setTimeout(hide, 200)}
        aria-activedescendant=${chosen >= 0 ? `name-${chosen}` : undefined}></textarea>
    </label>
    <div class="offer">${shown.length > 0 && html`<ul class="names" id="names" role="listbox" aria-label=${t("names")}>
      ${shown.map((one, place) => html`<li key=${one.written} id=${`name-${place}`} role="option" aria-selected=${String(place === chosen)}
        onMouseDown=${(event) => { event.preventDefault(); take(one); }}>${visible(one.name)}</li>`)}
    </ul>`}${offered.length > MOST && html`<span class="quiet">… ${count(offered.length - MOST)} ${t("moreNames")}</span>`}</div>`;
}
