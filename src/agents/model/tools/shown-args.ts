/** Arguments as they are shown: whole where they are short, and with the beginning of what is long. */
import type { Json } from "../../../protocol/index.ts";

const TEXT_CHARS_MAX = 8_000;
const ITEMS_MAX = 200;
const DEPTH_MAX = 12;

export function shownArgs(args: Json, depth = 0): Json {
  if (typeof args === "string") {
    const rest = args.length - TEXT_CHARS_MAX;
    return rest > 0 ? `${args.slice(0, TEXT_CHARS_MAX)}… (${rest} more characters)` : args;
  }
  if (typeof args !== "object" || args === null) return args;
  if (depth >= DEPTH_MAX) return "…";
  if (Array.isArray(args)) return args.slice(0, ITEMS_MAX).map((item) => shownArgs(item, depth + 1));
  const entries = Object.entries(args).slice(0, ITEMS_MAX);
  return Object.fromEntries(entries.map(([key, item]) => [key.slice(0, 200), shownArgs(item, depth + 1)]));
}
