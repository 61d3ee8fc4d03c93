/** `<details>` in a text: what stands between its tags is folded below its summary. */
import type { Part } from "./split-blocks.ts";

export interface Fold {
  readonly kind: "fold";
  /** As written: markup in it is text. */
  readonly summary: string;
  readonly isOpen: boolean;
  readonly items: readonly (Part | Fold)[];
}

const OPENING = /^\s*<details(\s+open(?:="")?)?\s*>/i;
const SUMMARY = /^\s*<summary>([\s\S]*?)<\/summary>/i;
const CLOSING = /^([\s\S]*?)<\/details>\s*/i;
const DEPTH_MAX = 8;

export function foldDetails(blocks: readonly Part[]): (Part | Fold)[] {
  return itemsFrom([...blocks], 0);
}

/** Takes blocks until the fold that they are in is closed. */
function itemsFrom(blocks: Part[], depth: number): (Part | Fold)[] {
  const items: (Part | Fold)[] = [];
  for (let part = blocks.shift(); part !== undefined; part = blocks.shift()) {
    const { source } = part.kind === "markup" ? part : { source: "" };
    const opening = depth < DEPTH_MAX ? OPENING.exec(source) : null;
    if (opening !== null) {
      const rest = source.slice(opening[0].length);
      const [tag = "", summary = ""] = SUMMARY.exec(rest) ?? [];
      putBack(blocks, rest.slice(tag.length));
      const isOpen = opening[1] !== undefined;
      items.push({ kind: "fold", summary: summary.trim() || "Details", isOpen, items: itemsFrom(blocks, depth + 1) });
      continue;
    }
    const closing = depth > 0 ? CLOSING.exec(source) : null;
    if (closing === null) {
      items.push(part);
      continue;
    }
    const [whole, inside = ""] = closing;
    if (inside.trim() !== "") items.push({ kind: "markup", source: inside.trim() });
    putBack(blocks, source.slice(whole.length));
    return items;
  }
  return items;
}

function putBack(blocks: Part[], source: string): void {
  if (source.trim() !== "") blocks.unshift({ kind: "markup", source: source.replace(/^\s*\n/, "") });
}
