/** Makes files that exist links of a rendered text: they open in the panel. A word that names no file stays as it is. */
import { findReferences, type FileReference, type KnownFiles } from "./file-references.ts";

interface FileMatch extends FileReference {
  readonly node: Element | Text;
}

/** Returns the stop function, for when these nodes are replaced. */
export function linkFiles(root: HTMLElement, files: KnownFiles): () => void {
  const matches = matchesIn(root);
  if (matches.length === 0) return () => {};
  let left = draw(matches, files);
  const stop = files.subscribe(() => (left = draw(left, files)));
  files.ask(left.map(({ path }) => path));
  return stop;
}

/** Inline code that is a reference as a whole, and references in words. */
function matchesIn(root: HTMLElement): FileMatch[] {
  const matches: FileMatch[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && node.matches("pre, a, math, .code-bar, .image-away")
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null) continue;
    const references = findReferences(node.data);
    if (parent.nodeName !== "CODE") {
      // In words a name without a directory or a line may be anything.
      const sure = references.filter(({ path, line }) => line !== undefined || path.includes("/"));
      matches.push(...sure.map((match) => Object.assign(match, { node })));
    } else if (references[0]?.start === 0 && references[0].end === node.data.length && parent.childNodes.length === 1)
      matches.push(Object.assign(references[0], { node: parent }));
  }
  return matches;
}

/** From the last to the first, so that earlier matches of the same text stay where they are. Returns those left. */
function draw(matches: readonly FileMatch[], files: KnownFiles): FileMatch[] {
  let left: FileMatch[] = [];
  for (const match of matches.toReversed()) {
    const { node, start, end } = match;
    if (!files.has(match.path)) left.unshift(match);
    else if (node instanceof Text) {
      const rest = node.splitText(end);
      left = left.map((one) =>
        one.node === node ? { ...one, node: rest, start: one.start - end, end: one.end - end } : one,
      );
      const named = node.splitText(start);
      named.replaceWith(linkTo(match, named.data));
    } else match.node.replaceWith(linkTo(match, match.node.textContent ?? ""));
  }
  return left;
}

function linkTo({ path, line }: FileReference, text: string): HTMLElement {
  const link = document.createElement("span");
  link.className = "ref";
  link.tabIndex = 0;
  link.setAttribute("role", "link");
  link.dataset["path"] = path;
  if (line !== undefined) link.dataset["line"] = String(line);
  link.append(text);
  return link;
}
