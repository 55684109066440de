// What the words on this page mean.

draw.words = (section, data) => {
  section.append(el("dl", { class: "words card" }, data.map(([word, meaning]) =>
    el("div", {}, el("dt", {}, word), el("dd", {}, meaning)))));
};
