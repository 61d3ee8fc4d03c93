/**
 * What a whole text says after what was said of it. White space does not count: whoever writes the whole cuts it off at
 * both ends when a turn is cancelled. Undefined when it is another text.
 */
export function remainingText(whole: string, emitted: string): string | undefined {
  let at = 0;
  for (const sign of emitted) {
    if (/\s/u.test(sign)) continue;
    while (at < whole.length && /\s/u.test(whole.charAt(at))) at += 1;
    // What was said goes on where the whole is cut off.
    if (at >= whole.length) return whole.trim() === "" ? undefined : "";
    if (!whole.startsWith(sign, at)) return undefined;
    at += sign.length;
  }
  const rest = whole.slice(at);
  return rest.trim() === "" && emitted !== "" ? "" : rest;
}
