/** What a browser can print of a session. Beyond it the tab stands still, or dies with its session. */
import { formatCount } from "../../kit/text/format.ts";

/** More than a browser can lay out in reasonable time. */
const MESSAGES_MAX = 50_000;

/** Chromium's printer took 2 GB for 100,000 elements and 5.5 GB for 200,000. */
const ELEMENTS_MAX = 120_000;

/** Throws a message for the user. */
export function checkMessageCount(count: number): void {
  if (count > MESSAGES_MAX)
    throw new Error(`This session has ${formatCount(count)} messages, too many to print. Use /export html.`);
}

/** Told of more elements, it throws a message for the user once they are too many. */
export function countElements(): (more: number) => void {
  let all = 0;
  return (more) => {
    all += more;
    if (all > ELEMENTS_MAX) throw new Error("This session is too long for the browser to print. Use /export html.");
  };
}
