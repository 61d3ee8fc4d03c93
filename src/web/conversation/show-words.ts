/** Words of a search in the message that it found: brought into view, and marked for a moment. */

const BLOCKS = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote, dd, dt, summary";
/** Name of the highlight in the style sheet. */
const HIGHLIGHT = "found";
/** A message of many megabytes is not searched to its end. */
const NODES_MAX = 20_000;

export function showWords(row: Element, words: readonly string[], ms: number): void {
  const found = bestBlock(row, words.map(fold).filter(Boolean));
  if (found === undefined) return;
  found.block.scrollIntoView({ block: "center" });
  if (!("highlights" in CSS)) return;
  const highlight = new Highlight(...found.ranges);
  CSS.highlights.set(HIGHLIGHT, highlight);
  setTimeout(() => {
    if (CSS.highlights.get(HIGHLIGHT) === highlight) CSS.highlights.delete(HIGHLIGHT);
  }, ms);
}

interface Found {
  readonly block: Element;
  readonly ranges: Range[];
  readonly words: Set<string>;
}

/** The block with most of the words; the first of those. */
function bestBlock(row: Element, words: readonly string[]): Found | undefined {
  const blocks = new Map<Element, Found>();
  const walker = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < NODES_MAX && walker.nextNode() !== null; count += 1) {
    const node = walker.currentNode as Text;
    const block = node.parentElement?.closest(BLOCKS) ?? row;
    const text = fold(node.data);
    for (const word of words) {
      for (let from = text.indexOf(word); from !== -1; from = text.indexOf(word, from + word.length)) {
        const found = blocks.get(block) ?? { block, ranges: [], words: new Set() };
        found.ranges.push(rangeOf(node, from, word.length));
        found.words.add(word);
        blocks.set(block, found);
      }
    }
  }
  const seen = [...blocks.values()].filter(({ block }) => block.checkVisibility());
  return seen.toSorted((a, b) => b.words.size - a.words.size)[0];
}

/** As long as the text itself: positions in both are the same. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function rangeOf(node: Text, from: number, length: number): Range {
  const range = new Range();
  range.setStart(node, from);
  range.setEnd(node, from + length);
  return range;
}
