/**
 * How tall a panel may be while its turn is open, so that members who stream at once are all seen at the end of the
 * log. A member that streams alone may use nearly the whole view; two or more get at most a third each.
 */
const LIVE_ROWS_MIN = 4;
const SINGLE_ROWS_MIN = 5;
/** The rest is left to what came before, so that the eye keeps its place. */
const SHARE = 0.9;

export function liveRowsMax(openTurns: number, viewportRows: number): number {
  const room = Math.floor(viewportRows * SHARE);
  if (openTurns <= 1) return Math.max(SINGLE_ROWS_MIN, room);
  return Math.max(LIVE_ROWS_MIN, Math.min(Math.floor(viewportRows / 3), Math.floor(room / openTurns)));
}
