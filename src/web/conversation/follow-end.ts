/** Keeps the end of a scrolled text in view while it was there, whatever takes room away; scrolled up, nothing moves. */

/** Closer to the end than this counts as at the end. */
const END_PIXELS = 48;

export function followEnd(scroller: HTMLElement): { isInView(): boolean } {
  let isAtEnd = true;
  let lastTop = 0;
  scroller.addEventListener("scroll", () => {
    const isUp = scroller.scrollTop < lastTop;
    lastTop = scroller.scrollTop;
    const isNear = scroller.scrollHeight - lastTop - scroller.clientHeight < END_PIXELS;
    // Only going up leaves the end: a card that appears below does not, although the end is out of view for a moment.
    if (isNear || isUp) isAtEnd = isNear;
  });
  new ResizeObserver(() => {
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  }).observe(scroller);
  return { isInView: () => isAtEnd };
}
