/**
 * Scroll anchoring of the conversation. Keeps the reading position when something above it in the same row changes its
 * height: collapsing tools, late images, reflow. The list handles rows out of view.
 */

/** The anchor is chosen again after this pause in scrolling. */
const QUIET_MS = 100;

/** Smaller differences are rounding. */
const MOVED_PIXELS = 1;

/** Follows the end of a scrolled text while it is in view; scrolled up, nothing moves. */

/** Maximum distance from the end that counts as at the end. */
const END_PIXELS = 48;

export interface EndFollower {
  /** Scrolls to the end and follows it. */
  join(): void;
  /** Stops following. */
  leave(): void;
  isAtEnd(): boolean;
  stop(): void;
}

export interface FollowEndOptions {
  /** The growing element inside the scroller. */
  readonly content: HTMLElement;
  readonly onChange: (isAtEnd: boolean) => void;
  /** Called when the view followed the end; other observers would learn of it a frame later. */
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
    // At the end: later movement is not the user's.
    if (next) handledAt = -Infinity;
    onChange(next);
  }
  function settle(): void {
    lastWidth = scroller.clientWidth;
    if (isAtEnd) scroller.scrollTop = scroller.scrollHeight;
  }
  const onScroll = (): void => {
    // In a wider window the text is shorter and may end in view: the user did not scroll there.
    if (scroller.clientWidth !== lastWidth) return;
    const isUp = scroller.scrollTop < lastTop - 1;
    lastTop = scroller.scrollTop;
    const isNear = scroller.scrollHeight - lastTop - scroller.clientHeight < END_PIXELS;
    // Only scrolling up leaves the end: a card that appears below does not, although the end is briefly out of view.
    if (isNear || (isUp && isByHand())) set(isNear);
  };
  const onHand = (event: Event): void => {
    if (isUpward(event)) handledAt = performance.now();
  };
  /** Rows smaller than estimated also move the view up, which is no user input. */
  function isByHand(): boolean {
    return performance.now() - handledAt < HAND_MS;
  }
  const hands = ["wheel", "touchmove", "pointerdown", "pointermove", "keydown"] as const;
  for (const hand of hands) scroller.addEventListener(hand, onHand, { passive: true });
  // Captured before the list renders rows taller than estimated: the user was at the end.
  scroller.addEventListener("scroll", onScroll, { capture: true });
  const observer = new ResizeObserver(() => {
    settle();
    if (isAtEnd) onMoved(scroller.scrollTop);
  });
  observer.observe(scroller);
  // Including its padding, which stands for rows that are not rendered.
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

/** A scroll this soon after wheel, key or pointer input is the user's. */
const HAND_MS = 1_000;

/** A wheel down or a pointer that only moves does not lead away from the end. */
function isUpward(event: Event): boolean {
  if (event instanceof WheelEvent) return event.deltaY < 0;
  return event.type !== "pointermove" || (event as PointerEvent).buttons !== 0;
}

interface ScrollAnchorOptions {
  /** The growing element inside the scroller. */
  readonly content: HTMLElement;
  /** False while the end is followed. */
  readonly isWanted: () => boolean;
  /** Called when the view was moved to the anchor; other observers would learn of it a frame later. */
  readonly onMoved: (top: number) => void;
}

interface Anchor {
  readonly node: Element;
  /** Distance from the upper edge of the view. */
  readonly top: number;
}

/** Returns the stop function. Started after the list, to see what the list has not adjusted. */
export function anchorScroll(scroller: HTMLElement, { content, isWanted, onMoved }: ScrollAnchorOptions): () => void {
  let anchor: Anchor | undefined;
  let width = scroller.clientWidth;
  let again: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  function pickAnchor(): void {
    const node = isWanted() ? firstInView(scroller) : undefined;
    anchor = node === undefined ? undefined : { node, top: topIn(scroller, node) };
  }
  /** Choosing the anchor again after each rounding error would make it drift. */
  function isUnmoved({ node, top }: Anchor): boolean {
    return node.isConnected && Math.abs(topIn(scroller, node) - top) <= MOVED_PIXELS;
  }
  const onScroll = (): void => {
    // Text that reflows to fewer lines moves the view too, which is no user input.
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
    // The list may adjust its rows from the old offset.
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

/** The smallest element that crosses the upper edge of the view, or the first below it; never one that sticks there. */
function firstInView(scroller: HTMLElement): Element | undefined {
  const { top } = scroller.getBoundingClientRect();
  let deepest: Element | undefined;
  let inside = [...scroller.querySelectorAll(".row")];
  for (;;) {
    const next = inside.find((node) => node.getBoundingClientRect().bottom > top + 1 && !isSticky(node));
    if (next === undefined) return deepest;
    deepest = next;
    inside = [...next.children];
  }
}

/** The head of an answer stays in view and says nothing about where its text is. */
function isSticky(node: Element): boolean {
  return getComputedStyle(node).position === "sticky";
}

function topIn(scroller: HTMLElement, node: Element): number {
  return node.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
}
