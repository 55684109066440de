// The one tooltip of the page.

const tooltip = byId("tooltip");
// A tip that the keyboard has brought stays when the page moves under an idle pointer.
let isOfKeyboard = false;

function showTip(content, x, y, ofKeyboard = false) {
  isOfKeyboard = ofKeyboard;
  tooltip.replaceChildren(...[content].flat());
  tooltip.hidden = false;
  const box = tooltip.getBoundingClientRect();
  const beyond = x + 16 + box.width > innerWidth;
  const below = y + 18 + box.height > innerHeight;
  tooltip.style.setProperty("left", `${Math.max(4, beyond ? x - 12 - box.width : x + 16)}px`);
  tooltip.style.setProperty("top", `${Math.max(4, below ? y - 10 - box.height : y + 18)}px`);
}

function hideTip() {
  tooltip.hidden = true;
}

function hideTipOfPointer() {
  if (!isOfKeyboard) hideTip();
}

// Shows a tip while the pointer or the focus is on an element.
function withTip(node, content) {
  node.addEventListener("pointermove", (event) => showTip(content(), event.clientX, event.clientY));
  node.addEventListener("pointerleave", hideTipOfPointer);
  node.addEventListener("focus", () => {
    if (!node.matches(":focus-visible")) return;
    const box = node.getBoundingClientRect();
    showTip(content(), box.left + Math.min(box.width, 160) / 2, box.bottom - 12, true);
  });
  node.addEventListener("blur", hideTip);
  return node;
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
});
addEventListener("scroll", hideTipOfPointer, { passive: true });
