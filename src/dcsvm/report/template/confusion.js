// The confusion matrix, the pairs confused most, and a table of classes.

draw.confusion = (section, data) => {
  const showPair = (truth, predicted) => explorer.showPair(truth, predicted);
  const matrix = new ConfusionMatrix(data);
  const view = { order: "class", shares: true, diagonal: true };
  let places = matrix.order(view.order);
  const heat = new HeatMap({
    label: "Confusion matrix. Arrow keys move from cell to cell, Enter shows the rows of a cell.",
    rows: matrix.k,
    columns: matrix.k,
    square: true,
    rowName: (r) => nameOf(places[r]),
    columnName: (c) => nameOf(places[c]),
    palette: matrixColours,
    colour: (r, c, colours) => matrix.colour(places[r], places[c], view, colours),
    text: (r, c) => matrix.text(places[r], places[c], view),
    tip: (r, c) => matrix.tip(places[r], places[c]),
    say: (r, c) => matrix.words(places[r], places[c]),
    pick: (r, c) => showPair(places[r], places[c]),
  });
  const redraw = () => {
    places = matrix.order(view.order);
    heat.change({});
  };
  const tools = el("div", { class: "tools" },
    choice("Order", [["class", "by name"], ["errors", "most errors"], ["similar", "confused together"]], view.order, (order) => {
      view.order = order;
      redraw();
    }),
    choice("Colour", [["shares", "share of the row"], ["counts", "count"]], "shares", (kind) => {
      view.shares = kind === "shares";
      heat.draw();
    }),
    choice("Correct predictions", [["shown", "shown"], ["hidden", "hidden"]], "shown", (kind) => {
      view.diagonal = kind === "shown";
      heat.draw();
    }),
    heat.controls());
  section.append(
    el("p", { class: "explain" }, "Each row of the matrix is a true class, each column a predicted class. Click a cell to see its rows."),
    tools,
    el("p", { class: "legend" }, el("span", { class: "key right" }, "right"), el("span", { class: "key wrong" }, "wrong")),
    el("div", { class: "columns uneven" },
      el("div", { class: "card flush" }, scrolling(heat.box)),
      el("div", { class: "card" }, el("h3", {}, "Confused most"), pairList(matrix, showPair))),
    el("details", { class: "card", open: true }, el("summary", {}, "Class by class"), classTable(matrix, showPair)));
  heat.fit();
};

function matrixColours() {
  const paper = cssColour("--cell");
  return { right: ramp(paper, cssColour("--first"), 50), wrong: ramp(paper, cssColour("--bad"), 50) };
}

class ConfusionMatrix {
  constructor({ true: truth, pred, count: counts, similar }) {
    this.k = report.classes.length;
    this.counts = new Float64Array(this.k * this.k);
    truth.forEach((t, n) => { this.counts[t * this.k + pred[n]] = counts[n]; });
    const sums = (at) => Array.from({ length: this.k }, (_, a) => {
      let sum = 0;
      for (let b = 0; b < this.k; b++) sum += this.counts[at(a, b)];
      return sum;
    });
    this.ofTrue = sums((a, b) => a * this.k + b);
    this.ofPredicted = sums((a, b) => b * this.k + a);
    this.mostRight = Math.max(1, ...Array.from({ length: this.k }, (_, c) => this.at(c, c)));
    this.pairs = truth.map((t, n) => [t, pred[n], counts[n]]).filter(([t, p]) => t !== p).sort((a, b) => b[2] - a[2]);
    this.mostWrong = this.pairs.length > 0 ? this.pairs[0][2] : 1;
    this.similar = similar;
  }

  at(truth, predicted) {
    return this.counts[truth * this.k + predicted];
  }

  share(truth, predicted) {
    return this.ofTrue[truth] === 0 ? 0 : this.at(truth, predicted) / this.ofTrue[truth];
  }

  errors(c) {
    return this.ofTrue[c] + this.ofPredicted[c] - 2 * this.at(c, c);
  }

  order(kind) {
    const all = Array.from({ length: this.k }, (_, c) => c);
    if (kind === "similar") return this.similar;
    return kind === "errors" ? all.sort((a, b) => this.errors(b) - this.errors(a)) : all;
  }

  // From 0 to 1. Roots make few errors visible beside many.
  strength(truth, predicted, view) {
    const n = this.at(truth, predicted);
    const right = truth === predicted;
    if (n === 0 || (right && !view.diagonal)) return 0;
    const share = view.shares ? this.share(truth, predicted) : n / (right ? this.mostRight : this.mostWrong);
    return Math.min(1, right ? 0.15 + 0.85 * share : 0.22 + 0.78 * Math.sqrt(share));
  }

  colour(truth, predicted, view, colours) {
    const strength = this.strength(truth, predicted, view);
    return (truth === predicted ? colours.right : colours.wrong)[Math.round(50 * strength)];
  }

  text(truth, predicted, view) {
    const strength = this.strength(truth, predicted, view);
    return strength === 0 ? null : [String(this.at(truth, predicted)), strength > 0.55];
  }

  words(truth, predicted) {
    const n = this.at(truth, predicted);
    const what = truth === predicted ? "predicted correctly" : `predicted as ${nameOf(predicted)}`;
    return `${nameOf(truth)}, ${what}: ${count(n, "row")}, ${percent(this.share(truth, predicted))} of ${whole(this.ofTrue[truth])}`;
  }

  tip(truth, predicted) {
    return [
      el("div", {}, "true ", el("b", {}, nameOf(truth))),
      el("div", {}, "predicted ", el("b", {}, nameOf(predicted))),
      el("div", { class: "soft" }, `${count(this.at(truth, predicted), "row")}, ${percent(this.share(truth, predicted))} of ${whole(this.ofTrue[truth])}`),
    ];
  }
}

function pairList(matrix, showPair) {
  if (matrix.pairs.length === 0) return el("p", { class: "note" }, "No class is confused with another: all predictions are correct.");
  const most = 40;
  const item = ([truth, predicted, n]) => el("li", {},
    el("button", { type: "button", class: "pair", on: { click: () => showPair(truth, predicted) }, title: matrix.words(truth, predicted) },
      el("span", { class: "pair-names" }, nameOf(truth), el("span", { class: "arrow" }, " → "), nameOf(predicted)),
      el("span", { class: "pair-bar", style: { width: `${(60 * n) / matrix.mostWrong}px` } }),
      el("span", { class: "amount" }, whole(n))));
  const rest = matrix.pairs.length - most;
  return [
    el("p", { class: "note" }, "true class → predicted class, and the number of rows"),
    scrolling(el("ol", { class: "pairs" }, matrix.pairs.slice(0, most).map(item))),
    rest > 0 ? el("p", { class: "note" }, `and ${count(rest, "other pair")} with at most ${count(matrix.pairs[most][2], "row")} each`) : null,
  ];
}

// A table that sorts by the column whose head is clicked.
function classTable(matrix, showPair) {
  const lines = matrix.ofTrue.map((n, c) => {
    const right = matrix.at(c, c);
    const worst = matrix.pairs.find(([truth]) => truth === c);
    return { c, n, recall: n ? right / n : -1, precision: matrix.ofPredicted[c] ? right / matrix.ofPredicted[c] : -1, worst };
  });
  const columns = [
    ["Class", (l) => l.c, (l) => nameOf(l.c)],
    ["Rows", (l) => -l.n, (l) => whole(l.n)],
    ["Recall", (l) => l.recall, (l) => (l.recall < 0 ? "–" : percent(l.recall))],
    ["Precision", (l) => l.precision, (l) => (l.precision < 0 ? "–" : percent(l.precision))],
    ["Most often predicted instead", (l) => (l.worst ? -l.worst[2] : 0), (l) => (l.worst
      ? el("button", { type: "button", class: "link", on: { click: () => showPair(l.c, l.worst[1]) } }, `${nameOf(l.worst[1])} (${whole(l.worst[2])})`)
      : "–")],
  ];
  const body = el("tbody");
  const heads = columns.map(([name, value], t) => el("th", { scope: "col", "aria-sort": "none" },
    el("button", { type: "button", class: "sort", on: { click: () => sortBy(value, t) } }, name)));
  function sortBy(value, t) {
    const down = heads[t].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.setAttribute("aria-sort", "none"));
    heads[t].setAttribute("aria-sort", down ? "descending" : "ascending");
    const sorted = [...lines].sort((a, b) => (down ? -1 : 1) * (value(a) - value(b)));
    body.replaceChildren(...sorted.map((line) => el("tr", {}, columns.map(([, , show]) => el("td", {}, show(line))))));
  }
  sortBy(columns[0][1], 0);
  return scrolling(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Class by class" }, el("table", { class: "grid" }, el("thead", {}, el("tr", {}, heads)), body)));
}
