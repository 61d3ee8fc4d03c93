/** How deep JSON goes, told before it is parsed: whoever walks a value of a million levels runs out of stack. */
const DEPTH_MAX = 64;

/** In one pass, also of a text that was cut in the middle: a pattern would begin anew at every quote in it. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  let isText = false;
  for (let at = 0; at < json.length; at++) {
    const letter = json[at];
    if (isText) {
      if (letter === "\\") at++;
      else if (letter === '"') isText = false;
    } else if (letter === '"') isText = true;
    else if (letter === "[" || letter === "{") depth++;
    else if (letter === "]" || letter === "}") depth--;
    if (depth > DEPTH_MAX) return true;
  }
  return false;
}
