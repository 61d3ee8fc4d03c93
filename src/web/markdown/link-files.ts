/** Makes files that exist links of a rendered text: they open in the panel. A word that names no file stays as it is. */
import { findReferences, type FileReference, type KnownFiles } from "./file-references.ts";

interface Place extends FileReference {
  readonly node: Element | Text;
}

/** Returns the stop function, for when these nodes are replaced. */
export function linkFiles(root: HTMLElement, files: KnownFiles): () => void {
  const places = placesIn(root);
  if (places.length === 0) return () => {};
  let left = draw(places, files);
  const stop = files.subscribe(() => (left = draw(left, files)));
  files.ask(left.map(({ path }) => path));
  return stop;
}

/** Inline code that is a reference as a whole, and references in words. */
function placesIn(root: HTMLElement): Place[] {
  const places: Place[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT, (node) =>
    node instanceof Element && node.matches("pre, a, math, .code-bar, .image-away")
      ? NodeFilter.FILTER_REJECT
      : NodeFilter.FILTER_ACCEPT,
  );
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!(node instanceof Text) || parent === null) continue;
    const found = findReferences(node.data);
    if (parent.nodeName !== "CODE") {
      // In words a name without a directory or a line may be anything.
      const sure = found.filter(({ path, line }) => line !== undefined || path.includes("/"));
      places.push(...sure.map((place) => Object.assign(place, { node })));
    } else if (found[0]?.start === 0 && found[0].end === node.data.length && parent.childNodes.length === 1)
      places.push(Object.assign(found[0], { node: parent }));
  }
  return places;
}

/** From the last to the first, so that earlier places of the same text stay where they are. Returns those left. */
function draw(places: readonly Place[], files: KnownFiles): Place[] {
  let left: Place[] = [];
  for (const place of places.toReversed()) {
    const { node, start, end } = place;
    if (!files.has(place.path)) left.unshift(place);
    else if (node instanceof Text) {
      const rest = node.splitText(end);
      left = left.map((one) =>
        one.node === node ? { ...one, node: rest, start: one.start - end, end: one.end - end } : one,
      );
      const named = node.splitText(start);
      named.replaceWith(linkTo(place, named.data));
    } else place.node.replaceWith(linkTo(place, place.node.textContent ?? ""));
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
