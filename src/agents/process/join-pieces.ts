/**
 * Pieces of one text that wait in the pipe together become one line before anybody parses them: a piece is a few letters
 * in 250 bytes of JSON, and all of its cost is in those bytes.
 * Promise: the joined line is what the program would have written had it sent all of the text at once; whatever does not
 * look exactly like the piece before it is left alone.
 */
import type { Line } from "./lines.ts";
import type { JoinedLine, PumpOptions } from "./output-pump.ts";

const TEXT_KEY = '"delta":"';
/** When a line was written; of a joined one, when its last piece was. */
const STAMP_KEY = ',"emittedAtMs":';
/** Far below what an event may hold. */
const JOINED_CHARS_MAX = 16 * 1024;

interface Piece {
  /** As it stands in its quotes. */
  readonly text: string;
  readonly rest: string;
  readonly stamp: string;
}

/** `head` fits all of a piece up to the quote before its text, and nothing else. */
export function createPieceJoiner(head: RegExp): NonNullable<PumpOptions["join"]> {
  return (lines, from) => {
    const first = lines[from];
    if (from + 1 >= lines.length || first?.kind !== "line") return undefined;
    const textAt = first.text.indexOf(TEXT_KEY) + TEXT_KEY.length;
    const start = first.text.slice(0, textAt);
    return head.test(start) ? joinRun(lines, from, start) : undefined;
  };
}

function joinRun(lines: readonly Line[], from: number, start: string): JoinedLine | undefined {
  const pieces: Piece[] = [];
  let chars = start.length;
  for (let at = from; at < lines.length; at++) {
    const line = lines[at];
    const piece = line?.kind === "line" && line.text.startsWith(start) ? cut(line.text, start.length) : undefined;
    chars += piece?.text.length ?? 0;
    if (piece === undefined || piece.rest !== (pieces[0] ?? piece).rest || chars > JOINED_CHARS_MAX) break;
    pieces.push(piece);
  }
  const last = pieces.at(-1);
  if (last === undefined || pieces.length === 1) return undefined;
  const text = start + pieces.map((piece) => piece.text).join("") + last.rest + last.stamp;
  return { line: { kind: "line", text, bytes: Buffer.byteLength(text) }, count: pieces.length };
}

function cut(line: string, textAt: number): Piece | undefined {
  const end = closingQuote(line, textAt);
  if (end === -1) return undefined;
  const stampAt = line.indexOf(STAMP_KEY, end);
  const restEnd = stampAt === -1 ? line.length : stampAt;
  return { text: line.slice(textAt, end), rest: line.slice(end, restEnd), stamp: line.slice(restEnd) };
}

function closingQuote(line: string, from: number): number {
  for (let at = line.indexOf('"', from); at !== -1; at = line.indexOf('"', at + 1)) {
    let escapes = 0;
    while (line[at - 1 - escapes] === "\\") escapes++;
    if (escapes % 2 === 0) return at;
  }
  return -1;
}
