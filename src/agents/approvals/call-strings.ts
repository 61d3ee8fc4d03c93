/** Texts in a call that may be names of files. */
import type { Json } from "../../protocol/index.ts";

const STRINGS_MAX = 2_000;
const NAME_CHARS_MAX = 4096;

/** `passed`: keys of what is certainly none. */
export function stringsIn(value: Json, passed: ReadonlySet<string> = new Set(), strings: string[] = []): string[] {
  if (strings.length >= STRINGS_MAX) return strings;
  if (typeof value === "string") {
    if (value !== "" && value.length <= NAME_CHARS_MAX && !/[\n\0]/.test(value)) strings.push(value);
  } else if (Array.isArray(value)) {
    for (const one of value) stringsIn(one, passed, strings);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, one] of Object.entries(value)) {
      if (!passed.has(key) || typeof one === "object") stringsIn(one, passed, strings);
    }
  }
  return strings;
}
