// The scores of the search over C and γ: a cell for every point.

draw.search = (section, found) => {
  const all = Math.max(...found.n_folds.flat());
  const known = found.scores.flat().filter((score) => score !== null).sort((a, b) => a - b);
  const best = found.scores[found.best[0]][found.best[1]];
  const lowest = known[Math.floor(known.length / 2)]; // hopeless corners are all of one colour
  const isBest = (r, c) => found.best[0] === r && found.best[1] === c;
  const givenUp = (r, c) => found.n_folds[r][c] < all;
  const name = (r, c) => `C = ${brief(found.Cs[c])}, ${found.settings[r]}`;
  const step = (score) => Math.round(100 * Math.max(0, Math.min(1, (score - lowest) / (best - lowest || 1))));
  const heat = new HeatMap({
    label: "Scores of the search. Arrow keys move from cell to cell.",
    rows: found.settings.length,
    columns: found.Cs.length,
    rowName: (r) => found.settings[r],
    columnName: (c) => brief(found.Cs[c]),
    palette: () => ramp(cssColour("--cell"), cssColour("--first"), 100),
    colour: (r, c, colours) => (found.scores[r][c] === null ? cssColour("--card") : colours[step(found.scores[r][c])]),
    mark: isBest,
    tip: (r, c) => [
      el("div", {}, el("b", {}, name(r, c))),
      el("div", {}, found.scores[r][c] === null ? "no score" : `mean score ${found.scores[r][c].toFixed(4)}${isBest(r, c) ? ", the best" : ""}`),
      givenUp(r, c) ? el("div", { class: "soft" }, `given up after ${count(found.n_folds[r][c], "fold")}`) : null,
    ],
    say: (r, c) => `${name(r, c)}: ${found.scores[r][c] === null ? "no score" : found.scores[r][c].toFixed(4)}`,
  });
  section.append(
    el("p", { class: "explain" },
      `${whole(known.length)} points were compared by cross-validation in ${count(all, "fold")}. The dot marks the best, ${name(...found.best)}, with a mean score of ${best.toFixed(4)}. `,
      "Columns are values of C, rows kernels with their γ. Points that could not win any more were given up after the first folds, and have the mean score of these."),
    el("div", { class: "tools" }, heat.controls()),
    el("div", { class: "card flush" }, scrolling(heat.box)));
  heat.fit();
};
