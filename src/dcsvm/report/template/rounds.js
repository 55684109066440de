// The path of a row in words: one card for each round.

const MOST_CHIPS = 14;
const MOST_RANGES = 6;
const SIDE_FONT = "600 12px system-ui, sans-serif";

class RoundList {
  // `touch(t)` is called with the round that the reader has selected.
  constructor(touch) {
    this.touch = touch;
    this.head = el("div", { class: "verdict", "aria-live": "polite" });
    this.list = el("ol", { class: "rounds" });
    this.scroll = el("div", { class: "scroll rounds-scroll", tabindex: 0, role: "group", "aria-label": "Rounds" }, this.list);
    this.box = el("div", { class: "card path" }, this.head, scrolling(this.scroll));
  }

  show(row, rounds) {
    this.head.replaceChildren(...verdict(row), this.whereWrong(row, rounds));
    this.cards = rounds.map((round, t) => this.card(row, round, t));
    this.list.replaceChildren(...this.cards);
    this.scroll.scrollTop = 0;
  }

  // Leads to the round that drops the true class.
  whereWrong(row, rounds) {
    const t = rounds.findIndex((round) => round.losesTruth);
    if (t < 0) return "";
    const go = () => {
      this.cards[t].focus({ preventScroll: true });
      this.bring(t);
    };
    return el("p", { class: "note" }, el("button", { type: "button", class: "link", on: { click: go } },
      `The true class, ${nameOf(row.truth)}, is dropped in round ${whole(t + 1)} of ${whole(rounds.length)}`));
  }

  card(row, round, t) {
    const touched = () => {
      this.touch(t);
      this.mark(t);
    };
    return el("li", { class: "round", tabindex: 0, on: { click: touched, focus: touched } }, roundBody(row, round),
      round.losesTruth ? el("p", { class: "farewell" }, `The true class, ${nameOf(row.truth)}, is dropped here.`) : null);
  }

  mark(t) {
    this.cards.forEach((card, at) => card.classList.toggle("at", at === t));
  }

  markNode(depth, rounds) {
    const t = rounds.findIndex((round) => round.depth === depth);
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

function roundBody(row, round) {
  if (round.kind === "scores") return scoresBody(row, round);
  if (round.kind === "vote") return voteBody(row, round);
  const [i, j] = round.pair;
  const head = el("div", { class: "round-head" },
    el("span", {}, el("b", {}, nameOf(i)), " vs ", el("b", {}, nameOf(j))),
    el("span", { class: "value" }, signed(round.value), el("span", { class: "arrow" }, " → "), el("b", {}, nameOf(round.winner))));
  if (round.forVote) return [head, el("p", { class: "note asked-for-vote" }, "Asked for the final vote.")];
  return [head, valueLine(round), outOf(row, round), leftLine(row, round.left)];
}

function scoresBody(row, round) {
  const head = el("div", { class: "round-head" }, el("b", {}, "Scores"),
    round.gap === null ? null : el("span", { class: "value" }, `kept: up to ${brief(round.gap)} below the best`));
  if (round.nOut === 0) return [head, el("p", { class: "reason" }, "No class is so far below the best as to be dropped."), leftLine(row, round.left)];
  const behind = new Map(round.out.map((c, t) => [c, `${brief(round.numbers[t])} below the best`]));
  return [
    head,
    el("p", { class: "reason" }, `${count(round.nOut, "class", "classes")} dropped, further below the best; the nearest: `,
      chips(row, round.out, "out", (c) => behind.get(c), round.nOut)),
    leftLine(row, round.left),
  ];
}

function voteBody(row, round) {
  const told = round.votes.map(([c, votes]) => `${nameOf(c)} ${votes}`).join(", ");
  return [
    el("div", { class: "round-head" }, el("b", {}, "Final vote"), el("span", { class: "value" }, el("span", { class: "arrow" }, "→ "), el("b", {}, nameOf(round.winner)))),
    el("p", { class: "reason" }, `Votes: ${told}.`),
    leftLine(row, round.left),
  ];
}

function outOf(row, round) {
  const told = [];
  if (round.lost !== null) told.push(el("p", { class: "reason" }, "Dropped, lost: ", chips(row, [round.lost], "out lost")));
  if (round.aside !== null) told.push(el("p", { class: "reason" }, "Lost and is set aside for the final vote: ", chips(row, [round.aside], "aside")));
  if (round.why === "implausible") {
    const range = new Map(round.out.map((c, t) => [c, `training rows from ${brief(round.numbers[2 * t])} to ${brief(round.numbers[2 * t + 1])}`]));
    told.push(el("p", { class: "reason" }, "Dropped, the value is implausible for ", chips(row, round.out, "out", (c) => range.get(c))));
  } else if (round.why === "side") {
    const share = new Map(round.out.map((c, t) => [c, `${percent(round.numbers[t], 2)} of its training rows are on this side`]));
    told.push(el("p", { class: "reason" }, "Dropped, too few of their training rows are on this side: ", chips(row, round.out, "out", (c) => share.get(c))));
  } else if (round.why === "value" && round.out.length > 0) {
    told.push(el("p", { class: "reason" }, "Dropped by this value: ", chips(row, round.out, "out")));
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
function valueLine(round) {
  const bars = round.why === "implausible"
    ? round.out.slice(0, MOST_RANGES).map((c, t) => ({ c, low: round.numbers[2 * t], high: round.numbers[2 * t + 1] })) : [];
  const ends = [-1.2, 1.2, round.value, ...bars.flatMap((b) => [b.low, b.high])];
  const low = Math.min(...ends);
  const high = Math.max(...ends);
  const width = matchMedia("(max-width: 720px)").matches ? 330 : 460;
  const room = bars.length > 0 ? 84 : 14;
  const x = (v) => room + ((v - low) / (high - low)) * (width - 2 * room);
  const height = 40 + 15 * bars.length;
  const axis = height - 24;
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, class: "value-line", role: "img",
    "aria-label": `value ${signed(round.value)}, positive for ${nameOf(round.pair[0])}, negative for ${nameOf(round.pair[1])}` });
  bars.forEach((b, t) => {
    const y = 10 + 15 * t;
    const onLeft = b.high < round.value;
    const name = cut(nameOf(b.c), 78, "11px system-ui, sans-serif");
    drawing.append(
      svg("rect", { x: x(b.low), y: y - 4, width: Math.max(2, x(b.high) - x(b.low)), height: 8, rx: 4, class: "range" }),
      svg("text", { x: onLeft ? x(b.low) - 5 : x(b.high) + 5, y: y + 4, class: onLeft ? "tick end" : "tick" }, name));
  });
  drawing.append(
    svg("line", { x1: x(low), x2: x(0), y1: axis, y2: axis, class: "side second" }),
    svg("line", { x1: x(0), x2: x(high), y1: axis, y2: axis, class: "side first" }),
    svg("line", { x1: x(0), x2: x(0), y1: axis - 6, y2: axis + 6, class: "axis" }),
    bars.length > 0 ? svg("line", { x1: x(round.value), x2: x(round.value), y1: 2, y2: axis, class: "now" }) : "",
    svg("circle", { cx: x(round.value), cy: axis, r: 5, class: round.value > 0 ? "now-dot first" : "now-dot second" }),
    svg("text", { x: x(0), y: axis + 19, class: "tick middle" }, "0"),
    svg("text", { x: 4, y: axis + 19, class: "side-name second" }, cut(nameOf(round.pair[1]), x(0) - 16, SIDE_FONT)),
    svg("text", { x: width - 4, y: axis + 19, class: "side-name first end" }, cut(nameOf(round.pair[0]), width - x(0) - 16, SIDE_FONT)));
  return drawing;
}
