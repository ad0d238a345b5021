// Two tables beside one another, where one looks like the other: what both have, what only one has, and which goes on.

import { html, useState } from "./vendor/htm-preact.js";
import { get, visible } from "./api.js";
import { factMeaning, lookAlikeMeaning } from "./meanings.js";
import { Meant, Outcome, Table, besideLink, reason, tableLink, tableRows, useRequest, useSettled } from "./parts.js";
import { count, t } from "./texts.js";

/** Tables that are offered for comparison. */
const OFFERED = 20;

/** Facts that name a table with the same rows, or with earlier or later ones. */
const ALIKE = ["copy_of", "continued", "preceded"];

/** The tables that a table is like, each with what is said of it and what that means. */
export function alike({ facts, looks_like: authority }) {
  const told = (facts ?? []).filter((fact) => ALIKE.includes(fact.kind))
    .map((fact) => ({ name: fact.other, says: fact.says, meant: factMeaning(fact.kind) }));
  const all = authority ? [...told, { name: authority.table, says: authority.because, meant: lookAlikeMeaning(authority.kind) }] : told;
  return all.filter(({ name }, place) => all.findIndex((other) => other.name === name) === place);
}

/** The tables that one looks like, by what is said against it when a question is asked. */
export const alikeBy = (against) => (against ?? []).flatMap((one) => reason(one).says.match(/looks like (?:a copy of )?`([^`]+)`/)?.[1] ?? []);

export function Beside({ source, name: left, other: right }) {
  const both = useRequest((signal) => (right ? Promise.all([left, right].map((name) => read(source, name, signal))) : Promise.resolve(null)), [left, right]);
  return html`
    <h1>${visible(left)} ↔ ${visible(right) || "…"}</h1>
    <${Choose} source=${source} left=${left} right=${right} />
    <${Outcome} of=${both}>${(tables) => tables && html`<${Compared} source=${source} tables=${tables} />`}<//>`;
}

async function read(source, name, signal) {
  const path = `/tables/${encodeURIComponent(source)}/${encodeURIComponent(name)}`;
  const [table, profile] = await Promise.all([get(path, {}, signal), get(`${path}/profile`, {}, signal)]);
  return { ...table, latest: latest(profile) };
}

/** The latest time in the rows, and the column that has it; days to come are plans. */
function latest({ profiled_at: now, columns }) {
  const times = columns.filter((column) => column.kind === "time" && column.max && !(now && column.max > now));
  const [last] = times.sort((one, other) => (one.max < other.max ? 1 : -1));
  return last && `${last.max} (${last.name})`;
}

/** The other table, by its name; before one has typed, those with a word of this one's name are offered. */
function Choose({ source, left, right }) {
  const [name, setName] = useState(right);
  const settled = useSettled(name.trim(), 150);
  const word = left.split(/[._]/).sort((one, other) => other.length - one.length)[0];
  const found = useRequest((signal) => get("/tables", { source, contains: settled || word, limit: OFFERED }, signal), [settled]);
  const offered = (found.value?.tables ?? []).map((table) => table.name).filter((one) => one !== left);
  const submit = (event) => {
    event.preventDefault();
    location.hash = besideLink(source, left, name.trim());
  };
  return html`
    <form class="tools" onSubmit=${submit}>
      <label>${t("otherTable")} <input id="search" list="others" required autocomplete="off" spellcheck="false" value=${name}
        onInput=${(event) => setName(event.target.value)} /></label>
      <datalist id="others">${offered.map((one) => html`<option value=${one} />`)}</datalist>
      <button class="main">${t("compare")}</button>
    </form>
    ${!right && html`<ul class="tables">${offered.map((one) => html`<li key=${one}><a href=${besideLink(source, left, one)}>${one}</a></li>`)}</ul>`}`;
}

function Compared({ source, tables }) {
  const [left, right] = tables;
  const link = (table) => html`<a href=${tableLink(source, table.table)}>${table.table}</a>`;
  const aligned = aligning(left.columns, right.columns);
  const difference = ([one, other]) => {
    if (!other) return html`<span class="badge">${t("onlyIn")} ${left.table}</span>`;
    if (!one) return html`<span class="badge">${t("onlyIn")} ${right.table}</span>`;
    return isOtherType(one, other) && html`<span class="badge warning">${t("otherType")}</span>`;
  };
  const tally = (text, is) => `${count(aligned.filter(is).length)} ${text}`;
  const type = (column) => {
    if (!column) return html`<span class="quiet">–</span>`;
    return html`<code>${column.type}</code>${column.masked && html` <span class="badge masked">${t("masked")}</span>`}`;
  };
  // What is said of the one may name the other without its source.
  const names = (table, other) => alike(table).filter(({ name }) => other.table === name || other.table.endsWith(`.${name}`));
  const isCut = tables.some((table) => table.truncated?.some((cut) => cut.what === "columns"));
  return html`
    ${[[left, right], [right, left]].map(([one, other]) => names(one, other).map(({ name, ...told }) => html`
      <p>${one.table}: <${Meant} other=${name} ...${told} /></p>`))}
    <${Table} caption=${t("both")} header=${[t("what"), link(left), link(right)]} rows=${[
      [t("rows"), ...tables.map((table) => tableRows(table.rows))],
      [t("latest"), ...tables.map((table) => table.latest)],
      [t("stale"), ...tables.map((table) => table.stale && html`<span class="badge warning" title=${t("staleSay")}>${t("stale")}</span>`)],
      [t("key"), ...tables.map((table) => table.primary_key?.join(", "))],
      [t("purpose"), ...tables.map((table) => table.purpose)],
    ].filter((row) => row[1] || row[2])} />
    <h2>${t("columns")}</h2>
    ${isCut && html`<p class="wrong">${t("columnsCut")}</p>`}
    <p class="quiet">${[
      tally(t("inBoth"), ([one, other]) => one && other), tally(t("withOtherType"), ([one, other]) => one && other && isOtherType(one, other)),
      tally(`${t("onlyIn")} ${left.table}`, ([, other]) => !other), tally(`${t("onlyIn")} ${right.table}`, ([one]) => !one),
    ].join(", ")}.</p>
    <${Table} caption=${t("columns")} header=${[t("name"), left.table, right.table, t("difference")]}
      rows=${aligned.map((pair) => [html`<strong>${(pair[0] ?? pair[1]).name}</strong>`, ...pair.map(type), difference(pair)])} />`;
}

const isOtherType = (one, other) => (one.type ?? "").toLowerCase() !== (other.type ?? "").toLowerCase();

/** Columns of the same name as pairs, in the order of the first table; behind them what only the second has. */
function aligning(left, right) {
  const same = (column) => (other) => other.name.toLowerCase() === column.name.toLowerCase();
  return [...left.map((column) => [column, right.find(same(column))]), ...right.filter((column) => !left.some(same(column))).map((column) => [undefined, column])];
}
