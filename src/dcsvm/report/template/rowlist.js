// The list of rows, which can be narrowed to wrong ones, to a class, or to a confused pair.

class RowList {
  constructor(choose) {
    this.choose = choose;
    this.pair = null;
    this.wrong = el("input", { type: "checkbox", id: "wrong-only", on: { change: () => this.show() } });
    this.search = el("input", { type: "search", placeholder: "class or row", "aria-label": "Search by class or row number", on: { input: () => this.show() } });
    this.note = el("p", { class: "note", id: "row-note" });
    this.list = el("ul", { class: "rows", "aria-label": "Rows", on: { keydown: (event) => this.key(event) } });
    this.filter = el("div", { class: "pair-filter", hidden: true });
    this.items = rows.map((row) => this.item(row));
    this.box = el("div", { class: "card rowlist" },
      el("h3", {}, "Choose a row"),
      el("div", { class: "row-tools" }, this.search,
        rows.some((row) => row.wrong) ? el("label", { for: "wrong-only" }, this.wrong, " wrong only") : null),
      this.filter, this.note,
      el("div", { class: "row row-head", "aria-hidden": "true" }, el("span", { class: "place" }, "row"),
        el("span", {}, report.paths.rows.truth === null ? "predicted" : "class → predicted"), el("span", {}, "decisions")),
      scrolling(this.list));
    this.show();
  }

  item(row) {
    const told = row.truth < 0
      ? [el("span", { class: "answer" }, nameOf(row.predicted))]
      : row.wrong
        ? [el("span", {}, nameOf(row.truth)), el("span", { class: "arrow" }, " → "), el("span", { class: "answer" }, nameOf(row.predicted))]
        : [el("span", { class: "answer" }, nameOf(row.truth))];
    const words = row.truth < 0 ? "" : row.wrong ? `true ${nameOf(row.truth)}, predicted ${nameOf(row.predicted)}` : "right";
    return el("li", {},
      el("button", { type: "button", class: row.wrong ? "row wrong" : "row", "data-row": row.t, title: words, tabindex: -1, on: { click: () => this.choose(row) } },
        el("span", { class: "place" }, whole(row.place)),
        el("span", { class: "labels" }, told),
        el("span", { class: "cost", title: count(row.decisions, "decision") }, String(row.decisions))));
  }

  matches(row) {
    if (this.wrong.checked && !row.wrong) return false;
    if (this.pair) return row.truth === this.pair[0] && row.predicted === this.pair[1];
    const sought = this.search.value.trim().toLowerCase();
    if (sought === "" || String(row.place) === sought) return true;
    const named = (c) => c >= 0 && nameOf(c).toLowerCase();
    const names = [named(row.truth), named(row.predicted)].filter(Boolean);
    // A class of just that name is meant rather than all that contain it.
    const exact = report.classes.some((name) => name.toLowerCase() === sought);
    return names.some((name) => (exact ? name === sought : name.includes(sought)));
  }

  show() {
    this.shown = rows.filter((row) => this.matches(row));
    this.list.replaceChildren(...this.shown.map((row) => this.items[row.t]));
    const { n_rows: all } = report.model;
    const nWrong = report.paths.rows.n_wrong;
    const here = rows.filter((row) => row.wrong).length;
    const wrongs = nWrong === null ? "" : `, with ${here === nWrong ? "all" : `${whole(here)} of`} ${whole(nWrong)} wrong ones`;
    const some = rows.length < all ? `${whole(rows.length)} of ${whole(all)} rows are in this page${wrongs}` : `${count(all, "row")}${nWrong === null ? "" : `, ${whole(nWrong)} wrong`}`;
    this.note.textContent = this.shown.length === rows.length ? `${some}.` : `${whole(this.shown.length)} shown; ${some}.`;
    this.mark();
  }

  showPair(truth, predicted) {
    this.pair = [truth, predicted];
    this.wrong.checked = false;
    this.search.value = "";
    this.filter.hidden = false;
    const clear = () => {
      this.pair = null;
      this.filter.hidden = true;
      this.show();
    };
    this.filter.replaceChildren(
      el("span", {}, `${nameOf(truth)} → ${nameOf(predicted)}`),
      el("button", { type: "button", "aria-label": "Show all rows again", on: { click: clear } }, "×"));
    this.show();
    return this.shown[0] || null;
  }

  // Marks the chosen row; the only one in the list that Tab stops at.
  mark(row = this.chosen) {
    this.chosen = row;
    const stop = row && this.shown.includes(row) ? row : this.shown[0];
    for (const one of this.shown) {
      const button = this.items[one.t].firstChild;
      button.setAttribute("aria-current", String(one === row));
      button.tabIndex = one === stop ? 0 : -1;
    }
  }

  // Scrolls the list alone, not the page.
  reveal() {
    if (!this.chosen || !this.shown.includes(this.chosen)) return;
    const item = this.items[this.chosen.t];
    const above = item.offsetTop - this.list.offsetTop;
    if (above < this.list.scrollTop || above + item.offsetHeight > this.list.scrollTop + this.list.clientHeight) {
      this.list.scrollTop = above - this.list.clientHeight / 3;
    }
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const at = this.shown.findIndex((row) => this.items[row.t].contains(document.activeElement));
    const next = this.shown[at + step];
    if (!next) return;
    event.preventDefault();
    this.choose(next);
    this.items[next.t].firstChild.focus({ preventScroll: true });
    this.reveal();
  }
}
