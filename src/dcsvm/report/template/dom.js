// Making elements. Text always goes in as text: nothing here, or anywhere, parses HTML.

const SVG = "http://www.w3.org/2000/svg";

function el(tag, properties = {}, ...children) {
  return fill(document.createElement(tag), properties, children);
}

function svg(tag, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

// `on` holds listeners and `style` single styles, which the page's policy would not let stand in
// an attribute; null and false leave an attribute out.
function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "style") {
      for (const [key, one] of Object.entries(value)) node.style.setProperty(key, one);
    } else if (value !== null && value !== false && value !== undefined) {
      node.setAttribute(name, value === true ? "" : String(value));
    }
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

// A box that scrolls, in a frame that shows on which sides there is more.
function scrolling(box) {
  const sides = ["left", "right", "above", "below"];
  const frame = el("div", { class: "scrolling" }, box, sides.map((side) => el("span", { class: `more-${side}`, "aria-hidden": "true" })));
  const look = () => {
    const more = [
      box.scrollLeft > 2, box.scrollLeft + box.clientWidth < box.scrollWidth - 2,
      box.scrollTop > 2, box.scrollTop + box.clientHeight < box.scrollHeight - 2,
    ];
    sides.forEach((side, t) => frame.classList.toggle(`has-${side}`, more[t]));
  };
  box.addEventListener("scroll", look, { passive: true });
  const sizes = new ResizeObserver(look);
  sizes.observe(box);
  for (const inside of box.children) sizes.observe(inside);
  return frame;
}

function byId(id) {
  return document.getElementById(id);
}

// For readers of the page with a screen reader.
function announce(text) {
  byId("live").textContent = text;
}

function cssColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

// Calls `draw` again when the system changes between light and dark, and around printing, for
// which the page is light; `draw` is told whether it is for paper.
function redrawWithColours(draw) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => draw(false));
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.printing = "";
    draw(true);
  });
  addEventListener("afterprint", () => {
    delete document.documentElement.dataset.printing;
    draw(false);
  });
}

// A choice between a few words: buttons of which one is pressed.
function choice(label, options, chosen, pick) {
  const buttons = options.map(([value, text]) =>
    el("button", {
      type: "button",
      "aria-pressed": String(value === chosen),
      on: {
        click: () => {
          buttons.forEach((b, t) => b.setAttribute("aria-pressed", String(options[t][0] === value)));
          pick(value);
        },
      },
    }, text));
  return el("div", { class: "choice", role: "group", "aria-label": label }, el("span", {}, label), buttons);
}
