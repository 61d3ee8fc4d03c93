/** Colours for code inside of lists and quotes, once the text around it has stood still for a moment. */
import { highlight, knownHighlight, type HighlightedLines } from "./highlight.ts";

/** While a list grows, its code would be coloured anew with every word. */
const QUIET_MS = 200;

/** Returns how to stop, for when other nodes take the place of these. */
export function colourNested(root: HTMLElement): () => void {
  const blocks = [...root.querySelectorAll<HTMLElement>(".code[data-language] code")].map((element) => ({
    element,
    code: element.textContent ?? "",
    language: element.closest<HTMLElement>(".code")?.dataset["language"] ?? "",
  }));
  if (blocks.length === 0) return () => {};
  let isGone = false;
  for (const { element, code, language } of blocks) draw(element, knownHighlight(code, language));
  const timer = setTimeout(() => {
    for (const { element, code, language } of blocks) {
      void highlight(code, language).then((lines) => (isGone ? undefined : draw(element, lines)));
    }
  }, QUIET_MS);
  return () => {
    isGone = true;
    clearTimeout(timer);
  };
}

function draw(element: HTMLElement, lines: HighlightedLines | undefined): void {
  if (lines === undefined) return;
  const rows = lines.map((line, at) => {
    const row = document.createElement("span");
    for (const [text, kind] of line) row.append(kind === "" ? text : coloured(text, kind));
    if (at < lines.length - 1) row.append("\n");
    return row;
  });
  element.replaceChildren(...rows);
}

function coloured(text: string, kind: string): HTMLElement {
  const span = document.createElement("span");
  span.className = `hl-${kind}`;
  span.append(text);
  return span;
}
