// The model as a WebAssembly module: rows in, the class and the path out.

class PredictionModule {
  static async start() {
    const { instance } = await WebAssembly.instantiate(bytesOf(report.trying.module));
    return new PredictionModule(instance.exports);
  }

  constructor(engine) {
    this.engine = engine;
    this.buffer = engine.memory.buffer;
    const names = new Uint8Array(this.buffer, engine.names(), engine.names_length());
    const { real } = JSON.parse(new TextDecoder().decode(names));
    this.Numbers = real === "float" ? Float32Array : Float64Array;
    this.row = new this.Numbers(this.buffer, engine.row(), engine.n_features());
    this.rows = new this.Numbers(bytesOf(report.trying.rows).buffer);
  }

  // The features of one of the rows of the page.
  valuesOf(t) {
    return Array.from(this.rows.subarray(t * this.row.length, (t + 1) * this.row.length));
  }

  predict(values) {
    this.row.set(values);
    const label = this.engine.predict_with_path();
    const n = this.engine.n_decisions();
    const told = new DataView(this.buffer, this.engine.decisions(), 16 * n);
    const decisions = Array.from({ length: n }, (_, t) => ({
      pair: [told.getInt32(16 * t, true), told.getInt32(16 * t + 4, true)],
      value: told.getFloat64(16 * t + 8, true),
    }));
    const droppedAt = Array.from(new Int32Array(this.buffer, this.engine.dropped_at(), nClasses));
    const scores = Array.from(new Float32Array(this.buffer, this.engine.scores(), nClasses));
    return { label, scores, droppedAt, decisions, rounds: roundsOfPath(decisions, droppedAt, scores, this.engine.n_rounds()) };
  }
}

function bytesOf(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

// The same rounds as `roundsOf` gives for the rows of the page, without the ranges of values.
function roundsOfPath(decisions, droppedAt, scores, nRounds) {
  const all = droppedAt.map((_, c) => c);
  const leftAfter = (t) => all.filter((c) => droppedAt[c] < 0 || droppedAt[c] > t);
  const rounds = [];
  if (report.model.shortlist !== null) {
    const best = Math.max(...scores);
    const out = all.filter((c) => droppedAt[c] === 0).sort((a, b) => scores[b] - scores[a]);
    rounds.push({ kind: "scores", gap: report.model.gap, left: leftAfter(0), out, numbers: out.map((c) => best - scores[c]), nOut: out.length });
  }
  decisions.forEach(({ pair, value }, t) => {
    const [winner, loser] = value > 0 ? pair : [pair[1], pair[0]];
    const lost = droppedAt[loser] === t + 1;
    rounds.push({
      kind: "machine", pair, value, winner, loser, forVote: t >= nRounds,
      lost: lost ? loser : null, aside: lost ? null : loser, why: "value", numbers: [],
      out: all.filter((c) => droppedAt[c] === t + 1 && c !== loser), left: leftAfter(t + 1),
    });
  });
  const voters = leftAfter(decisions.length);
  if (voters.length > 1) rounds.push(finalVote(voters, decisions, droppedAt));
  return rounds;
}

function finalVote(voters, decisions, droppedAt) {
  const votes = new Map(voters.map((c) => [c, 0]));
  for (const { pair, value } of decisions) {
    if (pair.every((c) => votes.has(c))) {
      const winner = value > 0 ? pair[0] : pair[1];
      votes.set(winner, votes.get(winner) + 1);
    }
  }
  const winner = voters.find((c) => droppedAt[c] < 0);
  return { kind: "vote", winner, votes: [...votes], left: [winner] };
}
