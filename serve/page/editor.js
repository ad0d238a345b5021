// A field for a statement, with names from the catalog while one types: tables, and columns of the tables that it reads. How such
// names are written the server says.

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

/** A table or column as it is offered, and as a statement has it. */
const named = ({ name, sql }) => ({ name: bare(sql ?? name), written: sql ?? name });

/** The columns of tables, kept by source and table. */
const columns = new Map();
const columnsOf = (source, table) => {
  const key = JSON.stringify([source, table]);
  if (!columns.has(key)) {
    const path = `/tables/${encodeURIComponent(source)}/${encodeURIComponent(table)}`;
    columns.set(key, get(path).then((it) => it.columns.map(named)).catch(() => {
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
    if (!owner && begun.length < 2) return hide();
    // The name that is being typed is none yet.
    const read = tablesIn(`${text.slice(0, caret - length)}?${text.slice(caret)}`);
    const wanted = owner ? [read.get(owner) ?? owner] : [...read.values()];
    const tables = () => get("/tables", { source, contains: begun, limit: TABLES })
      .then((page) => page.tables.map(named)).catch(() => []);
    const known = await Promise.all([...wanted.map((table) => columnsOf(source, table)), owner ? [] : tables()]);
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
    else if (isOpen && event.key === "Tab" && !event.shiftKey) take(offered[Math.max(chosen, 0)]);
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
