// A matrix of coloured cells on a canvas, with names that stay in sight while it scrolls.
//
// Only what is in sight is painted, so that ten thousand rows are no more work than fifty. The
// canvas sticks to the corner of a scrolling box whose inside has the size of the whole matrix.

const LABEL_FONT = "11px system-ui, sans-serif";
const LABEL_GAP = 6;
const PAPER_WIDTH = 660;
const TEXT_HEIGHT = 20;

class HeatMap {
  // options: label, rows, columns, rowName(r), columnName(c), tip(r, c), say(r, c), pick(r, c);
  // palette() -> colours as they are now, and colour(r, c, palette);
  // mark(r, c) -> whether a dot marks the cell; text(r, c) -> [what large cells say, whether on a
  // strong colour] or null; square -> whether cells are as high as wide
  constructor(options) {
    this.options = options;
    this.cell = { width: 12, height: 12 };
    this.cursor = null;
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.inside = el("div", { class: "heat-inside" }, this.canvas);
    this.box = el("div", { class: "heat", tabindex: 0, role: "application", "aria-label": options.label }, this.inside);
    this.box.addEventListener("scroll", () => this.draw(), { passive: true });
    this.box.addEventListener("pointermove", (event) => this.hover(event));
    this.box.addEventListener("pointerleave", () => this.byKeyboard || this.leave());
    this.box.addEventListener("click", (event) => this.click(event));
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("blur", () => this.leave());
    new ResizeObserver(() => this.draw()).observe(this.box);
    this.paint = this.paint.bind(this);
    redrawWithColours((onPaper) => this.turnTo(onPaper));
  }

  // Room for names, as much as they need within reason.
  measure() {
    const { rows, columns, rowName, columnName } = this.options;
    measuring.font = LABEL_FONT;
    const longest = (n, name, most) => {
      let width = 10;
      for (let t = 0; t < n && width < most; t += Math.max(1, Math.floor(n / 200))) {
        width = Math.max(width, measuring.measureText(name(t)).width);
      }
      return Math.ceil(Math.min(width, most)) + 2 * LABEL_GAP;
    };
    const most = Math.max(60, Math.min(230, this.box.clientWidth * 0.3));
    this.left = longest(rows, rowName, most);
    this.top = longest(columns, columnName, 120);
  }

  // Cells as large as the box allows, but not too large or too small.
  fit() {
    this.measure();
    const { rows, columns, square } = this.options;
    const room = Math.min(0.78 * innerHeight, 860) - this.top - 2; // the height that the styles allow
    const width = (this.box.clientWidth - this.left - 2) / columns;
    this.cell.width = Math.max(5, Math.min(square ? Math.max(14, room / rows) : 44, 56, width));
    this.cell.height = square ? this.cell.width : Math.max(12, Math.min(22, room / rows));
    this.resize();
  }

  // On paper there is no scrolling: all cells are painted, small, unless there are very many.
  turnTo(onPaper) {
    const { rows, columns, square } = this.options;
    if (onPaper && rows <= 400) {
      this.onScreen = this.cell;
      const width = Math.min(this.cell.width, Math.max(2, (PAPER_WIDTH - this.left) / columns));
      this.cell = { width, height: square ? width : Math.min(this.cell.height, Math.max(2.5, PAPER_WIDTH / rows)) };
      this.box.classList.add("on-paper");
    } else if (this.onScreen) {
      this.cell = this.onScreen;
      this.onScreen = null;
      this.box.classList.remove("on-paper");
    }
    if (this.left !== undefined) this.resize();
    this.paint();
  }

  zoom(factor) {
    const bounded = (size) => Math.max(2, Math.min(60, size * factor));
    this.cell = { width: bounded(this.cell.width), height: bounded(this.cell.height) };
    this.resize();
  }

  resize() {
    const { rows, columns } = this.options;
    this.inside.style.setProperty("width", `${Math.ceil(this.left + columns * this.cell.width + 1)}px`);
    this.inside.style.setProperty("height", `${Math.ceil(this.top + rows * this.cell.height + 1)}px`);
    this.draw();
  }

  // The cells in sight, as [first, last) of rows and columns.
  sight() {
    const { rows, columns } = this.options;
    const within = (from, length, size, n) => [
      Math.max(0, Math.floor(from / size)),
      Math.min(n, Math.ceil((from + length) / size)),
    ];
    return {
      r: within(this.scrolled.y, this.height - this.top, this.cell.height, rows),
      c: within(this.scrolled.x, this.width - this.left, this.cell.width, columns),
    };
  }

  // Many reasons to draw in one frame are one.
  draw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(this.paint);
  }

  paint() {
    if (this.left === undefined || this.box.clientWidth === 0) return;
    const scale = devicePixelRatio || 1;
    this.width = Math.min(this.box.clientWidth, this.inside.offsetWidth);
    this.height = Math.min(this.box.clientHeight, this.inside.offsetHeight);
    this.canvas.width = Math.round(this.width * scale);
    this.canvas.height = Math.round(this.height * scale);
    this.canvas.style.setProperty("width", `${this.width}px`);
    this.canvas.style.setProperty("height", `${this.height}px`);
    const context = this.canvas.getContext("2d");
    context.scale(scale, scale);
    context.fillStyle = cssColour("--card");
    context.fillRect(0, 0, this.width, this.height);
    // Read once: to ask the box for each cell takes longer than to paint it.
    this.scrolled = { x: this.box.scrollLeft, y: this.box.scrollTop };
    const sight = this.sight();
    this.drawCells(context, sight);
    this.drawNames(context, sight);
  }

  corner(r, c) {
    return [
      this.left + c * this.cell.width - this.scrolled.x,
      this.top + r * this.cell.height - this.scrolled.y,
    ];
  }

  drawCells(context, sight) {
    const { palette, colour, mark, text } = this.options;
    const { width, height } = this.cell;
    const colours = palette();
    const gap = Math.min(width, height) >= 9 ? 1 : 0;
    context.save();
    context.beginPath();
    context.rect(this.left, this.top, this.width, this.height);
    context.clip();
    const dot = cssColour("--ink");
    for (let r = sight.r[0]; r < sight.r[1]; r++) {
      for (let c = sight.c[0]; c < sight.c[1]; c++) {
        const [x, y] = this.corner(r, c);
        context.fillStyle = colour(r, c, colours);
        // Without gaps cells overlap a little, lest thin lines shine through.
        context.fillRect(x, y, width - gap + (gap ? 0 : 0.6), height - gap + (gap ? 0 : 0.6));
        if (text && height >= TEXT_HEIGHT) this.write(context, text(r, c), x + width / 2, y + height / 2);
        if (mark && gap && mark(r, c)) {
          context.fillStyle = dot;
          context.fillRect(x + width / 2 - 1.5, y + height / 2 - 1.5, 2, 2);
        }
      }
    }
    if (this.cursor) {
      const [x, y] = this.corner(this.cursor.r, this.cursor.c);
      context.lineWidth = 2;
      context.strokeStyle = dot;
      context.strokeRect(x - 0.5, y - 0.5, width, height);
    }
    context.restore();
  }

  write(context, told, x, y) {
    if (told === null) return;
    context.font = LABEL_FONT;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.fillStyle = cssColour(told[1] ? "--card" : "--ink");
    context.fillText(told[0], x, y + 0.5);
  }

  drawNames(context, sight) {
    const { rowName, columnName } = this.options;
    const every = (size) => Math.max(1, Math.ceil(11 / size));
    context.font = LABEL_FONT;
    context.textBaseline = "middle";
    const name = (text, x, y, turned, strong) => {
      context.save();
      context.translate(x, y);
      if (turned) context.rotate(-Math.PI / 2);
      context.textAlign = turned ? "left" : "right";
      const shown = cut(text, (turned ? this.top : this.left) - 2 * LABEL_GAP, LABEL_FONT);
      if (strong) {
        const wide = context.measureText(shown).width;
        context.fillStyle = cssColour("--ink");
        context.fillRect(turned ? -3 : -wide - 3, -7.5, wide + 6, 15);
      }
      context.fillStyle = cssColour(strong ? "--card" : "--soft");
      context.fillText(shown, 0, 0.5);
      context.restore();
    };
    const along = (axis, index) => {
      const [x, y] = this.corner(axis === "r" ? index : 0, axis === "c" ? index : 0);
      const strong = this.cursor !== null && this.cursor[axis] === index;
      if (axis === "r") name(rowName(index), this.left - LABEL_GAP, y + this.cell.height / 2, false, strong);
      else name(columnName(index), x + this.cell.width / 2, this.top - LABEL_GAP, true, strong);
    };
    const strip = (axis, size, x, y, width, height) => {
      context.save();
      context.beginPath();
      // The name of a first cell that is lower than a letter reaches a little beyond it.
      const beyond = this.scrolled[axis === "r" ? "y" : "x"] < 1 ? 7 : 0;
      context.rect(x - (axis === "c" ? beyond : 0), y - (axis === "r" ? beyond : 0), width + beyond, height + beyond);
      context.clip();
      const step = every(size);
      const [first, last] = sight[axis];
      for (let t = first - (first % step); t < last; t += step) along(axis, t);
      if (this.cursor !== null) along(axis, this.cursor[axis]);
      context.restore();
    };
    strip("r", this.cell.height, 0, this.top, this.left, this.height - this.top);
    strip("c", this.cell.width, this.left, 0, this.width - this.left, this.top);
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - this.left + this.box.scrollLeft) / this.cell.width);
    const r = Math.floor((event.clientY - box.top - this.top + this.box.scrollTop) / this.cell.height);
    const { rows, columns } = this.options;
    const inHeader = event.clientX - box.left < this.left || event.clientY - box.top < this.top;
    return inHeader || r < 0 || c < 0 || r >= rows || c >= columns ? null : { r, c };
  }

  hover(event) {
    if (event.movementX === 0 && event.movementY === 0) return; // the page moved, not the pointer
    const cell = this.cellAt(event);
    this.byKeyboard = false;
    const same = cell && this.cursor && cell.r === this.cursor.r && cell.c === this.cursor.c;
    this.cursor = cell;
    if (!same) this.draw();
    this.box.classList.toggle("can-pick", cell !== null && Boolean(this.options.pick));
    if (cell) showTip(this.options.tip(cell.r, cell.c), event.clientX, event.clientY);
    else hideTip();
  }

  leave() {
    this.byKeyboard = false;
    this.cursor = null;
    hideTip();
    this.draw();
  }

  click(event) {
    const cell = this.cellAt(event);
    if (cell && this.options.pick) this.options.pick(cell.r, cell.c);
  }

  key(event) {
    const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const { rows, columns, pick } = this.options;
    if (event.key === "+" || event.key === "-") this.zoom(event.key === "+" ? 1.25 : 0.8);
    else if (event.key === "Enter" && this.cursor && pick) pick(this.cursor.r, this.cursor.c);
    else if (moves[event.key]) {
      const from = this.cursor || { r: -moves[event.key][0], c: -moves[event.key][1] };
      this.goTo(
        Math.max(0, Math.min(rows - 1, from.r + moves[event.key][0])),
        Math.max(0, Math.min(columns - 1, from.c + moves[event.key][1])),
      );
    } else return;
    event.preventDefault();
  }

  goTo(r, c) {
    const bring = (from, size, room, scroll) => Math.max(from + size - room, Math.min(from, scroll));
    this.cursor = { r, c };
    this.byKeyboard = true;
    this.box.scrollTop = bring(r * this.cell.height, this.cell.height, this.height - this.top, this.box.scrollTop);
    this.box.scrollLeft = bring(c * this.cell.width, this.cell.width, this.width - this.left, this.box.scrollLeft);
    this.paint();
    const [x, y] = this.corner(r, c);
    const box = this.canvas.getBoundingClientRect();
    showTip(this.options.tip(r, c), box.left + x + this.cell.width, box.top + y + this.cell.height, true);
    announce(this.options.say(r, c));
  }

  // Other rows or columns, or other names.
  change(options) {
    Object.assign(this.options, options);
    this.cursor = null;
    this.measure();
    this.resize();
  }

  controls() {
    const button = (text, label, act) => el("button", { type: "button", "aria-label": label, title: label, on: { click: act } }, text);
    return el("div", { class: "choice", role: "group", "aria-label": "Size of cells" },
      el("span", {}, "Zoom"),
      button("−", "Smaller cells", () => this.zoom(0.8)),
      button("+", "Larger cells", () => this.zoom(1.25)),
      button("Fit", "Fit to the page", () => this.fit()));
  }
}

// n + 1 colours from one to another, both of the form #rrggbb.
function ramp(from, to, n) {
  const part = (colour, t) => parseInt(colour.slice(1 + 2 * t, 3 + 2 * t), 16);
  const mix = (share) => [0, 1, 2].map((t) => Math.round(part(from, t) + (part(to, t) - part(from, t)) * share));
  return Array.from({ length: n + 1 }, (_, t) => `rgb(${mix(t / n).join(",")})`);
}
