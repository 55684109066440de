// What the page is about: the data block, and the names of classes and machines.

const report = JSON.parse(byId("data").textContent);
const nClasses = report.n_classes;
// How each section is drawn: a function of its element and its data, by the name of the section.
const draw = {};

function nameOf(c) {
  if (c < 0) return "no label";
  const name = report.classes[c];
  return name.trim() === "" ? "(empty)" : name;
}

function namesOf(classes, most) {
  const named = classes.slice(0, most).map(nameOf).join(", ");
  return classes.length > most ? `${named} and ${whole(classes.length - most)} more` : named;
}

function machineName(pair) {
  return `${nameOf(pair[0])} vs ${nameOf(pair[1])}`;
}

// The machines in their order: (0, 1), (0, 2), … (k − 2, k − 1).
function allPairs() {
  const pairs = [];
  for (let i = 0; i < nClasses; i++) for (let j = i + 1; j < nClasses; j++) pairs.push([i, j]);
  return pairs;
}
