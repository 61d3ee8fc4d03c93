/** Footnotes of a text on the page and in exports: they stay in position, with their mark. */
const NOTE = /(\n?)\[\^([\w-]{1,32})\](:?)/g;

/** `html`: escaped text. A mark followed by a colon is the footnote itself, on its own line. */
export function markFootnotes(html: string): string {
  if (!html.includes("[^")) return html;
  return html.replaceAll(NOTE, (_whole, line: string, mark: string, colon: string) => {
    return `${line === "" || colon === "" ? line : "<br>"}<span class="footnote">${mark}</span>`;
  });
}
