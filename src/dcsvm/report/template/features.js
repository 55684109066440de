// The features of a row, each with a mark where the value lies among those of all rows shown.

class FeatureTable {
  constructor() {
    this.features = report.paths.features;
    this.body = el("tbody");
    this.note = el("p", { class: "note" });
    this.box = el("div", { class: "card features" }, el("h3", {}, "Its features"), this.note,
      scrolling(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Features" }, el("table", { class: "grid plain" }, this.body))));
    this.ranges = this.features && this.features.places === null ? columnRanges(this.features) : null;
    if (this.features === null) this.note.textContent = "The rows are given by kernel values, not by features.";
    else if (this.features.places) {
      this.note.textContent = `The ${this.features.places[0].length} of ${whole(this.features.names.length)} that stand out most.`;
    } else this.note.remove();
  }

  show(row) {
    if (this.features === null) return;
    const values = this.features.values[row.t];
    const places = this.features.places ? this.features.places[row.t] : values.keys();
    this.body.replaceChildren(...Array.from(places, (p, t) => this.line(p, values[t])));
  }

  line(p, value) {
    const text = value === null ? el("span", { class: "soft" }, "missing") : typeof value === "number" ? brief4(value) : value;
    return el("tr", {}, el("th", { scope: "row", title: this.features.names[p] }, this.features.names[p]),
      el("td", { title: typeof value === "string" ? value : null }, text), el("td", { class: "strip-cell" }, this.strip(p, value)));
  }

  strip(p, value) {
    const range = this.ranges && this.ranges[p];
    if (!range || typeof value !== "number") return null;
    const at = range[1] > range[0] ? (value - range[0]) / (range[1] - range[0]) : 0.5;
    return el("span", { class: "strip", title: `${brief4(range[0])} to ${brief4(range[1])}` },
      el("span", { class: "strip-mark", style: { left: `${100 * at}%` } }));
  }
}

function brief4(value) {
  return String(value).replace("-", "−");
}

function columnRanges({ names, values }) {
  return names.map((_, p) => {
    const numbers = values.map((row) => row[p]).filter((value) => typeof value === "number");
    return numbers.length === 0 ? null : [Math.min(...numbers), Math.max(...numbers)];
  });
}
