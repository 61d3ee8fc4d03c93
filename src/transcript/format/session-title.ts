/** Title of a session from its first message: one line, without addressees and markup. */
import { withEllipsis } from "../../kit/text/format.ts";

const TITLE_CHARS_MAX = 80;
/** "@ada @bob, " at the start. A file name has a dot or a slash and stays. */
const ADDRESS = /^(?:@[\w-]+[,:]?\s+)+(?=\S)/u;
/** Start of a heading, quote or list item. */
const LINE_MARKS = /^\s*(?:#{1,6}|>|[-*+]|\d{1,3}[.)])\s+/;

const FENCE = /^\s*(?:`{3,}|~{3,})[^`]*$/;

export function sessionTitle(text: string): string {
  const title = text.replace(ADDRESS, "").split("\n").map(withoutMarks).join(" ").replaceAll(/\s+/g, " ").trim();
  return withEllipsis(title === "" ? text.trim() : title, TITLE_CHARS_MAX);
}

function withoutMarks(line: string): string {
  if (FENCE.test(line)) return "";
  return line
    .replace(LINE_MARKS, "")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/(`+|\*\*|__|~~)(.+?)\1/g, "$2");
}
