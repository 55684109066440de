// The list of rows, the path of the chosen one, its features, and the decision structure if there
// is one: one choice for all.

let explorer = null; // which other sections lead to

draw.paths = (section) => {
  explorer = new Explorer(section);
  explorer.begin();
};

class Explorer {
  constructor(section) {
    this.section = section;
    this.list = new RowList((row) => this.choose(row));
    this.path = new RoundList((t) => this.tree?.mark(this.rounds[t].depth));
    this.features = new FeatureTable();
    this.tree = report.paths.tree === null ? null : new TreeView((depth) => this.path.markNode(depth, this.rounds));
    section.append(
      el("p", { class: "explain" }, "Choose a row to see its rounds: the machine, its value, which classes are dropped and why, and which are left."),
      el("div", { class: "explorer" }, this.list.box, this.path.box, this.features.box),
      this.tree === null ? "" : this.tree.box);
  }

  choose(row) {
    this.row = row;
    this.rounds = roundsOf(row);
    this.list.mark(row);
    this.path.show(row, this.rounds);
    this.features.show(row);
    this.tree?.follow(row.path);
    clearTimeout(this.naming);
    this.naming = setTimeout(() => this.nameInAddress(row), 400);
  }

  // Only when the reader rests at a row: browsers object to many changes in a short time.
  nameInAddress(row) {
    try {
      history.replaceState(null, "", `#row-${row.place}`);
    } catch {
      // Some browsers keep the address of a local file as it is.
    }
  }

  // Chooses a row that another section names, and goes there.
  open(row) {
    this.choose(row);
    this.list.reveal();
    this.section.scrollIntoView();
  }

  showPair(truth, predicted) {
    const first = this.list.showPair(truth, predicted);
    if (first) this.choose(first);
    this.section.scrollIntoView();
  }

  // The row that the address names, else the first wrong one, else the first.
  begin() {
    const named = /^#row-(\d+)$/.exec(location.hash);
    const asked = named && rows.find((row) => row.place === Number(named[1]));
    this.choose(asked || rows.find((row) => row.wrong) || rows[0]);
    this.list.reveal();
    if (asked) this.section.scrollIntoView();
  }
}
