/**
 * Keeps what is read where it is when something above it in the same row changes its height: tools that fold, a picture
 * that comes late, lines that break elsewhere in a narrower window. Rows that are out of view are the list's own care.
 */

/** After a scroll the place is taken anew, when nothing has moved for this long. */
const QUIET_MS = 100;
/** Less than this is rounding. */
const MOVED_PIXELS = 1;

export interface ScrollAnchorOptions {
  /** What grows inside of the scroller. */
  readonly content: HTMLElement;
  /** False while the end is followed, which is a place of its own. */
  readonly isWanted: () => boolean;
  /** The view was moved to where the place is now; whoever else keeps where it is would hear of it a frame later. */
  readonly onMoved: (top: number) => void;
}

interface Anchor {
  readonly node: Element;
  /** From the upper edge of the view. */
  readonly top: number;
}

/** Returns how to stop. Begun after the list, so that it sees what the list has not put right. */
export function anchorScroll(scroller: HTMLElement, { content, isWanted, onMoved }: ScrollAnchorOptions): () => void {
  let anchor: Anchor | undefined;
  let width = scroller.clientWidth;
  let again: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function pickAnchor(): void {
    const node = isWanted() ? firstInView(scroller) : undefined;
    anchor = node === undefined ? undefined : { node, top: topIn(scroller, node) };
  }
  /** Taken anew after each pixel that rounding costs, the place would wander off with a text that grows above it. */
  function isUnmoved({ node, top }: Anchor): boolean {
    return node.isConnected && Math.abs(topIn(scroller, node) - top) <= MOVED_PIXELS;
  }
  const onScroll = (): void => {
    // A text that became shorter by being wider moves the view as well, and that is nobody's wish.
    if (scroller.clientWidth !== width) return;
    if (anchor !== undefined && isUnmoved(anchor)) return;
    if (again === undefined) anchor = undefined;
    clearTimeout(timer);
    timer = setTimeout(pickAnchor, QUIET_MS);
  };
  function settle(): void {
    width = scroller.clientWidth;
    if (anchor === undefined || !isWanted()) return;
    if (!anchor.node.isConnected) return pickAnchor();
    const moved = topIn(scroller, anchor.node) - anchor.top;
    if (Math.abs(moved) <= MOVED_PIXELS) return;
    scroller.scrollTop += moved;
    onMoved(scroller.scrollTop);
    // The list may put its rows right from where the view was before this.
    again ??= requestAnimationFrame(() => {
      again = undefined;
      settle();
    });
  }
  const observer = new ResizeObserver(settle);
  observer.observe(scroller);
  observer.observe(content, { box: "border-box" });
  scroller.addEventListener("scroll", onScroll);
  return () => {
    clearTimeout(timer);
    if (again !== undefined) cancelAnimationFrame(again);
    observer.disconnect();
    scroller.removeEventListener("scroll", onScroll);
  };
}

/** The smallest thing that crosses the upper edge of the view, or is the first below it. */
function firstInView(scroller: HTMLElement): Element | undefined {
  const { top } = scroller.getBoundingClientRect();
  let deepest: Element | undefined;
  let inside = [...scroller.querySelectorAll(".row")];
  for (;;) {
    const next = inside.find((node) => node.getBoundingClientRect().bottom > top + 1);
    if (next === undefined) return deepest;
    deepest = next;
    inside = [...next.children];
  }
}

function topIn(scroller: HTMLElement, node: Element): number {
  return node.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}
