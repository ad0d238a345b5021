// Rows as a picture, where they are few and say how much there is of what: a line where they go along time, else bars.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { amount, brief, t } from "./texts.js";

const MOST = { rows: 60, letters: 24 };
const LINE = { height: 150, left: 56, right: 14, head: 28, foot: 26, letter: 7, apart: 14 };
const BAR = { pitch: 20, left: 8, value: 92, head: 24, foot: 8, letter: 8, least: 200 };
/** Numbers of which nothing is told by how large they are. */
const NO_AMOUNT = /(^|_)(id|key|code|nr|no|year|month|day)$/i;
/** Numbers in the first column that are names all the same. */
const COUNTED_TIME = /year|quarter|month|week|day|hour|jahr|quartal|monat|woche|tag|stunde/i;
const DAY = /^(19|20)\d\d(-\d\d(-\d\d([T ]\d\d:\d\d.*)?)?)?$/;

const numeric = (value) => {
  if (typeof value === "string") return /^-?(0|[1-9]\d*)(\.\d+)?$/.test(value) ? Number(value) : NaN;
  return typeof value === "number" ? value : NaN;
};

const moment = (value) => (DAY.test(value) ? Date.parse(value) : NaN);

const label = (value) => String(value ?? "NULL").replace(/[T ]00:00(:00(\.0+)?)?(Z|\+00(:?00)?)?$/, "");

/** What is to be drawn of rows; nothing where a picture wouldn't say more than they do. */
export function drawable(columns, rows) {
  if (rows.length < 2 || rows.length > MOST.rows || columns.length < 2 || columns.length > 3) return null;
  const series = columns.slice(1).map((name, place) => ({ name, values: rows.map((row) => row[place + 1]) }));
  const isAmount = ({ name, values }) => !NO_AMOUNT.test(name) && values.some((value) => value !== null)
    && values.every((value) => value === null || Number.isFinite(numeric(value)));
  const points = rows.map(([first], place) => ({
    label: label(first), at: moment(first), values: series.map(({ values }) => (values[place] === null ? null : numeric(values[place]))),
  }));
  const isDistinct = new Set(points.map((point) => point.label)).size === points.length;
  if (!series.every(isAmount) || !isDistinct || points.some((point) => point.label.length > MOST.letters)) return null;
  const isTime = points.length > 2 && points.every((point) => Number.isFinite(point.at));
  if (!isTime && rows.some(([first]) => typeof first === "number") && !COUNTED_TIME.test(columns[0])) return null;
  return { isTime, by: columns[0], names: series.map(({ name }) => name), points: isTime ? points.sort((left, right) => left.at - right.at) : points };
}

/** Round numbers from below the least value, or nought, to above the greatest. */
function ticks([least, most]) {
  const rough = (most - least) / 4 || 1;
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((times) => times * size >= rough) * size;
  const from = Math.floor(least / step);
  return Array.from({ length: Math.max(2, Math.ceil(most / step) - from + 1) }, (_, number) => (from + number) * step);
}

/** From where to where each column goes, nought included; columns of one order of magnitude go as far, to be compared. */
function ranges({ names, points }) {
  const own = names.map((_, place) => [Math.min(0, ...points.map((point) => point.values[place])), Math.max(0, ...points.map((point) => point.values[place]))]);
  const sizes = own.map(([least, most]) => Math.max(most, -least));
  const isAlike = Math.max(...sizes) <= 10 * Math.min(...sizes);
  return own.map((range) => (isAlike ? [Math.min(...own.flat()), Math.max(...own.flat())] : range));
}

const along = ([least, most], from, to) => (value) => from + ((value - least) / (most - least || 1)) * (to - from);

const Hover = ({ plan, point, place }) => html`<title>${`${point.label}: ${amount(point.values[place])} (${plan.names[place]})`}</title>`;

function Line({ plan, range, place, top, width }) {
  const marks = ticks(range);
  const [bottom, right] = [top + LINE.head + LINE.height, width - LINE.right];
  const x = along([plan.points[0].at, plan.points.at(-1).at], LINE.left, right);
  const y = along([marks[0], marks.at(-1)], bottom, top + LINE.head);
  const spots = plan.points.map((point) => point.values[place] !== null && { point, x: x(point.at), y: y(point.values[place]) });
  const path = spots.map((spot, number) => spot && `${spots[number - 1] ? "L" : "M"}${spot.x},${spot.y}`).filter(Boolean).join(" ");
  const half = (label) => (label.length * LINE.letter) / 2;
  const labels = plan.points.map(({ label, at }) => ({ label, x: Math.min(Math.max(x(at), half(label)), width - half(label)) }));
  const shown = labels.reduce((before, one) => {
    const last = before.at(-1);
    return last && one.x - half(one.label) < last.x + half(last.label) + LINE.apart ? before : [...before, one];
  }, []);
  return html`
    <text x="0" y=${top + 14} class="name">${plan.names[place]}</text>
    ${marks.map((mark) => html`<line class="grid" x1=${LINE.left} x2=${right} y1=${y(mark)} y2=${y(mark)} />
      <text x=${LINE.left - 8} y=${y(mark) + 4} text-anchor="end">${brief(mark)}</text>`)}
    ${shown.map((one) => html`<text x=${one.x} y=${bottom + 18} text-anchor="middle">${one.label}</text>`)}
    <path class="line" d=${path} />
    ${spots.map((spot) => spot && html`<circle class="bar" cx=${spot.x} cy=${spot.y} r="3"><${Hover} plan=${plan} point=${spot.point} place=${place} /></circle>`)}`;
}

const written = (value) => (Math.abs(value) < 1e7 ? amount(value) : brief(value));

function Bars({ plan, range, place, left, top, width, letters }) {
  const x = along(range, left, left + width - BAR.value);
  const cut = (text) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text);
  return html`
    <text x=${left} y=${top + 14} class="name">${plan.names[place]}</text>
    ${plan.points.map((point, number) => {
      const [y, value] = [top + BAR.head + number * BAR.pitch, point.values[place]];
      const [from, to] = [Math.min(x(0), x(value)), Math.max(x(0), x(value))];
      return html`${letters > 0 && html`<text x=${left - BAR.left} y=${y + 14} text-anchor="end">${cut(point.label)}</text>`}
        <rect class="bar" x=${from} y=${y + 3} width=${value === null ? 0 : Math.max(1, to - from)} height=${BAR.pitch - 6} rx="2" />
        <text x=${to + 5} y=${y + 14}>${value === null ? "NULL" : written(value)}</text>`;
    })}`;
}

/** In words what the picture shows: of each column the least and the greatest. */
function inWords({ isTime, by, names, points }) {
  const ends = names.map((name, place) => {
    const known = points.filter((point) => point.values[place] !== null).sort((left, right) => left.values[place] - right.values[place]);
    return `${name}: ${[known[0], known.at(-1)].map((point) => `${amount(point.values[place])} (${point.label})`).join(" – ")}`;
  });
  return `${t(isTime ? "chartLine" : "chartBars")}, ${names.join(", ")} / ${by}. ${ends.join(". ")}. ${t("chartSay")}`;
}

export function Chart({ columns, rows, cut }) {
  // Of rows that aren't all, a picture would say what isn't so.
  const plan = cut ? null : drawable(columns, rows);
  const frame = useRef(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!frame.current) return undefined;
    const watch = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    watch.observe(frame.current);
    return () => watch.disconnect();
  }, [plan === null]);
  if (!plan) return null;
  return html`<details class="chart" open><summary>${t("chart")}</summary>
    <div ref=${frame}>${width > 0 && html`<${Drawing} plan=${plan} width=${width} />`}</div>
  </details>`;
}

function Drawing({ plan, width }) {
  const letters = Math.min(Math.max(...plan.points.map((point) => point.label.length)), Math.floor(width / 3 / BAR.letter));
  const labels = 2 * BAR.left + letters * BAR.letter;
  const part = (width - labels) / plan.names.length;
  // Beside one another where there is room, else below.
  const isBelow = plan.isTime || part < BAR.least;
  const panel = plan.isTime ? LINE.head + LINE.height + LINE.foot : BAR.head + plan.points.length * BAR.pitch + BAR.foot;
  return html`<svg role="img" aria-label=${inWords(plan)} width=${width} height=${isBelow ? panel * plan.names.length : panel}>
    ${ranges(plan).map((range, place) => {
      const common = { plan, range, place, top: isBelow ? place * panel : 0 };
      if (plan.isTime) return html`<${Line} ...${common} width=${width} />`;
      return html`<${Bars} ...${common} left=${labels + (isBelow ? 0 : place * part)} width=${isBelow ? width - labels : part}
        letters=${isBelow || place === 0 ? letters : 0} />`;
    })}
  </svg>`;
}
