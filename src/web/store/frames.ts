/**
 * Asked any number of times, it draws at most every second frame: words are read no faster, and the other frame is for
 * keys and scrolling. A page that nobody sees has no frames and draws now and then.
 */
const HIDDEN_MS = 250;
/** A little less than two frames of a usual screen, so that the second one is taken. */
const REST_MS = 30;

export function createFrames(draw: () => void): { ask(): void } {
  let cancel: (() => void) | undefined;
  let drawnAt = -Infinity;
  function run(): void {
    cancel?.();
    cancel = undefined;
    drawnAt = performance.now();
    draw();
  }
  function atNextFrame(): void {
    const frame = requestAnimationFrame(() => (performance.now() - drawnAt < REST_MS ? atNextFrame() : run()));
    cancel = () => cancelAnimationFrame(frame);
  }
  document.addEventListener("visibilitychange", () => {
    if (cancel !== undefined) run();
  });
  return {
    ask() {
      if (cancel !== undefined) return;
      if (document.hidden) {
        const timer = setTimeout(run, HIDDEN_MS);
        cancel = () => clearTimeout(timer);
      } else atNextFrame();
    },
  };
}
