// The decision structure as a tree that opens on click.

const CHILDREN_AT_ONCE = 4;
const MARGIN = 14;
const NAME_FONT = "600 12.5px system-ui, sans-serif";
const EDGE_FONT = "11px system-ui, sans-serif";

class TreeView {
  // `touch(depth)` is called with the node of the row's path that the reader has selected.
  constructor(touch) {
    this.touch = touch;
    this.opened = new Map();
    this.path = null;
    this.marked = null;
    this.drawing = svg("svg", { class: "tree", role: "tree", "aria-label": "Decision structure" });
    this.scroll = el("div", { class: "tree-scroll" }, this.drawing);
    const { tree } = report.paths;
    const missing = tree.n_all - tree.nodes.length;
    this.box = el("div", { class: "card tree-card" },
      el("div", { class: "tree-head" },
        el("h3", {}, "The decision structure"),
        el("div", { class: "choice", role: "group", "aria-label": "What is opened" },
          el("button", { type: "button", on: { click: () => this.follow(this.rowPath) } }, "This row’s path"),
          el("button", { type: "button", on: { click: () => this.showHot() } }, "Most frequent paths"))),
      el("p", { class: "explain" },
        `A node is the decision of a machine; a line is labelled with the winner. The thicker a line, the more of the ${whole(report.model.n_rows)} rows take it. `,
        "A node is also the set of classes left; equal sets are one node, drawn wherever a path leads to it. ",
        "Click a node to open it, point at it for its classes.",
        missing > 0 ? ` Of ${whole(tree.n_all)} nodes the ${whole(tree.nodes.length)} that most rows pass are in this page.` : ""),
      scrolling(this.scroll));
    this.drawing.addEventListener("keydown", (event) => this.key(event));
  }

  follow(path) {
    this.rowPath = path;
    this.path = path;
    this.opened = new Map(keysAlong(path).slice(0, -1).map((key) => [key, CHILDREN_AT_ONCE]));
    this.marked = null;
    this.draw();
    this.scroll.scrollLeft = 0;
    this.scroll.scrollTop = 0;
  }

  // The most frequent path opened to its end, beside it the next children of the root.
  showHot() {
    this.path = null;
    this.opened = new Map(keysAlong(mostFrequentPath()).slice(0, -1).map((key) => [key, CHILDREN_AT_ONCE]));
    for (const edge of nodeOf(0).edges.slice(1, 3)) this.opened.set(`0.${edge.target}`, CHILDREN_AT_ONCE);
    this.draw();
    this.scroll.scrollLeft = 0;
  }

  draw() {
    const { places, width, height } = layOut(this.opened, this.path);
    this.places = new Map(places.map((at) => [at.key, at]));
    const size = [Math.ceil(width + 2 * MARGIN), Math.ceil(height + 2 * MARGIN)];
    this.drawing.setAttribute("viewBox", `${-MARGIN} ${-MARGIN} ${size[0]} ${size[1]}`);
    this.drawing.setAttribute("width", size[0]);
    this.drawing.setAttribute("height", size[1]);
    const lines = places.filter((at) => at.parent).map((at) => this.line(at));
    const boxes = places.map((at) => (at.more ? this.moreBox(at) : this.nodeBox(at)));
    boxes.forEach((box, t) => box.addEventListener("focus", () => this.stopAt(places[t].key)));
    this.groups = new Map(places.map((at, t) => [at.key, boxes[t]]));
    this.drawing.replaceChildren(...lines, ...boxes);
    this.stopAt(this.groups.has(this.stop) ? this.stop : "0");
  }

  line(at) {
    const from = [at.parent.x + BOX.width, at.parent.y + BOX.height / 2];
    const to = [at.x, at.y + BOX.height / 2];
    const middle = from[0] + BOX.across / 2;
    const share = at.more ? 0 : at.edge.rows / Math.max(1, nodeOf(0).rows);
    const kind = `edge${at.onPath ? " on" : ""}${at.more ? " hidden-children" : ""}`;
    const path = svg("path", {
      d: `M${from[0]} ${from[1]} C${middle} ${from[1]} ${middle} ${to[1]} ${to[0]} ${to[1]}`,
      class: kind, "stroke-width": (1.2 + 11 * Math.sqrt(share)).toFixed(2),
    });
    if (at.more || at.edge.winner === null) return path;
    const name = svg("text", { x: to[0] - 5, y: to[1] - 7, class: `edge-name end${at.onPath ? " on" : ""}` },
      cut(nameOf(at.edge.winner), BOX.across - 26, EDGE_FONT));
    return svg("g", {}, path, name);
  }

  nodeBox(at) {
    const { node } = at;
    const isLeaf = node.kind === "leaf";
    const label = `${nodeTitle(node)}, ${count(Math.round(node.rows), "row")}`;
    const group = svg("g", {
      class: `node ${node.kind}${at.onPath ? " on" : ""}${at.key === this.marked ? " at" : ""}`,
      transform: `translate(${at.x} ${at.y})`, role: "treeitem", "aria-label": label, "data-node": node.id,
      "aria-level": at.depth + 1, "aria-expanded": isLeaf ? null : String(at.isOpen), tabindex: -1,
      on: { click: () => this.toggle(at) },
    }, svg("rect", { width: BOX.width, height: BOX.height, rx: isLeaf ? BOX.height / 2 : 7 }), nodeText(node));
    if (!isLeaf && !at.isOpen) group.append(svg("text", { x: BOX.width - 9, y: BOX.height / 2 + 4, class: "plus end" }, "+"));
    return withTip(group, () => nodeTip(node, at.edge));
  }

  moreBox(at) {
    const words = `${count(at.edges, "more child", "more children")}, ${count(Math.round(at.rows), "row")}`;
    const group = svg("g", {
      class: at.canShow ? "node more" : "node more closed", transform: `translate(${at.x} ${at.y})`,
      role: "treeitem", "aria-label": words, tabindex: -1, on: { click: () => this.toggle(at) },
    }, svg("rect", { width: BOX.width, height: 26, rx: 13, y: (BOX.height - 26) / 2 }),
      svg("text", { x: BOX.width / 2, y: BOX.height / 2 + 4, class: "middle" }, words));
    return withTip(group, () => (at.canShow ? "Click to see the next of them." : "They are not in this page."));
  }

  toggle(at) {
    hideTip();
    this.stop = at.key;
    if (at.more) {
      if (!at.canShow) return;
      this.opened.set(at.parent.key, (this.opened.get(at.parent.key) || 0) + 2 * CHILDREN_AT_ONCE);
    } else {
      if (at.onPath) this.touch(at.depth);
      if (at.node.kind !== "leaf") {
        if (at.isOpen && !(at.onPath && at.key !== this.marked)) this.opened.delete(at.key);
        else this.opened.set(at.key, this.opened.get(at.key) || CHILDREN_AT_ONCE);
      }
      if (at.onPath) this.marked = at.key;
    }
    this.draw();
    this.groups.get(this.stop)?.focus({ preventScroll: true });
  }

  // Marks a node of the row's path, and brings it into sight.
  mark(depth) {
    if (this.path === null) return;
    const key = keysAlong(this.path)[Math.min(depth, this.path.length - 1)];
    if (!this.places.has(key)) return;
    this.groups.get(this.marked)?.classList.remove("at");
    this.marked = key;
    this.groups.get(key).classList.add("at");
    this.reveal(this.places.get(key));
  }

  reveal(at) {
    const room = this.scroll.clientWidth;
    const x = at.x + MARGIN;
    if (x < this.scroll.scrollLeft || x + BOX.width > this.scroll.scrollLeft + room) {
      this.scroll.scrollLeft = x - room / 3;
    }
    const y = at.y + MARGIN;
    if (y < this.scroll.scrollTop || y + BOX.height > this.scroll.scrollTop + this.scroll.clientHeight) {
      this.scroll.scrollTop = y - this.scroll.clientHeight / 3;
    }
  }

  // Tab stops at one node, arrow keys go from node to node.
  stopAt(key) {
    this.groups.get(this.stop)?.setAttribute("tabindex", -1);
    this.stop = key;
    this.groups.get(key).setAttribute("tabindex", 0);
  }

  key(event) {
    const at = this.places.get(this.stop);
    const all = [...this.places.values()];
    const beside = (step) => {
      const column = all.filter((one) => one.depth === at.depth).sort((a, b) => a.y - b.y);
      return column[column.indexOf(at) + step];
    };
    if (event.key === "Enter" || event.key === " ") this.toggle(at);
    else if (event.key === "ArrowRight" && !at.more && !at.isOpen && at.node.kind !== "leaf") this.toggle(at);
    else {
      const go = {
        ArrowRight: () => all.find((one) => one.parent === at),
        ArrowLeft: () => at.parent,
        ArrowDown: () => beside(1),
        ArrowUp: () => beside(-1),
      }[event.key];
      if (!go) return;
      const next = go();
      if (next) {
        this.stopAt(next.key);
        this.groups.get(next.key).focus({ preventScroll: true });
        this.reveal(next);
      }
    }
    event.preventDefault();
  }
}

function nodeTitle(node) {
  if (node.kind === "machine") return machineName(node.pair);
  return nameOf(classesOf(node)[0]);
}

function nodeText(node) {
  const x = node.kind === "leaf" ? BOX.width / 2 : 11;
  const anchor = node.kind === "leaf" ? "middle" : "";
  const left = node.kind === "leaf" ? "" : `${brief(node.meanLeft)} left · `;
  const below = svg("text", { x, y: BOX.height - 9, class: `sub ${anchor}` }, left + count(Math.round(node.rows), "row"));
  const line = (text, y) => svg("text", { x, y, class: `name ${anchor}` }, cut(text, BOX.width - 30, NAME_FONT));
  if (node.kind !== "machine" || BOX.height < 50) return [line(nodeTitle(node), BOX.height < 50 ? 18 : 24), below];
  return [line(nameOf(node.pair[0]), 16), line(`vs ${nameOf(node.pair[1])}`, 31), below];
}

function nodeTip(node, edge) {
  const classes = classesOf(node);
  const told = [el("div", {}, el("b", {}, nodeTitle(node)))];
  if (edge && edge.winner !== null) told.push(el("div", { class: "soft" }, `after ${nameOf(edge.winner)} won${between(edge)}`));
  told.push(el("div", {}, `${count(Math.round(node.rows), "row")} pass`));
  if (node.kind !== "leaf") {
    told.push(el("div", {}, `${count(classes.length, "class", "classes")} left: `, el("span", { class: "soft" }, namesOf(classes, 40))));
  }
  if (node.purity !== null) {
    told.push(el("div", { class: "soft" }, `purity ${node.purity} undecided, balance ${node.balance}, score ${percent(node.score)}`));
  }
  return told;
}

function between({ low, high }) {
  if (low === null && high === null) return "";
  if (low === null) return `, value up to ${brief(high)}`;
  return high === null ? `, value above ${brief(low)}` : `, value from ${brief(low)} to ${brief(high)}`;
}
