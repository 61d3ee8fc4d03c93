/** Asked any number of times, it draws once a frame. A page that nobody sees has no frames and draws now and then. */
const HIDDEN_MS = 250;

export function createFrames(draw: () => void): { ask(): void } {
  let cancel: (() => void) | undefined;
  function run(): void {
    cancel?.();
    cancel = undefined;
    draw();
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
      } else {
        const frame = requestAnimationFrame(run);
        cancel = () => cancelAnimationFrame(frame);
      }
    },
  };
}
