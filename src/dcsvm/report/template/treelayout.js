// Where the nodes of an opened tree stand.
//
// It grows to the right. A node stands in the column of its depth, as high as it can without
// touching what is there already, and never above its parent. The first edge of a node goes
// straight on, so that a path that is followed first becomes a straight line.

const BOX = { width: 164, height: report.classes.some((name) => name.length > 9) ? 56 : 42, across: 92, below: 10 };

// `opened` says how many edges of a node are shown, by its key: the nodes from the root to it.
// `path` are the nodes of the row that is followed; its edge comes first and is always shown.
function layOut(opened, path) {
  const bottom = [];
  const places = [];
  function place(id, key, depth, above, onPath, edge, parent) {
    const node = nodeOf(id);
    const at = { key, node, depth, onPath, edge, parent, x: depth * (BOX.width + BOX.across), y: Math.max(above, bottom[depth] || 0) };
    bottom[depth] = at.y + BOX.height + BOX.below;
    places.push(at);
    const most = opened.get(key) || 0;
    at.isOpen = most > 0;
    if (!at.isOpen) return at;
    const next = onPath ? path[depth + 1] : null;
    const shown = node.edges.slice(0, most);
    const along = node.edges.find((one) => one.target === next);
    const edges = along ? [along, ...shown.filter((one) => one !== along)] : shown;
    for (const one of edges) place(one.target, `${key}.${one.target}`, depth + 1, at.y, one === along, one, at);
    const missing = node.edges.filter((one) => !edges.includes(one));
    if (missing.length + node.hiddenChildren > 0) placeMore(at, missing);
    return at;
  }
  // What stands for the edges of a node that are not shown.
  function placeMore(parent, missing) {
    const depth = parent.depth + 1;
    const nRows = missing.reduce((sum, edge) => sum + edge.rows, 0) + parent.node.hiddenRows;
    const at = {
      key: `${parent.key}.more`, more: true, depth, parent, canShow: missing.length, rows: nRows,
      edges: missing.length + parent.node.hiddenChildren, x: depth * (BOX.width + BOX.across), y: Math.max(parent.y, bottom[depth] || 0),
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

// From the root always along the edge that most rows take.
function mostFrequentPath() {
  const path = [0];
  for (let edges = nodeOf(0).edges; edges.length > 0; edges = nodeOf(path[path.length - 1]).edges) path.push(edges[0].target);
  return path;
}
