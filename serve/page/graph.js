// The graph of keys: a whole schema where there is room for it, else its areas, each of which opens into its tables.

import { html, useEffect, useRef, useState } from "./vendor/htm-preact.js";
import { get } from "./api.js";
import { Loading, Outcome, Source, tableLink, useRequest } from "./parts.js";
import { count, share, t } from "./texts.js";

const BOX = { width: 200, height: 30 };
const GAP = 14;
const ZOOM = { step: 1.25, least: 0.1, most: 4 };

const areaLink = (source, hub) => `#/graph?source=${encodeURIComponent(source)}&area=${encodeURIComponent(hub)}`;

export function Graph({ parameters, sources }) {
  const source = parameters.get("source") ?? sources[0]?.name ?? "";
  const area = parameters.get("area") ?? "";
  const found = useRequest((signal) => get("/graph", { source, area }, signal), [source, area], { keeps: false });
  const choose = (name) => {
    location.hash = `#/graph?source=${encodeURIComponent(name)}`;
  };
  return html`
    <h1>${t("graph")}${area && `: ${area}`}</h1>
    <${Source} sources=${sources} chosen=${source} choose=${choose} />
    ${area && html`<p><a href=${`#/graph?source=${encodeURIComponent(source)}`}>${t("allAreas")}</a></p>`}
    <${Outcome} of=${found}>${(it) => (it.areas.length > 0 ? html`<${Areas} of=${it} />` : html`<${Tables} of=${it} />`)}<//>`;
}

/** Areas as a list: a picture of what everything has to do with everything tells nothing. */
function Areas({ of }) {
  const from = (hub) => of.between.filter((one) => one.from === hub).sort((left, right) => right.keys - left.keys);
  return html`
    <p class="quiet">${t("areasSay")}</p>
    <ul class="tables">
      ${of.areas.map((area) => html`<li key=${area.hub}>
        <a href=${areaLink(of.source, area.hub)}>${area.hub}</a> <span class="quiet">${count(area.tables)} ${t("tables")}</span>
        ${from(area.hub).length > 0 && html`<p class="quiet">${t("keysTo")} ${from(area.hub).map((one) => `${one.to} (${count(one.keys)})`).join(", ")}</p>`}
      </li>`)}
    </ul>
    ${of.omitted > 0 && html`<p class="quiet">${count(of.omitted)} ${t("inNoArea")}</p>`}`;
}

function Tables({ of }) {
  const nodes = of.tables.map((table) => ({
    id: table.name, text: table.name, link: tableLink(table.source, table.name),
    title: table.rows === undefined ? table.name : `${table.name}: ${count(table.rows)} ${t("rows")}`,
  }));
  const edges = of.keys.map((key) => ({
    from: key.from, to: key.to, isInferred: key.confidence !== undefined,
    title: `${key.from} → ${key.to}: ${key.on}${key.confidence === undefined ? "" : ` (${t("inferred")}, ${share(key.confidence)})`}`,
  }));
  return html`
    <p class="quiet">${t("graphSay")}</p>
    <${Drawing} nodes=${nodes} edges=${edges} label=${t("graph")} />
    ${of.omitted > 0 && html`<p class="quiet">${count(of.omitted)} ${t("omitted")}</p>`}`;
}

/** Nodes and edges, laid out in layers; moved by dragging and the arrow keys, zoomed by the wheel and by buttons. */
function Drawing({ nodes, edges, label }) {
  const [laidOut, setLaidOut] = useState(null);
  const [sought, setSought] = useState("");
  const [view, setView] = useState({ x: 0, y: 0, zoom: 1 });
  const frame = useRef(null);
  const held = useRef(null);
  const drawn = JSON.stringify([nodes.map((node) => node.id), edges.map((edge) => [edge.from, edge.to])]);
  const fit = (size) => {
    const room = frame.current?.clientWidth || 1000;
    setView({ x: 0, y: 0, zoom: Math.min(1, room / size.width) });
  };
  useEffect(() => {
    let isGone = false;
    import("./vendor/dagre.js").then(({ Graph: Layered, layout }) => {
      const graph = new Layered({ multigraph: true });
      graph.setGraph({ rankdir: "LR", nodesep: 14, ranksep: 90, marginx: 12, marginy: 12 });
      graph.setDefaultEdgeLabel(() => ({}));
      // The layout keeps nodes by their names in plain objects, where `__proto__` isn't one like others.
      const keys = new Map(nodes.map((node, place) => [node.id, `n${place}`]));
      const joining = edges.filter((edge) => edge.from !== edge.to && keys.has(edge.from) && keys.has(edge.to));
      const joined = new Set(joining.flatMap((edge) => [edge.from, edge.to]));
      const [tied, alone] = [nodes.filter((node) => joined.has(node.id)), nodes.filter((node) => !joined.has(node.id))];
      tied.forEach((node) => graph.setNode(keys.get(node.id), { ...BOX }));
      joining.forEach((edge, number) => graph.setEdge(keys.get(edge.from), keys.get(edge.to), {}, String(number)));
      layout(graph);
      if (isGone) return;
      const drawnSize = { width: Math.max(graph.graph().width || 0, 0), height: Math.max(graph.graph().height || 0, 0) };
      const places = new Map(tied.map((node) => [node.id, graph.node(keys.get(node.id))]));
      // What no key leads to or from stands below, in rows.
      const across = Math.max(4, Math.floor(drawnSize.width / (BOX.width + GAP)));
      alone.forEach((node, number) => places.set(node.id, {
        x: GAP + BOX.width / 2 + (number % across) * (BOX.width + GAP),
        y: drawnSize.height + GAP + BOX.height / 2 + Math.floor(number / across) * (BOX.height + GAP),
      }));
      const size = {
        width: Math.max(drawnSize.width, Math.min(alone.length, across) * (BOX.width + GAP) + GAP),
        height: drawnSize.height + Math.ceil(alone.length / across) * (BOX.height + GAP) + GAP,
      };
      const ways = graph.edges().map((edge) => {
        const of = joining[Number(edge.name)];
        const [from, to] = [places.get(of.from), places.get(of.to)];
        const side = from.x < to.x ? BOX.width / 2 : -BOX.width / 2;
        const between = graph.edge(edge).points.slice(1, -1);
        return { points: [{ x: from.x + side, y: from.y }, ...between, { x: to.x - side, y: to.y }], of };
      });
      setLaidOut({ drawn, size, places, ways });
      fit(size);
    });
    return () => { isGone = true; };
  }, [drawn]);
  // Nodes that have come since have no places yet.
  if (laidOut?.drawn !== drawn) return html`<${Loading} />`;
  const { size, places, ways } = laidOut;
  const zoomBy = (factor) => setView((before) => ({ ...before, zoom: Math.min(ZOOM.most, Math.max(ZOOM.least, before.zoom * factor)) }));
  const move = (x, y) => setView((before) => ({ ...before, x: before.x + x, y: before.y + y }));
  const keys = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };
  const onKey = (event) => {
    if (event.key === "+" || event.key === "-") zoomBy(event.key === "+" ? ZOOM.step : 1 / ZOOM.step);
    else if (keys[event.key]) move(...keys[event.key]);
    else return;
    event.preventDefault();
  };
  const onWheel = (event) => {
    // Who scrolls the page past the picture doesn't mean to zoom it.
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    zoomBy(event.deltaY < 0 ? ZOOM.step : 1 / ZOOM.step);
  };
  const onDown = (event) => { held.current = event.button === 0 && !event.target.closest("a") ? { x: event.clientX, y: event.clientY } : null; };
  const onMove = (event) => {
    if (!held.current || event.buttons !== 1) return;
    move(event.clientX - held.current.x, event.clientY - held.current.y);
    held.current = { x: event.clientX, y: event.clientY };
  };
  const find = (text) => {
    setSought(text);
    const first = text.trim() && nodes.find((node) => node.id.toLowerCase().includes(text.trim().toLowerCase()));
    if (!first) return;
    const { x, y } = places.get(first.id);
    const [width, height] = [frame.current.clientWidth, frame.current.clientHeight];
    setView((before) => ({ ...before, x: width / 2 - x * before.zoom, y: height / 2 - y * before.zoom }));
  };
  const isSought = (node) => sought.trim() !== "" && node.id.toLowerCase().includes(sought.trim().toLowerCase());
  const short = (text) => (text.length > 27 ? `${text.slice(0, 26)}…` : text);
  // Through the middles between the points, rounded at each of them.
  const line = (points) => points.slice(1).reduce((path, point, place) => {
    const isLast = place === points.length - 2;
    const [x, y] = isLast ? [point.x, point.y] : [(point.x + points[place + 2].x) / 2, (point.y + points[place + 2].y) / 2];
    return `${path} Q${point.x},${point.y} ${x},${y}`;
  }, `M${points[0].x},${points[0].y}`);
  return html`
    <div class="tools">
      <label>${t("search")} <input type="search" value=${sought} onInput=${(event) => find(event.target.value)} /></label>
      <button onClick=${() => zoomBy(ZOOM.step)} aria-label=${t("zoomIn")}>+</button>
      <button onClick=${() => zoomBy(1 / ZOOM.step)} aria-label=${t("zoomOut")}>−</button>
      <button onClick=${() => fit(size)}>${t("fit")}</button>
    </div>
    <div class="canvas" ref=${frame} tabindex="0" role="group" aria-label=${label} onKeyDown=${onKey} onWheel=${onWheel} onPointerDown=${onDown} onPointerMove=${onMove}>
      <svg class="graph" width="100%" height="100%">
        <g transform=${`translate(${view.x},${view.y}) scale(${view.zoom})`}>
          ${ways.map((way) => html`<path d=${line(way.points)} class=${way.of.isInferred ? "key inferred" : "key"}>
            <title>${way.of.title}</title></path>`)}
          ${nodes.map((node) => {
            const { x, y } = places.get(node.id);
            return html`<a href=${node.link}>
              <rect x=${x - BOX.width / 2} y=${y - BOX.height / 2} width=${BOX.width} height=${BOX.height} rx="4" class=${isSought(node) ? "box middle" : "box"} />
              <text x=${x - BOX.width / 2 + 8} y=${y + 5}>${short(node.text)}</text>
              <title>${node.title}</title>
            </a>`;
          })}
        </g>
      </svg>
    </div>`;
}
