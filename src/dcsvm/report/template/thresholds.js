// Accuracy and cost of the same machines at other θ, with the vote as a reference.

const TENTH = 0.1;
const PLOT = { width: 400, height: 250, left: 58, right: 14, top: 16, bottom: 40 };

draw.thresholds = (section, points) => {
  const { ours, vote } = report.summary;
  const panels = [];
  if (ours.accuracy !== null) {
    panels.push({ title: "Accuracy against the vote’s, in points", key: "accuracy", vote: vote.accuracy, format: (v) => percent(v, 2), points: true });
  } else panels.push({ title: "Agreement with the vote", key: "agreement", vote: 1, format: (v) => percent(v, 2), points: true });
  panels.push({ title: "Decisions per row", key: "decisions", vote: vote.decisions, format: brief, log: true });
  if (ours.kernel_evaluations !== null) {
    panels.push({ title: "Kernel evaluations per row", key: "kernel_evaluations", vote: vote.kernel_evaluations, format: brief, log: true });
  }
  section.append(
    el("p", { class: "explain" }, "θ is the accepted probability that a row loses its true class on the way. A larger θ is faster and less accurate. ",
      "Nothing was trained for this: ", el("code", {}, "rethreshold(theta=…)"), " gives a classifier at another θ from the same machines. ",
      `One row of these is ${brief(100 / report.model.n_rows)} points of accuracy.`),
    el("p", { class: "legend" }, el("span", { class: "key line" }, `at θ; filled: the θ of the model, ${brief(report.model.theta)}`), el("span", { class: "key dashed" }, "vote of all machines")),
    el("div", { class: "panels" }, panels.map((panel) => el("div", { class: "card" }, el("h3", {}, panel.title), plot(panel, points)))),
    el("details", { class: "card" }, el("summary", {}, "The same as numbers"), thresholdTable(panels, points)));
};

// Differences in points of per cent from a reference, on a scale that is even within a tenth of a
// point and logarithmic beyond, so that small ones are seen beside large ones.
function pointsScale(values, reference, from, to) {
  const points = (v) => 100 * (v - reference);
  const of = (p) => Math.asinh(p / TENTH);
  const low = Math.min(of(-2 * TENTH), ...values.map((v) => of(points(v)))) - 0.25;
  const high = Math.max(of(TENTH), ...values.map((v) => of(points(v)))) + 0.25;
  const place = (p) => from + ((of(p) - low) / (high - low)) * (to - from);
  const sizes = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50];
  const all = [...sizes.map((p) => -p), 0, ...sizes].filter((p) => of(p) >= low && of(p) <= high);
  const kept = [0];
  // From 0 outwards, none closer to another than a line of text is high.
  for (const p of all.sort((a, b) => Math.abs(a) - Math.abs(b))) {
    if (kept.every((other) => Math.abs(place(other) - place(p)) >= 15)) kept.push(p);
  }
  return { at: (v) => place(points(v)), ticks: kept.map((p) => reference + p / 100), name: (v) => signed(Number(points(v).toFixed(4))) };
}

function plot(panel, points) {
  const { width, height, left, right, top, bottom } = PLOT;
  const values = points.map((p) => p[panel.key]);
  const x = scaleOf(points.map((p) => p.theta), left, width - right, true);
  const y = panel.points
    ? pointsScale([...values, panel.vote], panel.vote, height - bottom, top)
    : scaleOf([...values, panel.vote], height - bottom, top, panel.log);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "chart", role: "group", "aria-label": `${panel.title} against θ` });
  for (const tick of y.ticks) {
    drawing.append(
      svg("line", { x1: left, x2: width - right, y1: y.at(tick), y2: y.at(tick), class: "rule" }),
      svg("text", { x: left - 7, y: y.at(tick) + 4, class: "tick end" }, y.name(tick)));
  }
  for (const tick of x.ticks) {
    drawing.append(svg("text", { x: x.at(tick), y: height - bottom + 17, class: "tick middle" }, String(Number(tick.toPrecision(2)))));
  }
  const now = x.at(report.model.theta);
  drawing.append(
    svg("text", { x: (left + width - right) / 2, y: height - 5, class: "tick middle" }, "θ"),
    svg("line", { x1: left, x2: width - right, y1: height - bottom, y2: height - bottom, class: "axis" }),
    svg("line", { x1: now, x2: now, y1: top, y2: height - bottom, class: "here" }),
    svg("line", { x1: left, x2: width - right, y1: y.at(panel.vote), y2: y.at(panel.vote), class: "vote-line" }),
    svg("path", { d: `M${points.map((p, t) => `${x.at(p.theta).toFixed(1)} ${y.at(values[t]).toFixed(1)}`).join("L")}`, class: "curve" }));
  points.forEach((p, t) => {
    const isNow = p.theta === report.model.theta;
    const told = `θ = ${brief(p.theta)}${isNow ? ", the θ of the model" : ""}: ${panel.format(values[t])}; the vote: ${panel.format(panel.vote)}`;
    const dot = svg("circle", { cx: x.at(p.theta), cy: y.at(values[t]), r: isNow ? 6 : 4, class: isNow ? "dot now" : "dot" });
    const hit = svg("circle", { cx: x.at(p.theta), cy: y.at(values[t]), r: 12, class: "hit", tabindex: 0, role: "img", "aria-label": told });
    drawing.append(dot, withTip(hit, () => told));
  });
  return drawing;
}

function thresholdTable(panels, points) {
  const head = el("tr", {}, el("th", { scope: "col" }, "θ"), panels.map((p) => el("th", { scope: "col" }, p.title)));
  const line = (p) => el("tr", { class: p.theta === report.model.theta ? "chosen" : null },
    el("th", { scope: "row" }, brief(p.theta)), panels.map((panel) => el("td", {}, panel.format(p[panel.key]))));
  const vote = el("tr", {}, el("th", { scope: "row" }, "vote"), panels.map((panel) => el("td", {}, panel.format(panel.vote))));
  return scrolling(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Accuracy and cost" },
    el("table", { class: "grid" }, el("thead", {}, head), el("tbody", {}, points.map(line), vote))));
}
