/**
 * Keeps what is read where it is when something above it in the same row changes its height: tools that fold, a picture
 * that comes late, lines that break elsewhere in a narrower window. Rows that are out of view are the list's own care.
 */

/** After a scroll the place is taken anew, when nothing has moved for this long. */
const QUIET_MS = 100;

/** Less than this is rounding. */
const MOVED_PIXELS = 1;

/** Keeps the end of a scrolled text in view while it was there, whatever takes room away; scrolled up, nothing moves. */

/** Closer to the end than this counts as at the end. */
const END_PIXELS = 48;

export interface EndFollower {
  /** Goes to the end and stays there. */
  join(): void;
  /** Stays where it is from now on. */
  leave(): void;
  isAtEnd(): boolean;
  stop(): void;
}

export interface FollowEndOptions {
  /** What grows inside of the scroller. */
  readonly content: HTMLElement;
  readonly onChange: (isAtEnd: boolean) => void;
  /** The view went along with the end; whoever else keeps where it is would hear of it a frame later. */
  readonly onMoved: (top: number) => void;
}

export function followEnd(scroller: HTMLElement, { content, onChange, onMoved }: FollowEndOptions): EndFollower {
  let isAtEnd = true;
  let handledAt = -Infinity;
  let lastTop = 0;
  let lastWidth = scroller.clientWidth;
  function set(next: boolean): void {
    if (next === isAtEnd) return;
    isAtEnd = next;
    // Whoever came to the end is there: what moves the view from now on is not the hand that led there.
    if (next) handledAt = -Infinity;
    onChange(next);
  }
  function settle(): void {
    lastWidth = scroller.clientWidth;
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  }
  const onScroll = (): void => {
    // In a wider window the text is shorter, and may end where it is read: nobody went to the end.
    if (scroller.clientWidth !== lastWidth) return;
    const isUp = scroller.scrollTop < lastTop - 1;
    lastTop = scroller.scrollTop;
    const isNear = scroller.scrollHeight - lastTop - scroller.clientHeight < END_PIXELS;
    // Only going up leaves the end: a card that appears below does not, although the end is out of view for a moment.
    if (isNear || (isUp && isByHand())) set(isNear);
  };
  const onHand = (event: Event): void => {
    if (isUpward(event)) handledAt = performance.now();
  };
  /** Rows that turn out smaller than guessed move the view up as well, and that is nobody's wish. */
  function isByHand(): boolean {
    return performance.now() - handledAt < HAND_MS;
  }
  const hands = ["wheel", "touchmove", "pointerdown", "pointermove", "keydown"] as const;
  for (const hand of hands) scroller.addEventListener(hand, onHand, { passive: true });
  // Before the list hears of it and draws rows that are higher than guessed: who came to the end was at the end.
  scroller.addEventListener("scroll", onScroll, { capture: true });
  const observer = new ResizeObserver(() => {
    settle();
    if (isAtEnd) onMoved(scroller.scrollTop);
  });
  observer.observe(scroller);
  // With its padding: what is not drawn stands for its room there.
  observer.observe(content, { box: "border-box" });
  settle();
  return {
    join() {
      set(true);
      settle();
    },
    leave: () => set(false),
    isAtEnd: () => isAtEnd,
    stop() {
      observer.disconnect();
      scroller.removeEventListener("scroll", onScroll, { capture: true });
      for (const hand of hands) scroller.removeEventListener(hand, onHand);
    },
  };
}

/** A scroll this soon after a wheel, a key or a pointer is what a person did. */
const HAND_MS = 1_000;

/** A wheel that goes down and a pointer that only passes over the text do not lead away from the end. */
function isUpward(event: Event): boolean {
  if (event instanceof WheelEvent) return event.deltaY < 0;
  return event.type !== "pointermove" || (event as PointerEvent).buttons !== 0;
}

interface ScrollAnchorOptions {
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
