// The rows that can be followed, their rounds, and the nodes of the structure, as objects.

const rows = report.paths.rows.place.map((place, t) => {
  const truth = report.paths.rows.truth === null ? -1 : report.paths.rows.truth[t];
  const predicted = report.paths.rows.predicted[t];
  return {
    t,
    place,
    truth,
    predicted,
    wrong: truth >= 0 && truth !== predicted,
    second: report.paths.rows.explained[t].second,
    label: report.paths.rows.explained[t].label,
    evaluations: report.paths.rows.explained[t].evaluations,
    decisions: report.paths.rows.explained[t].rounds.filter((round) => round[0] === "m").length,
    path: report.paths.tree === null ? [] : report.paths.tree.paths[t],
  };
});

// The rounds of a row, each with the classes left after it, its place in the structure,
// and whether it drops the true class.
function roundsOf(row) {
  let left = Array.from({ length: nClasses }, (_, c) => c);
  let at = 0;
  return report.paths.rows.explained[row.t].rounds.map((told) => {
    const round = decodeRound(told, left);
    round.losesTruth = left.includes(row.truth) && !round.left.includes(row.truth);
    left = round.left;
    round.depth = at;
    if (!round.forVote) at += 1;
    return round;
  });
}

function decodeRound(told, before) {
  if (told[0] === "s") {
    const [, gap, left, near, behind] = told;
    return { kind: "scores", gap, left, out: near, numbers: behind, nOut: before.length - left.length };
  }
  if (told[0] === "v") return { kind: "vote", winner: told[1], votes: told[2], left: [told[1]] };
  const [, i, j, value, lost, aside, forVote, why, out, numbers] = told;
  const gone = new Set(out);
  if (lost !== null) gone.add(lost);
  return {
    kind: "machine", pair: [i, j], value, winner: value > 0 ? i : j, loser: value > 0 ? j : i,
    lost, aside, forVote: forVote === 1, why, out, numbers, left: before.filter((c) => !gone.has(c)),
  };
}

const nodes = new Map();

function nodeOf(id) {
  if (!nodes.has(id)) nodes.set(id, decodeNode(id));
  return nodes.get(id);
}

function decodeNode(id) {
  const [kind, pair, bits, meanLeft, n, purity, balance, score, edges, hidden] = report.paths.tree.nodes[id];
  return {
    id, kind, pair, bits, meanLeft, rows: n, purity, balance, score,
    edges: edges.map(([target, winner, through, low, high]) => ({ target, winner, rows: through, low, high })),
    hiddenChildren: hidden[0],
    hiddenRows: hidden[1],
  };
}

function classesOf(node) {
  const bytes = atob(node.bits);
  const classes = [];
  for (let c = 0; c < nClasses; c++) if ((bytes.charCodeAt(c >> 3) >> (c & 7)) & 1) classes.push(c);
  return classes;
}
