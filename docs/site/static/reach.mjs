// What the theme leaves out for people with a keyboard or a screen reader: what scrolls can be reached
// and so be scrolled, captions of the navigation have a level.

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
