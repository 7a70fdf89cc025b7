// Accessibility that the theme lacks for users of a keyboard or a screen reader: scrollable boxes can be
// focused, and captions of the navigation have a level.

for (const caption of document.querySelectorAll("p.caption[role=heading]")) {
  caption.ariaLevel = "2";
}

const boxes = new ResizeObserver((entries) => {
  for (const { target } of entries) {
    if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
    else target.removeAttribute("tabindex");
  }
});
for (const box of document.querySelectorAll("pre, .table-wrapper")) boxes.observe(box);
