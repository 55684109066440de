// The All-Predictions table as a heat map: how each machine splits the rows of each class.

const UNDECIDED = 128;

async function inflate(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let t = 0; t < letters.length; t++) bytes[t] = letters.charCodeAt(t);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

draw.table = async (section, table) => {
  section.append(...tableWords(table));
  if (typeof DecompressionStream === "undefined") {
    section.append(el("p", { class: "notice" }, "This browser is too old to unpack the table."));
    return;
  }
  const cells = await inflate(table.cells);
  const pairs = allPairs();
  const machines = (table.shown || pairs.map((_, m) => m)).map((m, t) => ({ t, m, pair: pairs[m], asked: table.asked[t] }));
  const view = { order: "asked", of: -1 };
  let shown = orderMachines(machines, view);
  const at = (r, c) => cells[shown[r].t * nClasses + c];
  const heat = new HeatMap({
    label: "All-Predictions table. Arrow keys move from cell to cell.",
    rows: shown.length,
    columns: nClasses,
    rowName: (r) => machineName(shown[r].pair),
    columnName: nameOf,
    palette: tableColours,
    colour: (r, c, colours) => (at(r, c) & UNDECIDED ? colours.open : colours.sure)[at(r, c) & 127],
    mark: (r, c) => at(r, c) >= UNDECIDED,
    tip: (r, c) => cellTip(shown[r], c, at(r, c)),
    say: (r, c) => `${machineName(shown[r].pair)}, rows of ${nameOf(c)}: ${at(r, c) & 127} per cent to ${nameOf(shown[r].pair[0])}`,
  });
  const redraw = () => {
    shown = orderMachines(machines, view);
    heat.box.scrollTop = 0;
    heat.change({ rows: shown.length });
  };
  section.append(
    el("div", { class: "tools" },
      choice("Machines", [["asked", "most used first"], ["order", "in their order"]], view.order, (order) => {
        view.order = order;
        redraw();
      }),
      classPicker((c) => {
        view.of = c;
        redraw();
      }),
      heat.controls()),
    el("div", { class: "card flush" }, scrolling(heat.box)));
  heat.fit();
};

function tableWords(table) {
  const some = table.shown === null ? "" : ` Of ${whole(table.n_all)} machines, the ${whole(table.shown.length)} evaluated for most rows are in this page.`;
  return [
    el("p", { class: "explain" },
      "Each row is a machine, trained on two classes; each column is a class, and the colour the share of its training rows on either side. ",
      `A cell is undecided if a share above θ = ${brief(report.model.theta)} of the class is on either side: ${percent(table.undecided)} of all cells, here pale, and dotted where there is room.${some}`),
    el("p", { class: "legend" },
      el("span", { class: "key first" }, "to the first class"), el("span", { class: "key second" }, "to the second"),
      el("span", { class: "key open" }, "undecided")),
  ];
}

function tableColours() {
  const [first, second, paper] = ["--first", "--second", "--cell"].map(cssColour);
  const pale = (colour, n) => ramp(paper, colour, 100).slice(0, n);
  const open = Array.from({ length: 101 }, (_, p) => p);
  const toFirst = pale(first, 60);
  const toSecond = pale(second, 60);
  return {
    sure: open.map((p) => (p >= 50 ? first : second)),
    open: open.map((p) => (p >= 50 ? toFirst[Math.round(5 + (p - 50) * 0.8)] : toSecond[Math.round(5 + (50 - p) * 0.8)])),
  };
}

function orderMachines(machines, { order, of }) {
  const chosen = of < 0 ? [...machines] : machines.filter((one) => one.pair.includes(of));
  return order === "asked" ? chosen.sort((a, b) => b.asked - a.asked || a.m - b.m) : chosen;
}

function cellTip(machine, c, cell) {
  const share = cell & 127;
  const [i, j] = machine.pair;
  const exact = (p) => (p === 0 ? "none" : p === 100 ? "all" : `${p} %`);
  return [
    el("div", {}, el("b", {}, machineName(machine.pair))),
    el("div", {}, "training rows of ", el("b", {}, nameOf(c)), `: ${exact(share)} to ${nameOf(i)}, ${exact(100 - share)} to ${nameOf(j)}`),
    el("div", { class: "soft" }, `${cell >= UNDECIDED ? "undecided" : "decided"}; evaluated for ${count(machine.asked, "row")}`),
  ];
}

function classPicker(pick) {
  const options = [el("option", { value: -1 }, "all classes")];
  for (let c = 0; c < nClasses; c++) options.push(el("option", { value: c }, nameOf(c)));
  const select = el("select", { id: "table-class", on: { change: () => pick(Number(select.value)) } }, options);
  return el("div", { class: "choice" }, el("label", { for: "table-class" }, "Machines of "), select);
}
