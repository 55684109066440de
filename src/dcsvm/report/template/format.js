// Numbers and names as they are shown.

const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

function whole(value) {
  return grouped.format(value);
}

function count(n, one, many = `${one}s`) {
  return `${whole(n)} ${n === 1 ? one : many}`;
}

// Three significant digits, all of those before the point.
function brief(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) || Math.abs(value) >= 1000) return whole(value);
  return String(Number(value.toPrecision(3))).replace("-", "−");
}

function signed(value) {
  return (value > 0 ? "+" : "") + brief(value);
}

function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)} %`;
}

function duration(seconds) {
  if (seconds >= 1) return `${brief(seconds)} s`;
  return seconds >= 1e-3 ? `${brief(1e3 * seconds)} ms` : `${brief(1e6 * seconds)} µs`;
}

// How much less `ours` is than `theirs`.
function ratio(ours, theirs) {
  if (ours <= 0) return "none of the vote’s";
  const times = theirs / ours;
  if (times >= 9.5) return `1/${Math.round(times)} of the vote’s`;
  if (times >= 1.05) return `1/${times.toFixed(1)} of the vote’s`;
  return times > 0.95 ? "as much as the vote" : `${(1 / times).toFixed(1)} × the vote’s`;
}

const measuring = document.createElement("canvas").getContext("2d");
const known = new Map();

// A text cut to a width in pixels, with an ellipsis where something is missing.
function cut(text, width, font) {
  const key = `${font}|${width}|${text}`;
  if (!known.has(key)) known.set(key, cutNow(text, width, font));
  return known.get(key);
}

function cutNow(text, width, font) {
  measuring.font = font;
  if (measuring.measureText(text).width <= width) return text;
  let low = 0;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (measuring.measureText(`${text.slice(0, middle)}…`).width <= width) low = middle;
    else high = middle - 1;
  }
  return `${text.slice(0, low)}…`;
}
