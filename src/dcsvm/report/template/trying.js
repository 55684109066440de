// A form of all features, in which the reader changes values and sees class and path change.

const MOST_SCORES = 12;
const STEPS = 200;

draw.trying = async (section, data) => {
  if (data.reason) {
    section.append(el("p", { class: "explain", id: "no-form" }, `Values cannot be tried on this page. ${data.reason}`));
    return;
  }
  try {
    section.append(new TryForm(explorer, await PredictionModule.start()).box);
  } catch (error) {
    section.append(el("p", { class: "explain", id: "no-form" }, `Values cannot be tried: this browser does not run the model (${error.message}).`));
  }
};

class TryForm {
  constructor(explorer, module) {
    this.explorer = explorer;
    this.module = module;
    this.names = report.trying.names;
    this.fields = this.names.map((name, p) => this.field(name, p));
    this.verdict = el("div", { class: "verdict", "aria-live": "polite" });
    this.scores = el("div", { class: "try-scores" });
    this.rounds = el("ol", { class: "rounds" });
    this.origin = el("p", { class: "note" });
    this.box = el("div", {},
      el("p", { class: "explain" }, "Change the values of a row: the model itself, which is part of this page, predicts the class and shows the path."),
      el("div", { class: "trying" },
        el("div", { class: "card try-fields" }, el("h3", {}, "Values"), this.origin,
          el("div", { class: "choice" },
            el("button", { type: "button", id: "take-row", on: { click: () => this.take(this.explorer.row) } }, "Take the row chosen above"),
            el("button", { type: "button", id: "undo-values", on: { click: () => this.take(this.start) } }, "Undo all changes")),
          scrolling(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Values of the features" }, this.fields.map((field) => field.box)))),
        el("div", { class: "card path" }, this.verdict, this.scores,
          scrolling(el("div", { class: "scroll rounds-scroll", tabindex: 0, role: "group", "aria-label": "Rounds of these values" }, this.rounds)))));
    this.take(explorer.row);
  }

  field(name, p) {
    const { low, high, whole } = report.trying;
    const id = `value-${p}`;
    const step = whole[p] ? 1 : (high[p] - low[p]) / STEPS || "any";
    const change = (value) => {
      this.values[p] = value;
      this.write(p);
      this.predict();
    };
    const slider = el("input", { type: "range", min: low[p], max: high[p], step, "aria-label": `${name}, slider`, disabled: low[p] === high[p],
      on: { input: () => change(Number(slider.value)) } });
    const box = el("input", { type: "number", id, step: "any", placeholder: report.trying.may_miss ? "missing" : null,
      on: { input: () => box.value === "" && !report.trying.may_miss ? null : change(box.value === "" ? NaN : Number(box.value)) } });
    return { slider, number: box, box: el("div", { class: "try-field" }, el("label", { for: id, title: name }, name), slider, box) };
  }

  // Shows a value in both of its fields, but not in the one that the reader is typing in.
  write(p) {
    const { slider, number: box, box: line } = this.fields[p];
    const value = this.values[p];
    if (document.activeElement !== slider && !Number.isNaN(value)) slider.value = value;
    if (document.activeElement !== box) box.value = Number.isNaN(value) ? "" : Number(value.toPrecision(6));
    line.classList.toggle("changed", !Object.is(value, this.original[p]));
  }

  take(row) {
    this.start = row;
    this.original = this.module.valuesOf(row.t);
    this.values = [...this.original];
    this.before = this.module.predict(this.values).label;
    document.activeElement.blur();
    this.values.forEach((_, p) => this.write(p));
    this.predict();
  }

  predict() {
    const found = this.module.predict(this.values);
    const n = this.values.filter((value, p) => !Object.is(value, this.original[p])).length;
    this.origin.textContent = `From row ${whole(this.start.place)}; ${n === 0 ? "nothing is changed" : `${count(n, "value")} changed`}.`;
    const same = found.label === this.before;
    this.verdict.replaceChildren(
      el("h3", {}, "Class: ", el("span", { class: "label", id: "tried-label" }, nameOf(found.label)), " ",
        same ? null : el("span", { class: "badge bad" }, `before: ${nameOf(this.before)}`)),
      el("p", { class: "note" }, `${count(found.decisions.length, "decision")}.`));
    const reader = { truth: -1, predicted: found.label };
    this.rounds.replaceChildren(...found.rounds.map((round) => el("li", { class: "round" }, roundBody(reader, round))));
    this.showScores(found);
  }

  // The scores of the shortlist: its best classes, those that are dropped by them set off.
  showScores({ scores, droppedAt, label }) {
    if (report.model.shortlist === null) return;
    const best = scores.map((score, c) => [score, c]).sort((a, b) => b[0] - a[0]).slice(0, MOST_SCORES);
    const low = Math.min(...best.map(([score]) => score));
    const span = best[0][0] - low || 1;
    this.scores.replaceChildren(el("p", { class: "note" }, `Scores${scores.length > best.length ? ", the highest" : ""}:`),
      ...best.map(([score, c]) =>
        el("div", { class: `try-score${droppedAt[c] === 0 ? " out" : ""}${c === label ? " won" : ""}`, title: droppedAt[c] === 0 ? "dropped by its score" : null },
          el("span", { class: "name" }, nameOf(c)),
          el("span", { class: "try-bar" }, el("span", { class: "try-fill", style: { width: `${4 + (96 * (score - low)) / span}%` } })),
          el("span", { class: "value" }, brief(score)))));
  }
}
