/** Terms of a search in the message that matched: scrolled into view, and highlighted for a moment. */

const BLOCKS = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote, dd, dt, summary";
/** Name of the highlight in the style sheet. */
const HIGHLIGHT = "search-match";
/** A message of many megabytes is not searched to its end. */
const NODES_MAX = 20_000;

export function revealMatch(message: Element, terms: readonly string[], ms: number): void {
  const match = bestMatch(message, terms.map(fold).filter(Boolean));
  if (match === undefined) return;
  match.block.scrollIntoView({ block: "center" });
  if (!("highlights" in CSS)) return;
  const highlight = new Highlight(...match.ranges);
  CSS.highlights.set(HIGHLIGHT, highlight);
  setTimeout(() => {
    if (CSS.highlights.get(HIGHLIGHT) === highlight) CSS.highlights.delete(HIGHLIGHT);
  }, ms);
}

interface Match {
  readonly block: Element;
  readonly ranges: Range[];
  readonly terms: Set<string>;
}

/** The block with most of the terms; the first of those. */
function bestMatch(message: Element, terms: readonly string[]): Match | undefined {
  const matches = new Map<Element, Match>();
  const walker = document.createTreeWalker(message, NodeFilter.SHOW_TEXT);
  for (let count = 0; count < NODES_MAX && walker.nextNode() !== null; count += 1) {
    const node = walker.currentNode as Text;
    const block = node.parentElement?.closest(BLOCKS) ?? message;
    const text = fold(node.data);
    for (const term of terms) {
      for (let from = text.indexOf(term); from !== -1; from = text.indexOf(term, from + term.length)) {
        const match = matches.get(block) ?? { block, ranges: [], terms: new Set() };
        match.ranges.push(rangeOf(node, from, term.length));
        match.terms.add(term);
        matches.set(block, match);
      }
    }
  }
  const visible = [...matches.values()].filter(({ block }) => block.checkVisibility());
  return visible.toSorted((a, b) => b.terms.size - a.terms.size)[0];
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
