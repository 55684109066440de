// The path of a row in words: one card for each step.

const MOST_CHIPS = 14;
const MOST_RANGES = 6;

class StepList {
  // `touch(t)` is told which step the reader is at.
  constructor(touch) {
    this.touch = touch;
    this.head = el("div", { class: "verdict", "aria-live": "polite" });
    this.list = el("ol", { class: "steps" });
    this.scroll = el("div", { class: "scroll steps-scroll", tabindex: 0, role: "group", "aria-label": "Steps" }, this.list);
    this.box = el("div", { class: "card path" }, this.head, this.scroll);
  }

  show(row, steps) {
    this.head.replaceChildren(...verdict(row), this.whereWrong(row, steps));
    this.cards = steps.map((step, t) => this.card(row, step, t));
    this.list.replaceChildren(...this.cards);
    this.scroll.scrollTop = 0;
  }

  // Leads to the step at which the true class goes.
  whereWrong(row, steps) {
    const t = steps.findIndex((step) => step.losesTruth);
    if (t < 0) return "";
    const go = () => {
      this.cards[t].focus({ preventScroll: true });
      this.bring(t);
    };
    return el("p", { class: "note" }, el("button", { type: "button", class: "link", on: { click: go } },
      `The true class, ${nameOf(row.truth)}, goes at step ${whole(t + 1)} of ${whole(steps.length)}`));
  }

  card(row, step, t) {
    const touched = () => {
      this.touch(t);
      this.mark(t);
    };
    return el("li", { class: "step", tabindex: 0, on: { click: touched, focus: touched } }, stepBody(row, step),
      step.losesTruth ? el("p", { class: "farewell" }, `Here the true class, ${nameOf(row.truth)}, is out.`) : null);
  }

  mark(t) {
    this.cards.forEach((card, at) => card.classList.toggle("at", at === t));
  }

  markNode(depth, steps) {
    const t = steps.findIndex((step) => step.depth === depth);
    this.mark(t);
    if (t >= 0) this.bring(t);
  }

  // Scrolls the list alone, not the page.
  bring(t) {
    this.scroll.scrollTop = this.cards[t].offsetTop - 20;
  }
}

function verdict(row) {
  const cost = row.evaluations === null ? "" : `, ${count(Math.round(row.evaluations), "kernel evaluation")}`;
  const right = row.truth < 0 ? null
    : row.wrong ? el("span", { class: "badge bad" }, `wrong: it is ${nameOf(row.truth)}`) : el("span", { class: "badge good" }, "right");
  return [
    el("h3", {}, `Row ${whole(row.place)}: `, el("span", { class: "label", id: "shown-label" }, nameOf(row.label)), " ", right),
    el("p", { class: "note" }, `${count(row.decisions, "decision")}${cost}. Runner-up: ${nameOf(row.second)}.`),
  ];
}

function stepBody(row, step) {
  if (step.kind === "scores") return scoresBody(row, step);
  if (step.kind === "vote") return voteBody(row, step);
  const [i, j] = step.pair;
  const head = el("div", { class: "step-head" },
    el("span", {}, el("b", {}, nameOf(i)), " vs ", el("b", {}, nameOf(j))),
    el("span", { class: "value" }, signed(step.value), el("span", { class: "arrow" }, " → "), el("b", {}, nameOf(step.winner))));
  if (step.forVote) return [head, el("p", { class: "note asked-for-vote" }, "Asked for the final vote.")];
  return [head, valueLine(step), outOf(row, step), leftLine(row, step.left)];
}

function scoresBody(row, step) {
  const head = el("div", { class: "step-head" }, el("b", {}, "Cheap scores for all classes"),
    step.gap === null ? null : el("span", { class: "value" }, `gap ${brief(step.gap)}`));
  if (step.nOut === 0) return [head, el("p", { class: "reason" }, "No class is so far behind the best as to be dropped."), leftLine(row, step.left)];
  const behind = new Map(step.out.map((c, t) => [c, `${brief(step.numbers[t])} behind the best`]));
  return [
    head,
    el("p", { class: "reason" }, `${count(step.nOut, "class", "classes")} dropped, more than the gap behind the best; the nearest: `,
      chips(row, step.out, "out", (c) => behind.get(c), step.nOut)),
    leftLine(row, step.left),
  ];
}

function voteBody(row, step) {
  const told = step.votes.map(([c, votes]) => `${nameOf(c)} ${votes}`).join(", ");
  return [
    el("div", { class: "step-head" }, el("b", {}, "Vote of those left"), el("span", { class: "value" }, el("span", { class: "arrow" }, "→ "), el("b", {}, nameOf(step.winner)))),
    el("p", { class: "reason" }, `Votes: ${told}.`),
    leftLine(row, step.left),
  ];
}

function outOf(row, step) {
  const told = [];
  if (step.lost !== null) told.push(el("p", { class: "reason" }, "Dropped, lost: ", chips(row, [step.lost], "out lost")));
  if (step.aside !== null) told.push(el("p", { class: "reason" }, "Lost so closely that it stays in: ", chips(row, [step.aside], "aside")));
  if (step.why === "implausible") {
    const range = new Map(step.out.map((c, t) => [c, `training rows from ${brief(step.numbers[2 * t])} to ${brief(step.numbers[2 * t + 1])}`]));
    told.push(el("p", { class: "reason" }, "Dropped, the value is implausible for ", chips(row, step.out, "out", (c) => range.get(c))));
  } else if (step.why === "side") {
    const share = new Map(step.out.map((c, t) => [c, `${percent(step.numbers[t], 2)} of its training rows are on this side`]));
    told.push(el("p", { class: "reason" }, "Dropped, too few of their training rows are on this side: ", chips(row, step.out, "out", (c) => share.get(c))));
  }
  return told;
}

function leftLine(row, left) {
  const all = left.length === nClasses;
  const text = all ? `All ${whole(left.length)} classes are left.` : left.length === 1 ? "Only one is left: " : `${whole(left.length)} left: `;
  return el("p", { class: "reason left" }, text, all ? null : chips(row, left, left.length === 1 ? "in last" : "in"));
}

// Names of classes; the true one is set off. `total` counts those that have no chip too.
function chips(row, classes, kind, why = () => null, total = classes.length) {
  const sorted = [...classes].sort((a, b) => (b === row.truth) - (a === row.truth) || (b === row.predicted) - (a === row.predicted));
  const shown = sorted.slice(0, classes.length <= MOST_CHIPS + 2 ? classes.length : MOST_CHIPS);
  const chip = (c) => el("span", { class: `chip ${kind}${c === row.truth ? " truth" : ""}`, title: [c === row.truth ? "the true class" : null, why(c)].filter(Boolean).join("; ") || null }, nameOf(c));
  const rest = sorted.slice(shown.length);
  const more = total - shown.length;
  if (more === 0) return el("span", { class: "chips" }, shown.map(chip));
  const box = el("span", { class: "chips" }, shown.map(chip));
  if (rest.length < more) box.append(el("span", { class: "soft" }, ` and ${whole(more)} more`));
  else {
    const open = el("button", { type: "button", class: "link", on: { click: () => open.replaceWith(...rest.map(chip)) } }, `and ${whole(more)} more`);
    box.append(open);
  }
  return box;
}

// The value on a line, positive for i, and above it the training rows of classes that it rules out.
function valueLine(step) {
  const bars = step.why === "implausible"
    ? step.out.slice(0, MOST_RANGES).map((c, t) => ({ c, low: step.numbers[2 * t], high: step.numbers[2 * t + 1] })) : [];
  const ends = [-1.2, 1.2, step.value, ...bars.flatMap((b) => [b.low, b.high])];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const width = matchMedia("(max-width: 720px)").matches ? 330 : 460;
  const room = 84;
  const x = (v) => room + ((v - low) / (high - low)) * (width - 2 * room);
  const height = 40 + 15 * bars.length;
  const axis = height - 24;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "value-line", role: "img",
    "aria-label": `value ${signed(step.value)}, positive for ${nameOf(step.pair[0])}, negative for ${nameOf(step.pair[1])}` });
  bars.forEach((b, t) => {
    const y = 10 + 15 * t;
    const onLeft = b.high < step.value;
    const name = cut(nameOf(b.c), 78, "11px system-ui, sans-serif");
    drawing.append(
      svg("rect", { x: x(b.low), y: y - 4, width: Math.max(2, x(b.high) - x(b.low)), height: 8, rx: 4, class: "range" }),
      svg("text", { x: onLeft ? x(b.low) - 5 : x(b.high) + 5, y: y + 4, class: onLeft ? "tick end" : "tick" }, name));
  });
  drawing.append(
    svg("line", { x1: x(low), x2: x(0), y1: axis, y2: axis, class: "side second" }),
    svg("line", { x1: x(0), x2: x(high), y1: axis, y2: axis, class: "side first" }),
    svg("line", { x1: x(0), x2: x(0), y1: axis - 6, y2: axis + 6, class: "axis" }),
    bars.length > 0 ? svg("line", { x1: x(step.value), x2: x(step.value), y1: 2, y2: axis, class: "now" }) : "",
    svg("circle", { cx: x(step.value), cy: axis, r: 5, class: step.value > 0 ? "now-dot first" : "now-dot second" }),
    svg("text", { x: x(0), y: axis + 19, class: "tick middle" }, "0"),
    svg("text", { x: room - 8, y: axis + 4, class: "side-name second end" }, cut(nameOf(step.pair[1]), room - 10, "600 12px system-ui, sans-serif")),
    svg("text", { x: width - room + 8, y: axis + 4, class: "side-name first" }, cut(nameOf(step.pair[0]), room - 10, "600 12px system-ui, sans-serif")));
  return drawing;
}
