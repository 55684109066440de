// How rows come to one class: what is left after each decision, the machines asked most, and the
// pairs confused most with an example.

// With many decisions, the bars after these are shown.
const SOME_STEPS = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40];

draw.asking = (section, data) => {
  const { votes } = report.model;
  const cards = votes ? [] : [el("div", { class: "card" }, el("h3", {}, "Machines asked most"), askedMost(data))];
  if (data.confused.length > 0) {
    cards.push(el("div", { class: "card" }, el("h3", {}, "Pairs confused most, with an example"), confusedMost(data.confused)));
  }
  section.append(
    el("p", { class: "explain" }, narrowingWords(data)),
    votes ? "" : el("div", { class: "card steps-card" }, el("h3", {}, "Classes left after each decision"), stepsKey(data.ends), steps(data)),
    el("div", { class: "columns" }, cards));
};

function narrowingWords({ by_scores: byScores, steps: all, n_voted: voted }) {
  const n = report.model.n_rows;
  if (report.model.votes) return "All machines are asked about every row, and vote: for this model that is the fastest way.";
  const begin = byScores
    ? `The scores alone leave one class for ${percent(all[0][0] / n)} of the rows. The machines then decide between the classes that are left.`
    : "Every row begins with all classes, and each decision drops some of them.";
  return `${begin}${voted > 0 ? ` A final vote decides ${count(voted, "row")}.` : ""}`;
}

function leftNames(ends) {
  const range = (low, high) => (low === high ? `${low}` : `${low} to ${high}`);
  return [...ends.map((end, t) => range(t === 0 ? 1 : ends[t - 1] + 1, end)), `${ends[ends.length - 1] + 1} or more`];
}

function stepsKey(ends) {
  return el("p", { class: "legend" }, leftNames(ends).map((name, t) =>
    el("span", { class: `key left-${t}` }, t === 0 ? "1 class: decided" : name)));
}

// A bar for each number of decisions: how many rows have how many classes left.
function steps({ by_scores: byScores, ends, steps: all, mean }) {
  const n = report.model.n_rows;
  const names = leftNames(ends);
  const shown = SOME_STEPS.length < all.length ? SOME_STEPS.filter((t) => t < all.length) : [...all.keys()];
  const line = (t) => {
    const counts = all[t];
    const title = t === 0 ? (byScores ? "after the scores" : "at first") : `after ${count(t, "decision")}`;
    const parts = counts.map((rows, b) => {
      const part = el("span", { class: `part left-${b}`, style: { width: `${(100 * rows) / n}%` } });
      return withTip(part, () => `${title}: ${names[b]} left for ${count(rows, "row")}, ${percent(rows / n)}`);
    });
    return el("tr", {},
      el("th", { scope: "row" }, title),
      el("td", { class: "parts-cell" }, el("span", { class: "parts" }, parts)),
      el("td", { class: "number" }, brief(mean[t])),
      el("td", { class: "number" }, percent(counts[0] / n)));
  };
  return [
    el("table", { class: "grid steps" },
      el("thead", {}, el("tr", {}, ["", "rows", "left on average", "decided"].map((name, t) => el("th", { scope: "col", class: t > 1 ? "number" : null }, name)))),
      el("tbody", {}, shown.map(line))),
    el("p", { class: "note" }, `The last row is decided after ${count(report.summary.decisions.length - 1, "decision")}.`),
  ];
}

function askedMost({ asked, never_asked: never }) {
  if (asked.length === 0) return el("p", { class: "note" }, "No machine was asked: the scores decided all rows.");
  const n = report.model.n_rows;
  const most = asked[0][2];
  const line = ([i, j, rows]) => el("li", { class: "asked" },
    el("span", { class: "pair-names", title: machineName([i, j]) }, nameOf(i), el("span", { class: "soft" }, " vs "), nameOf(j)),
    el("span", { class: "track" }, el("span", { class: "fill ours", style: { width: `${(100 * rows) / most}%` } })),
    el("span", { class: "amount" }, `${whole(rows)} · ${percent(rows / n)}`));
  const rest = never === 0 ? "All machines were asked at least once."
    : `${whole(never)} of ${count(report.model.n_machines, "machine")} ${never === 1 ? "was" : "were"} not asked for any of these rows.`;
  return [
    el("p", { class: "note" }, "the rows for which each was evaluated, and their share"),
    el("ol", { class: "pairs" }, asked.map(line)),
    el("p", { class: "note below" }, rest),
  ];
}

function confusedMost(confused) {
  const line = ([truth, predicted, n, example]) => el("li", { class: "confused" },
    el("div", { class: "confused-head" }, el("b", {}, nameOf(truth)), el("span", { class: "arrow" }, " taken for "), el("b", {}, nameOf(predicted)),
      el("span", { class: "soft" }, ` ${count(n, "row")}`)),
    example === null ? null : exampleOf(rows[example]));
  return el("ol", { class: "pairs" }, confused.map(line));
}

// Where a row lost its true class, in a sentence that leads to its path.
function exampleOf(row) {
  const open = () => explorer.open(row);
  return el("div", { class: "note" },
    el("button", { type: "button", class: "link", on: { click: open } }, `Row ${whole(row.place)}`), `: ${lossOf(row)}`);
}

function lossOf(row) {
  if (row.truth >= nClasses) return "its class is not in the training data.";
  const rounds = roundsOf(row);
  const round = rounds.find((one) => one.losesTruth);
  if (round.kind === "scores") return `the score of ${nameOf(row.truth)} was too low, so it was dropped before any decision.`;
  if (round.kind === "machine") {
    return `${saidBy(round)}${round.lost === row.truth ? "" : `, a value that is implausible for ${nameOf(row.truth)}`}.`;
  }
  const between = rounds.find((one) => one.kind === "machine" && one.pair.includes(row.truth) && one.pair.includes(row.predicted));
  return `${nameOf(row.truth)} lost the final vote${between ? `; ${saidBy(between)}` : ""}.`;
}

function saidBy({ pair: [i, j], winner, value }) {
  return `“${nameOf(i)} vs ${nameOf(j)}” said ${nameOf(winner)} with a value of ${signed(value)}`;
}
