// Draws the page from top to bottom.

const parts = [...document.querySelectorAll("main > section")];
const drawn = parts.map((section) => draw[section.id](section, report[section.id]));
byId("foot").append(`Written ${report.written} by dcsvm ${report.version}. This file is complete in itself and loads nothing.`);
Promise.all(drawn).then(() => {
  document.documentElement.dataset.ready = "";
});
