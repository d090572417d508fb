// The picture of the network, with the lengths of its queues at the cursor's time.

import { aborted, explain, get, Unreachable } from "./api";
import { colour, theme } from "./colours";
import { h, replace, svg } from "./dom";
import { plain, quantity, seconds } from "./format";
import { beside, Layout, type Point } from "./layout";
import { text } from "./picture";
import { saveButtons } from "./save";
import type { Timeline } from "./timeline";
import type { NetLink, NetNode, NetworkState, RunDone } from "./types";

const EDGE = 60;
const BAR = 56;
const HOST = /host/;
/** A request that takes longer than this repeats the run: it is aborted once the cursor has moved. */
const LONG_MS = 300;

interface Queue {
  fill: SVGGElement;
  count: SVGTextElement;
}

export class Network {
  readonly mark = h("span", {});
  private run: RunDone | null = null;
  /** The port that a number of a paper is about. */
  private port: string | null = null;
  private readonly queues = new Map<string, Queue>();
  private readonly capacity = new Map<string, number>();
  private readonly holder = h("div", { class: "network" });
  private readonly note = h("p", { class: "note waiting" });
  private picture: SVGSVGElement = svg("svg", {});
  private request: AbortController | null = null;
  private since = 0;
  private again = false;
  readonly element = h(
    "section",
    { class: "card" },
    h(
      "div",
      { class: "bar" },
      h("h3", {}, this.mark, "Network"),
      saveButtons(
        () => "Network",
        () => this.copy(),
      ),
    ),
    this.holder,
    this.note,
  );

  constructor(
    private readonly time: Timeline,
    private readonly choose: (port: string) => void,
  ) {
    time.on((change) => change === "cursor" && void this.fill());
    new ResizeObserver(() => {
      if (this.run && Number(this.picture.getAttribute("width")) !== this.wide()) this.redraw();
    }).observe(this.holder);
  }

  update(run: RunDone, port: string | null = null): void {
    this.run = run;
    this.port = port;
    this.capacity.clear();
    // A queue is drawn full at twice its mean length, or at the longest length that was shown.
    for (const port of run.ports) this.capacity.set(port.name, Math.max(4, 2 * (port.mean_queue ?? 0)));
    this.draw();
    void this.fill();
  }

  redraw(): void {
    if (!this.run) return;
    this.draw();
    void this.fill();
  }

  /** The width in pixels. It is that of the holder, so that letters keep their size. */
  private wide(): number {
    return Math.min(900, Math.max(340, Math.round(this.holder.clientWidth) || 600));
  }

  private copy(): SVGSVGElement {
    return this.picture.cloneNode(true) as SVGSVGElement;
  }

  private draw(): void {
    const run = this.run as RunDone;
    const { nodes, links } = run.network;
    this.element.hidden = nodes.length === 0;
    const look = theme();
    const xs = nodes.map((node) => node.x);
    const ys = nodes.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    const wide = this.wide();
    const rows = new Set(ys.map((y) => y.toFixed(3))).size;
    const height = Math.min(420, Math.max(120, 60 + rows * 52));
    const place = new Map(
      nodes.map((node) => [
        node.name,
        {
          x: EDGE + (right > left ? (node.x - left) / (right - left) : 0.5) * (wide - 2 * EDGE),
          y: 34 + (bottom > top ? (node.y - top) / (bottom - top) : 0.5) * (height - 68),
        },
      ]),
    );
    const root = svg("svg", {
      xmlns: "http://www.w3.org/2000/svg",
      viewBox: `0 0 ${wide} ${height}`,
      width: wide,
      height,
      role: "img",
      "aria-label": this.words(nodes, links),
    });
    root.append(svg("rect", { width: wide, height, fill: look.ground }));
    this.queues.clear();
    const wires = svg("g", {});
    const boxes = svg("g", {});
    root.append(wires, boxes);
    const layout = new Layout(wide, height);
    const bare = (node: NetNode): boolean => nodes.length > 40 || (rows > 10 && HOST.test(node.kind));
    for (const node of nodes) {
      const at = place.get(node.name) as Point;
      layout.occupy({ x: at.x - 12, y: at.y - 12, wide: 24, high: 24 });
      if (!bare(node))
        layout.occupy({ x: at.x - 3.2 * named(node).length, y: at.y + 12, wide: 6.4 * named(node).length, high: 15 });
    }
    const drawn = links.flatMap((link) => {
      const [a, b] = [place.get(link.from), place.get(link.to)];
      return a && b ? [{ link, a, b }] : [];
    });
    for (const { link, a, b } of drawn) {
      layout.line(a, b);
      const rate = link.rate === null ? "" : `: ${quantity(link.rate, "bit/s")}`;
      wires.append(
        svg(
          "g",
          {},
          svg("title", {}, `${link.from} to ${link.to}${rate}`),
          svg("line", { x1: a.x, y1: a.y, x2: b.x, y2: b.y, stroke: look.soft, "stroke-width": 1.6 }),
        ),
      );
    }
    // Queues that are almost empty all the time are left out, so that the picture stays clear.
    const longest = Math.max(0, ...run.ports.map((port) => port.mean_queue ?? 0));
    const ports = new Set(
      run.ports
        .filter((port) => port.name === this.port || (port.drops ?? 0) > 0 || (port.mean_queue ?? 0) >= 0.02 * longest)
        .map((port) => port.name),
    );
    for (const { link, a, b } of drawn) {
      if (link.port === null || this.queues.has(link.port) || !ports.has(link.port)) continue;
      boxes.append(this.queue(link.port, a, b, layout, links.length > 12 || wide < 500));
    }
    for (const { words, a, b } of links.length > 40 ? [] : labels(drawn, nodes)) {
      const parts = [0.5, 0.4, 0.6, 0.3, 0.7];
      const position = layout.find([3, 13].flatMap((gap) => beside(a, b, parts, 6.2 * words.length + 4, 14, gap)));
      // A rate for which there is no space stands in the title of its link only.
      if (position)
        wires.append(
          text(position.x + position.wide / 2, position.y + 11, words, {
            "text-anchor": "middle",
            "font-size": 11,
            fill: look.soft,
            stroke: look.ground,
            "stroke-width": 3,
            "paint-order": "stroke",
          }),
        );
    }
    for (const node of nodes) root.append(this.node(node, place.get(node.name) as Point, bare(node)));
    this.picture = root;
    replace(this.holder, root);
  }

  private node(node: NetNode, at: Point, bare: boolean): SVGGElement {
    const look = theme();
    const ring = (x: number, y: number): SVGElement =>
      svg("circle", { cx: x, cy: y, r: 8, fill: look.ground, stroke: look.ink, "stroke-width": 2 });
    const shapes = !HOST.test(node.kind)
      ? [svg("rect", { x: at.x - 9, y: at.y - 9, width: 18, height: 18, rx: 3, fill: look.ink })]
      : node.kind === "hosts"
        ? [ring(at.x + 4, at.y - 3), ring(at.x, at.y)]
        : [ring(at.x, at.y)];
    return svg(
      "g",
      {},
      svg("title", {}, `${node.kind} ${node.name}`),
      ...shapes,
      !bare && text(at.x, at.y + 24, named(node), { "text-anchor": "middle", "font-size": 11 }),
    );
  }

  /** A queue stands at the sending end of its link. */
  private queue(port: string, a: Point, b: Point, layout: Layout, small: boolean): SVGGElement {
    const look = theme();
    const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
    const wide = small ? BAR / 2 : BAR;
    const part = Math.min(48, length * 0.3) / length;
    const places = [6, 14].flatMap((gap) => beside(a, b, [part, 1.4 * part, 0.45, 0.5, 0.55, 0.6], wide, 30, gap));
    // The place below the link is preferred.
    const { x, y } =
      layout.find(places.filter((_place, at) => at % 8 === 1)) ?? layout.find(places) ?? (places[1] as Point);
    const fill = svg("g", {});
    const count = text(x + wide / 2, y + 28, "", { "text-anchor": "middle", "font-size": 11 });
    this.queues.set(port, { fill, count });
    const group = svg(
      "g",
      { transform: "translate(0 0)", class: "queue" },
      svg("title", {}, `Queue of ${port}`),
      svg("rect", {
        x,
        y,
        width: wide,
        height: 16,
        fill: look.ground,
        stroke: look.ink,
        "stroke-width": port === this.port ? 3.5 : 1.3,
      }),
      fill,
      count,
    );
    fill.setAttribute("data-x", String(x));
    fill.setAttribute("data-y", String(y));
    fill.setAttribute("data-wide", String(wide));
    group.addEventListener("click", () => this.choose(port));
    return group;
  }

  /**
   * Requests the queues at the cursor's time, one request at a time. A request that repeats the run is aborted for a
   * newer one.
   */
  private async fill(): Promise<void> {
    const run = this.run;
    if (!run) return;
    if (this.request) {
      this.again = true;
      if (performance.now() - this.since > LONG_MS) this.request.abort();
      return;
    }
    const request = new AbortController();
    this.request = request;
    this.since = performance.now();
    const at = this.time.cursor ?? Math.min(this.time.to, run.until ?? run.duration);
    try {
      const state = await get<NetworkState>(`/api/run/${encodeURIComponent(run.run)}/network?at=${at}`, request.signal);
      if (run === this.run) this.paint(state, at);
    } catch (error) {
      if (!aborted(error) && !(error instanceof Unreachable) && run === this.run)
        this.note.textContent = explain(error).message;
    } finally {
      this.request = null;
    }
    if (this.again) {
      this.again = false;
      void this.fill();
    }
  }

  private paint(state: NetworkState, at: number): void {
    const run = this.run as RunDone;
    const words: string[] = [];
    for (const queue of state.queues) {
      const drawn = this.queues.get(queue.port);
      if (!drawn) continue;
      const max = Math.max(this.capacity.get(queue.port) ?? 4, queue.packets);
      this.capacity.set(queue.port, max);
      const [x, y, wide] = ["x", "y", "wide"].map((name) => Number(drawn.fill.dataset[name])) as [
        number,
        number,
        number,
      ];
      let left = x + wide;
      const parts = queue.by_flow.map((part, index) =>
        typeof part === "number"
          ? { colour: run.flows[index]?.colour ?? index, packets: part }
          : { colour: run.flows.find((flow) => flow.name === part.flow)?.colour ?? index, packets: part.packets },
      );
      const rects = parts
        .filter((part) => part.packets > 0)
        .map((part) => {
          const width = (wide * part.packets) / max;
          left -= width;
          return svg("rect", {
            x: left,
            y: y + 1,
            width,
            height: 14,
            fill: colour(part.colour),
            stroke: theme().ground,
            "stroke-width": 0.5,
          });
        });
      replace(drawn.fill, ...rects);
      drawn.count.textContent = `${plain(queue.packets)}`;
      if (queue.packets > 0) words.push(`${queue.port} ${plain(queue.packets)}`);
    }
    const waiting = words.slice(0, 12).join(", ") || "none";
    this.note.textContent =
      `Packets waiting at ${seconds(at, this.time.span)}: ${waiting}. ` +
      "The colours are those of the flows. Choose a queue to list its packets.";
  }

  private words(nodes: readonly NetNode[], links: readonly NetLink[]): string {
    const sample = links.slice(0, 12).map((link) => `${link.from} to ${link.to}`);
    return `Network of ${nodes.length} nodes and ${links.length} links: ${sample.join(", ")}${links.length > 12 ? " and more" : ""}`;
  }
}

/** The name below a node. */
function named(node: NetNode): string {
  return node.kind === "hosts" ? node.name : node.name.slice(0, 14);
}

/**
 * The rates of links, once for each pair of nodes, and once for all links of the same rate between hosts and one
 * gateway.
 */
function labels(
  drawn: readonly { link: NetLink; a: Point; b: Point }[],
  nodes: readonly NetNode[],
): { words: string; a: Point; b: Point }[] {
  const hosts = new Set(nodes.filter((node) => HOST.test(node.kind)).map((node) => node.name));
  const groups = new Map<string, { words: string; a: Point; b: Point; pairs: Set<string> }>();
  for (const { link, a, b } of drawn) {
    if (link.rate === null) continue;
    const words = quantity(link.rate, "bit/s");
    const pair = [link.from, link.to].sort().join("\0");
    const [host, other] = hosts.has(link.from) ? [a, link.to] : hosts.has(link.to) ? [b, link.from] : [null, ""];
    const key = host ? `${other}\0${host.x < (host === a ? b : a).x ? "left" : "right"}\0${words}` : pair;
    const group = groups.get(key) ?? { words, a, b, pairs: new Set<string>() };
    group.pairs.add(pair);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ words, a, b, pairs }) => ({
    words: pairs.size > 1 ? `${words} each` : words,
    a,
    b,
  }));
}
