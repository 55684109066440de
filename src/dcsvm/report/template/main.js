// Draws the page from top to bottom.

showSummary();
const explorer = new Explorer();
showConfusion((truth, predicted) => explorer.showPair(truth, predicted));
explorer.begin();
showThresholds();
byId("foot").append(`Written ${report.written} by dcsvm ${report.version}. This file is complete in itself and loads nothing.`);
Promise.all([showTable(), showForm(explorer)]).then(() => {
  document.documentElement.dataset.ready = "";
});
