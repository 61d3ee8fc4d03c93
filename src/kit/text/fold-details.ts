/** `<details>` in a text: its content is folded below its summary. */
interface Markup {
  readonly kind: "markup";
  readonly source: string;
}

/** A block to search for tags, or any other block. */
type Block<Other> = Markup | Other;

export interface Fold<Other> {
  readonly kind: "fold";
  /** As written: markup in it is text. */
  readonly summary: string;
  readonly isOpen: boolean;
  readonly items: readonly (Block<Other> | Fold<Other>)[];
}

const OPENING = /^\s*<details(\s+open(?:="")?)?\s*>/i;
const SUMMARY = /^\s*<summary>([\s\S]*?)<\/summary>/i;
const CLOSING = /^([\s\S]*?)<\/details>\s*/i;
const DEPTH_MAX = 8;

export function foldDetails<Other extends { readonly kind: string }>(
  blocks: readonly Block<Other>[],
): (Block<Other> | Fold<Other>)[] {
  return itemsFrom([...blocks], 0);
}

/** Consumes blocks until the current fold is closed. */
function itemsFrom<Other extends { readonly kind: string }>(
  blocks: Block<Other>[],
  depth: number,
): (Block<Other> | Fold<Other>)[] {
  const items: (Block<Other> | Fold<Other>)[] = [];
  for (let part = blocks.shift(); part !== undefined; part = blocks.shift()) {
    const source = isMarkup(part) ? part.source : "";
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

function isMarkup<Other extends { readonly kind: string }>(block: Block<Other>): block is Markup {
  return block.kind === "markup";
}

function putBack<Other>(blocks: Block<Other>[], source: string): void {
  if (source.trim() !== "") blocks.unshift({ kind: "markup", source: source.replace(/^\s*\n/, "") });
}
