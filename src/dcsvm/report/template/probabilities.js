// Probabilities against how often they are right, and sets of classes against their size.

const FRAME = { width: 400, height: 300, left: 52, right: 26, top: 16, bottom: 42 };

draw.probabilities = (section, found) => {
  const facts = [`expected calibration error ${percent(found.error, 2)}`];
  if (found.log_loss !== null) facts.push(`log loss ${brief(found.log_loss)}`);
  section.append(
    el("p", { class: "explain" }, `Counted on ${count(found.n_rows, "row")}: ${facts.join(", ")}. `,
      "Probabilities that can be trusted are on the diagonal: of the rows whose class has a probability of 80 %, four in five are right. ",
      "A set of classes is to hold the right one as often as was asked for; the better the probabilities, the smaller the sets."),
    el("div", { class: "panels" },
      el("div", { class: "card" }, el("h3", {}, "How often the class predicted is right"), reliabilityChart(found)),
      el("div", { class: "card" }, el("h3", {}, "Sets that have the right class"), coverageChart(found))),
    el("details", { class: "card" }, el("summary", {}, "The same as numbers"), setTable(found.sets)));
};

function frameOf(x, y, xName, label) {
  const { width, height, left, right, top, bottom } = FRAME;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "group", "aria-label": label });
  for (const tick of y.ticks) {
    drawing.append(
      svg("line", { x1: left, x2: width - right, y1: y.at(tick), y2: y.at(tick), class: "rule" }),
      svg("text", { x: left - 7, y: y.at(tick) + 4, class: "tick end" }, y.name(tick)));
  }
  for (const tick of x.ticks) {
    drawing.append(svg("text", { x: x.at(tick), y: height - bottom + 17, class: "tick middle" }, x.name(tick)));
  }
  drawing.append(
    svg("text", { x: (left + width - right) / 2, y: height - 5, class: "tick middle" }, xName),
    svg("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis" }));
  return drawing;
}

function addCurve(drawing, places, told) {
  const at = places.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  drawing.append(svg("path", { d: `M${at.join("L")}`, class: "curve" }));
  places.forEach(([x, y], t) => {
    const hit = svg("circle", { cx: x, cy: y, r: 12, class: "hit", tabindex: 0, role: "img", "aria-label": told(t) });
    drawing.append(svg("circle", { cx: x, cy: y, r: 4, class: "dot" }), withTip(hit, () => told(t)));
  });
}

function shareScale(from, to) {
  return { at: (v) => from + v * (to - from), ticks: [0, 0.2, 0.4, 0.6, 0.8, 1], name: (v) => percent(v, 0) };
}

function reliabilityChart({ bins, n_rows }) {
  const { width, height, left, right, top, bottom } = FRAME;
  const x = shareScale(left, width - right);
  const y = shareScale(height - bottom, top);
  const drawing = frameOf(x, y, "probability; bars: share of the rows", "How often the class predicted is right, against its probability");
  for (const bin of bins) {
    drawing.append(svg("rect", { x: x.at(bin.probability) - 6, y: y.at(bin.share), width: 12, height: y.at(0) - y.at(bin.share), class: "share" }));
  }
  drawing.append(svg("line", { x1: x.at(0), y1: y.at(0), x2: x.at(1), y2: y.at(1), class: "vote-line" }));
  const told = (t) => `probability ${percent(bins[t].probability)}: right in ${percent(bins[t].right)} of ${count(Math.round(bins[t].share * n_rows), "row")}`;
  addCurve(drawing, bins.map((bin) => [x.at(bin.probability), y.at(bin.right)]), told);
  return drawing;
}

function coverageChart({ sets }) {
  const { width, height, left, right, top, bottom } = FRAME;
  const x = scaleOf(sets.map((s) => s.size), left, width - right, false);
  const y = { ...scaleOf(sets.flatMap((s) => [s.coverage, s.confidence]), height - bottom, top, false), name: (v) => percent(v, 0) };
  const drawing = frameOf(x, y, "classes in a set, on average; dashes: what was asked for", "How often sets have the right class, against their size");
  for (const s of sets) {
    drawing.append(svg("line", { x1: x.at(s.size) - 9, x2: x.at(s.size) + 9, y1: y.at(s.confidence), y2: y.at(s.confidence), class: "asked" }));
  }
  const told = (t) => `${percent(sets[t].confidence, 0)} asked for: ${percent(sets[t].coverage)} have the right class, with ${brief(sets[t].size)} classes on average`;
  addCurve(drawing, sets.map((s) => [x.at(s.size), y.at(s.coverage)]), told);
  return drawing;
}

function setTable(sets) {
  const names = ["asked for", "have the right class", "classes in a set"];
  const line = (s) => el("tr", {}, el("th", { scope: "row" }, percent(s.confidence, 0)), el("td", {}, percent(s.coverage)), el("td", {}, brief(s.size)));
  return scrolling(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Sets of classes" },
    el("table", { class: "grid" }, el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, sets.map(line)))));
}
