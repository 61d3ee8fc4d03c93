/** Lines of an exported file, in order. The file is untrusted: unreadable lines are returned as such. */
import { createReadStream } from "node:fs";
import { createJsonLineReader } from "../../../src/kit/io/json-lines.ts";
import { RoundtableError, type SessionEvent } from "../../../src/protocol/index.ts";
import * as sessionLines from "./format/session-lines.ts";

const LINE_BYTES_MAX = 2 * 1024 * 1024;
const LINES_MAX = 50_000_000;

type ParsedLine = { readonly number: number } & ({ readonly value: unknown } | { readonly bad: string });

export async function* linesIn(
  file: string,
  onBytes?: (chunk: Buffer) => void,
): AsyncGenerator<ParsedLine, void, void> {
  let lines: ParsedLine[] = [];
  let number = 0;
  const reader = createJsonLineReader({
    lineBytesMax: LINE_BYTES_MAX,
    onValue: (value) => lines.push({ number: (number += 1), value }),
    onBad: ({ reason, bytes }) =>
      lines.push({ number: (number += 1), bad: `it cannot be read (${reason.replaceAll("_", " ")}, ${bytes} bytes)` }),
  });
  for await (const chunk of createReadStream(file)) {
    onBytes?.(chunk as Buffer);
    reader.push(chunk as Buffer);
    yield* lines;
    lines = [];
    if (number > LINES_MAX) {
      throw new RoundtableError("too_large", `${file} has more than ${LINES_MAX} lines.`);
    }
  }
  reader.end();
  yield* lines;
}

export async function* eventsIn(file: string): AsyncGenerator<SessionEvent, void, void> {
  const reader = sessionLines.createLineReader();
  for await (const parsed of linesIn(file)) {
    const line = "bad" in parsed ? undefined : reader.read(parsed.value);
    if (line?.kind === "event") yield line.event;
  }
}
