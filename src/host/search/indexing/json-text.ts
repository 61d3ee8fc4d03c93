/** The words in a JSON value: names and values, a line each, as far as there is room. */
import type { Json } from "../../../protocol/index.ts";

const DEPTH_MAX = 8;
const CHARS_MAX = 64 * 1024;

export function jsonToText(value: Json): string {
  const lines: string[] = [];
  let room = CHARS_MAX;
  function add(line: string): void {
    if (room <= 0) return;
    lines.push(line.slice(0, room));
    room -= line.length + 1;
  }
  function walk(one: Json, name: string, depth: number): void {
    if (room <= 0 || one === null || one === undefined) return;
    if (typeof one !== "object") return add(name === "" ? String(one) : `${name}: ${String(one)}`);
    if (depth >= DEPTH_MAX) return;
    if (Array.isArray(one)) return one.forEach((part) => walk(part, name, depth + 1));
    for (const [key, part] of Object.entries(one)) walk(part, key, depth + 1);
  }
  walk(value, "", 0);
  return lines.join("\n");
}
