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
