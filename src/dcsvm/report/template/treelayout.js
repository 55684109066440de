// Where the nodes of an opened tree stand.
//
// It grows to the right. A node stands in the column of its depth, as high as it can without
// touching what is there already, and never above its parent. The first way of a node goes
// straight on, so that a path that is followed first becomes a straight line.

const BOX = { width: 164, height: report.classes.some((name) => name.length > 9) ? 56 : 42, across: 92, below: 10 };

// `opened` says how many ways of a node are shown, by its key: the nodes from the root to it.
// `path` are the nodes of the row that is followed; its way comes first and is always shown.
function layOut(opened, path) {
  const bottom = [];
  const places = [];
  function place(id, key, depth, above, onPath, way, parent) {
    const node = nodeOf(id);
    const at = { key, node, depth, onPath, way, parent, x: depth * (BOX.width + BOX.across), y: Math.max(above, bottom[depth] || 0) };
    bottom[depth] = at.y + BOX.height + BOX.below;
    places.push(at);
    const most = opened.get(key) || 0;
    at.isOpen = most > 0;
    if (!at.isOpen) return at;
    const next = onPath ? path[depth + 1] : null;
    const shown = node.ways.slice(0, most);
    const along = node.ways.find((one) => one.target === next);
    const ways = along ? [along, ...shown.filter((one) => one !== along)] : shown;
    for (const one of ways) place(one.target, `${key}.${one.target}`, depth + 1, at.y, one === along, one, at);
    const missing = node.ways.filter((one) => !ways.includes(one));
    if (missing.length + node.hiddenWays > 0) placeMore(at, missing);
    return at;
  }
  // What stands for the ways of a node that are not shown.
  function placeMore(parent, missing) {
    const depth = parent.depth + 1;
    const nRows = missing.reduce((sum, way) => sum + way.rows, 0) + parent.node.hiddenRows;
    const at = {
      key: `${parent.key}.more`, more: true, depth, parent, canShow: missing.length, rows: nRows,
      ways: missing.length + parent.node.hiddenWays, x: depth * (BOX.width + BOX.across), y: Math.max(parent.y, bottom[depth] || 0),
    };
    bottom[depth] = at.y + BOX.height + BOX.below;
    places.push(at);
  }
  place(0, "0", 0, 0, path !== null, null, null);
  return { places, width: Math.max(...places.map((p) => p.x)) + BOX.width, height: Math.max(...bottom.filter((y) => y !== undefined)) };
}

// The keys of all nodes along a path.
function keysAlong(path) {
  return path.map((_, t) => path.slice(0, t + 1).join("."));
}

// From the root always along the way that most rows take.
function hottestPath() {
  const path = [0];
  for (let ways = nodeOf(0).ways; ways.length > 0; ways = nodeOf(path[path.length - 1]).ways) path.push(ways[0].target);
  return path;
}
