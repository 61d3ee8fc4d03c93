/**
 * Markdown as somebody would read it to somebody else: sentence by sentence, without code. As the text grows, what was
 * given before stays where it is, so that whoever reads only counts.
 */

/** Voices break off long texts in the middle; a longer sentence is given in pieces. */
const SENTENCE_CHARS_MAX = 240;
/** More than this is not read in one go. */
const TEXT_CHARS_MAX = 200_000;

/** `isWhole`: nothing more will come. Until then a sentence is given only when it has ended. */
export function sentencesOf(text: string, { isWhole }: { isWhole: boolean }): string[] {
  return paragraphsOf(text.slice(0, TEXT_CHARS_MAX), isWhole).flatMap(({ content, isOpen }) =>
    sentencesIn(content, isOpen),
  );
}

interface Paragraph {
  readonly content: string;
  /** More may be added to it. */
  readonly isOpen: boolean;
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
const OWN_LINE = /^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s/;
const RULE = /^\s*(?:[-*_|:=]\s*){3,}$/;
/** What may become the line of a fence, a rule or a table. */
const UNDECIDED = /^\s*(?:[`~|]|[-*_=|:\s]*$)/;

function paragraphsOf(text: string, isWhole: boolean): Paragraph[] {
  const paragraphs: string[][] = [[]];
  let fence: string | undefined;
  const lines = text.split("\n");
  // The last line has not ended while more may come.
  const lastOpen = isWhole ? undefined : (lines.pop() ?? "");
  for (const line of lines) {
    const [, mark] = FENCE.exec(line) ?? [];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
    } else if (mark !== undefined) {
      fence = mark;
      paragraphs.push([]);
    } else if (line.trim() === "" || RULE.test(line)) paragraphs.push([]);
    else addLine(paragraphs, line);
  }
  const isInside = fence !== undefined || lastOpen === undefined || UNDECIDED.test(lastOpen);
  if (!isInside) addLine(paragraphs, lastOpen);
  return paragraphs.map((lines_, at) => ({
    content: plainText(lines_.join(" ")),
    isOpen: !isWhole && at === paragraphs.length - 1,
  }));
}

function addLine(paragraphs: string[][], line: string): void {
  const isOwn = OWN_LINE.test(line) || line.trimStart().startsWith("|");
  if (isOwn) paragraphs.push([line]);
  else paragraphs.at(-1)?.push(line);
}

function plainText(source: string): string {
  return source
    .replace(/^\s*(?:[-*+]|\d{1,9}[.)]|#{1,6}|>)\s+(?:\[[ xX]\]\s)?/, "")
    .replaceAll(/!\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/https?:\/\/\S+/g, "(a link)")
    .replaceAll(/<\/?[A-Za-z][^>]*>/g, "")
    .replaceAll(/[*_~`]+/g, "")
    .replaceAll(/\s*\|/g, ", ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[\s,]+|[\s,]+$/g, "");
}

const END = /(?<=[.!?…。！？]["')\]»”’]?)\s+/;

function sentencesIn(content: string, isOpen: boolean): string[] {
  const sentences = content.split(END);
  if (isOpen) sentences.pop();
  return sentences.filter((one) => /[\p{L}\p{N}]/u.test(one)).flatMap(splitLong);
}

function splitLong(sentence: string): string[] {
  if (sentence.length <= SENTENCE_CHARS_MAX) return [sentence];
  const cut = Math.max(sentence.lastIndexOf(", ", SENTENCE_CHARS_MAX), sentence.lastIndexOf("; ", SENTENCE_CHARS_MAX));
  const space = cut > 0 ? cut + 1 : sentence.lastIndexOf(" ", SENTENCE_CHARS_MAX);
  const at = space > 0 ? space : SENTENCE_CHARS_MAX;
  return [sentence.slice(0, at).trim(), ...splitLong(sentence.slice(at).trim())];
}
