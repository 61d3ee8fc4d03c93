/**
 * Pieces of one text that wait in the pipe together become one line before anybody parses them: a piece is a few letters
 * in 250 bytes of JSON, and all of its cost is in those bytes.
 * Promise: the joined line is what the program would have written had it sent all of the text at once; whatever does not
 * look exactly like the piece before it is left alone.
 */
import type { Line } from "../process/lines.ts";
import type { JoinedLine } from "../process/output-pump.ts";

const SPEECH = /^\{"method":"item\/(?:agentMessage\/delta|reasoning\/(?:summaryTextDelta|textDelta))",/;
const TEXT_KEY = '"delta":"';
/** When it was written; of a joined line, when the last piece was. */
const STAMP_KEY = ',"emittedAtMs":';
/** Far below what an event may hold. */
const JOINED_CHARS_MAX = 16 * 1024;

/** Undefined when the line at `from` is to be taken as it is. */
export function joinDeltas(lines: readonly Line[], from: number): JoinedLine | undefined {
  const first = lines[from];
  if (from + 1 >= lines.length || first?.kind !== "line" || !SPEECH.test(first.text)) return undefined;
  const textAt = first.text.indexOf(TEXT_KEY) + TEXT_KEY.length;
  const head = first.text.slice(0, textAt);
  const one = cut(first.text, textAt);
  if (one === undefined) return undefined;
  const parts = [head, one.text];
  let { stamp } = one;
  let chars = first.text.length;
  let count = 1;
  for (let at = from + 1; at < lines.length; at++) {
    const next = lines[at];
    if (next?.kind !== "line" || !next.text.startsWith(head)) break;
    const piece = cut(next.text, textAt);
    chars += piece?.text.length ?? 0;
    if (piece === undefined || piece.rest !== one.rest || chars > JOINED_CHARS_MAX) break;
    parts.push(piece.text);
    stamp = piece.stamp;
    count++;
  }
  if (count === 1) return undefined;
  const text = parts.join("") + one.rest + stamp;
  return { line: { kind: "line", text, bytes: Buffer.byteLength(text) }, count };
}

/** The text as it stands in its quotes, what follows it, and the stamp at the end. */
function cut(line: string, textAt: number): { text: string; rest: string; stamp: string } | undefined {
  const end = closingQuote(line, textAt);
  if (textAt < TEXT_KEY.length || end === -1) return undefined;
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
