// The figures of the classifier beside those of a vote of all machines.

draw.summary = (section, { ours, vote, agreement, decisions, scores, only_one_right: onlyOne }) => {
  byId("lead").append(leadText(ours, vote, agreement), report.remark === null ? "" : ` ${report.remark}`);
  const tiles = el("div", { class: "tiles" });
  if (report.held_out_accuracy !== null) tiles.append(tile("Accuracy", percent(report.held_out_accuracy, 2), "on rows held out from training", []));
  else if (ours.accuracy !== null) tiles.append(accuracyTile(ours, vote));
  tiles.append(costTile("Decisions per row", ours.decisions, vote.decisions, brief));
  if (ours.kernel_evaluations !== null) {
    tiles.append(costTile("Kernel evaluations per row", ours.kernel_evaluations, vote.kernel_evaluations, brief));
    tiles.append(costTile("Support vectors visited", ours.support_vectors, vote.support_vectors, brief));
  }
  tiles.append(costTile("Time per row", ours.seconds, vote.seconds, duration));
  section.append(
    tiles,
    ...(scores === null ? [] : [el("div", { class: "card" }, el("h3", {}, "How good is that?"), scoreFacts(ours, vote, scores, onlyOne))]),
    el("div", { class: "columns" },
      el("div", { class: "card" }, el("h3", {}, "Decisions that rows need"), decisionBars(decisions)),
      el("div", { class: "card" }, el("h3", {}, "Model and rows"), facts())));
};

function leadText(ours, vote, agreement) {
  const { model } = report;
  const few = `${model.name} predicts with ${brief(ours.decisions)} decisions per row; a vote of one machine ` +
    `per pair of classes takes ${whole(vote.decisions)}. `;
  const drawn = model.n_rows < model.n_rows_passed
    ? `${whole(model.n_rows)} of ${count(model.n_rows_passed, "row")}, drawn at random`
    : count(model.n_rows, "row");
  if (ours.accuracy === null) return `${few}On ${drawn}, whose classes are not given, the two agree on ${percent(agreement)}.`;
  return `${few}On ${drawn}, its accuracy is ${percent(ours.accuracy)}, that of the vote ${percent(vote.accuracy)}; ` +
    `the two agree on ${percent(agreement)} of the rows.`;
}

function accuracyTile(ours, vote) {
  const points = 100 * (ours.accuracy - vote.accuracy);
  const less = Math.abs(points) < 0.005 ? "as the vote" : `${signed(Number(points.toFixed(2)))} points against the vote`;
  return tile("Accuracy", percent(ours.accuracy, 2), less, [
    bar("this", ours.accuracy, percent(ours.accuracy, 2), "ours"),
    bar("vote", vote.accuracy, percent(vote.accuracy, 2), "theirs"),
  ]);
}

// What the accuracy is to be seen beside.
function scoreFacts(ours, vote, scores, [onlyOurs, onlyVote]) {
  const [low, high] = scores.interval;
  return definitions([
    [report.held_out_accuracy === null ? "Accuracy" : "Accuracy on rows of training", `${percent(ours.accuracy, 2)} of ${count(scores.n, "row")}; 95 % interval ${percent(low, 2)} to ${percent(high, 2)}`],
    ["Balanced accuracy", percent(scores.balanced, 2)],
    ["Macro F1", percent(scores.macro_f1, 2)],
    ["Always the largest class", `${percent(scores.baseline, 2)} (${nameOf(scores.largest)})`],
    ["Against the vote", onlyOurs + onlyVote === 0 ? "both are right on the same rows"
      : `${count(onlyOurs, "row")} only here right, ${count(onlyVote, "row")} only by the vote`],
  ]);
}

function costTile(title, ours, vote, format) {
  const most = Math.max(ours, vote);
  return tile(title, format(ours), ratio(ours, vote), [
    bar("this", ours / most, format(ours), "ours"),
    bar("vote", vote / most, format(vote), "theirs"),
  ]);
}

function tile(title, figure, comparison, bars) {
  return el("div", { class: "tile" },
    el("h3", {}, title), el("p", { class: "figure" }, figure), el("p", { class: "than" }, comparison), bars);
}

function bar(who, share, text, kind) {
  return el("div", { class: "bar" },
    el("span", { class: "who" }, who),
    el("span", { class: "track" }, el("span", { class: `fill ${kind}`, style: { width: `${Math.max(0.6, 100 * share)}%` } })),
    el("span", { class: "amount" }, text));
}

// Bars of how many rows need how many decisions; neighbours together where there are many.
function decisionBars(counts) {
  const together = Math.ceil(counts.length / 32);
  const bars = [];
  for (let t = 0; t < counts.length; t += together) {
    const n = counts.slice(t, t + together).reduce((a, b) => a + b, 0);
    bars.push({ from: t, to: Math.min(counts.length, t + together) - 1, n });
  }
  const most = Math.max(...bars.map((b) => b.n));
  const width = 520;
  const step = (width - 20) / bars.length;
  const total = counts.reduce((a, b) => a + b, 0);
  const drawing = svg("svg", { viewBox: `0 0 ${width} 236`, class: "chart", role: "img", "aria-label": spread(counts, total) });
  const every = Math.ceil(bars.length / 16);
  bars.forEach((b, t) => {
    const height = (186 * b.n) / most;
    const range = b.from === b.to ? count(b.from, "decision") : `${b.from} to ${b.to} decisions`;
    const mark = svg("rect", { x: 10 + t * step, y: 10, width: Math.max(1, step - 2), height: 186, class: "hit" });
    withTip(mark, () => `${range}: ${count(b.n, "row")}, ${percent(b.n / total)}`);
    drawing.append(
      svg("rect", { x: 10 + t * step, y: 196 - height, width: Math.max(1, step - 2), height, rx: 2, class: "ours" }), mark);
    if (t % every === 0) {
      drawing.append(svg("text", { x: 10 + (t + 0.5) * step, y: 212, class: "tick middle" }, String(b.from)));
    }
  });
  drawing.append(svg("line", { x1: 10, x2: width - 10, y1: 196, y2: 196, class: "axis" }));
  drawing.append(svg("text", { x: width / 2, y: 231, class: "tick middle" }, "decisions"));
  return [drawing, el("p", { class: "note" }, spread(counts, total))];
}

function spread(counts, total) {
  const quantile = (share) => {
    let seen = 0;
    return counts.findIndex((n) => (seen += n) >= share * total);
  };
  return `Half of the rows need at most ${count(quantile(0.5), "decision")}, nine in ten at most ` +
    `${whole(quantile(0.9))}, all at most ${whole(counts.length - 1)}.`;
}

function facts() {
  const { model } = report;
  const route = model.votes ? "" : model.shortlist === null ? "along a decision structure" : `first by scores (${model.shortlist}), then by machines`;
  const told = [
    ["Classes", whole(nClasses)],
    ["Machines", whole(model.n_machines)],
    ["Way to a class", model.votes ? "all machines vote, which is the fastest here" : `${route}; these drop classes by ${model.routing === "sign" ? "the sign of their value" : "their value"}`],
    ["θ", brief(model.theta)],
    ["Features", whole(model.n_features)],
    ["Rows in this report", model.n_rows < model.n_rows_passed ? `${whole(model.n_rows)} of ${whole(model.n_rows_passed)}` : whole(model.n_rows)],
  ];
  if (model.n_support !== null) told.splice(2, 0, ["Support vectors", whole(model.n_support)]);
  if (model.before.length > 0) told.push(["Preprocessing", model.before.join(" → ")]);
  if (model.n_labelled !== null && model.n_labelled < model.n_rows) {
    told.push(["Without a label", `${count(model.n_rows - model.n_labelled, "row")}, not counted in the accuracy`]);
  }
  if (model.n_unseen > 0) told.push(["Class not in training", `${count(model.n_unseen, "row")}, counted as wrong`]);
  return [definitions(told), el("h4", {}, "Parameters"), parameters(model.parameters)];
}

function definitions(pairs) {
  return el("dl", { class: "facts" }, pairs.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
}

function parameters(list) {
  const one = ([name, value, isDefault]) =>
    el("li", { class: isDefault ? "" : "changed", title: isDefault ? "the default" : "not the default" }, `${name} = ${value}`);
  return el("ul", { class: "parameters" }, [...list].sort((a, b) => a[2] - b[2]).map(one));
}
