// From numbers to pixels, and the numbers that are written beside an axis.

function logTicks(low, high) {
  const ticks = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) ticks.push(10 ** e);
  const within = (list) => list.filter((t) => t >= low && t <= high);
  if (within(ticks).length >= 3) return within(ticks);
  const finer = within(ticks.flatMap((t) => [t, 2 * t, 5 * t]));
  return finer.length >= 2 ? finer : evenTicks(low, high);
}

function evenTicks(low, high) {
  const rough = (high - low) / 4;
  const unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * unit).find((n) => n >= rough);
  const ticks = [];
  for (let t = Math.ceil(low / step); t * step <= high + 1e-12; t++) ticks.push(t * step);
  return ticks;
}

// A scale from numbers to pixels. Zero has no logarithm: it stands at half the least number.
function scaleOf(values, from, to, log) {
  const least = Math.min(...values.filter((v) => v > 0), Infinity);
  const floor = values.some((v) => v === 0) ? least / 2 : least;
  const of = (v) => (log ? Math.log10(Math.max(v, floor)) : v);
  let low = Math.min(...values.map(of));
  let high = Math.max(...values.map(of));
  const pad = (high - low || (log ? 1 : 0.02)) * 0.07;
  low -= pad;
  high += pad;
  if (!log) high = Math.max(low + 1e-9, high);
  const at = (v) => from + ((of(v) - low) / (high - low)) * (to - from);
  const ticks = log ? logTicks(10 ** low, 10 ** high) : evenTicks(low, high);
  return { at, ticks, name: brief };
}
