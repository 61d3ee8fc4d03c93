/**
 * Output formats of a run. json and stream-json always end with exactly one `result` line; text prints answers only,
 * and everything else goes to stderr.
 */
import type { SessionEvent } from "../../protocol/index.ts";
import { type ShownMessage, type Transcript, type UserMessage, belongsTo } from "../../transcript/index.ts";
import type { Style } from "../terminal/colours.ts";
import { failureLine, type Failure } from "../../kit/failure.ts";
import { TranscriptPrinter } from "../print/transcript-printer.ts";
import type { ResultLine } from "./result.ts";

type OutputFormat = "text" | "json" | "stream-json";

export interface Output {
  events(events: readonly SessionEvent[]): void;
  /** Called for every change of the transcript once the question is in it. */
  show(transcript: Transcript, question: UserMessage): void;
  /** Called once, last. */
  end(result: ResultLine, failure?: Failure): void;
  /** Called instead of `end` when the process exits at once. */
  abandon(result: ResultLine): void;
}

export interface OutputOptions {
  format: OutputFormat;
  style: Style;
  write: (text: string) => void;
  writeError: (text: string) => void;
}

export function createOutput({ format, style, write, writeError }: OutputOptions): Output {
  const writeFailure = (failure: Failure | undefined) => {
    if (failure !== undefined) writeError(failureLine(failure));
  };
  if (format === "text") return textOutput(style, write, writeFailure);
  return {
    events(events) {
      if (format === "stream-json") for (const event of events) write(jsonLine(event));
    },
    show() {},
    end(result, failure) {
      write(jsonLine(result));
      writeFailure(failure);
    },
    abandon: (result) => write(jsonLine(result)),
  };
}

function textOutput(style: Style, write: (text: string) => void, writeFailure: (failure?: Failure) => void): Output {
  let printer: TranscriptPrinter | undefined;
  let last: Transcript | undefined;
  return {
    events() {},
    show(transcript, question) {
      printer ??= new TranscriptPrinter({
        write,
        style,
        wants: (message) => belongsTo(question, message) || isOfCouncil(message),
        fromPosition: question.position,
      });
      last = transcript;
      printer.show(transcript);
    },
    end(_result, failure) {
      if (last !== undefined) printer?.finish(last);
      writeFailure(failure);
    },
    abandon() {},
  };
}

/** How the discussion ended, or why it paused. */
function isOfCouncil(message: ShownMessage): boolean {
  return message.kind === "notice" && message.event.type.startsWith("council_");
}

/** Characters that JSON does not escape but a terminal acts on; escaped, they mean the same to a parser. */
const ACTING = /[\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udfff]/g;

export function jsonLine(value: object): string {
  return `${JSON.stringify(value).replaceAll(ACTING, escapeUnits)}\n`;
}

function escapeUnits(match: string): string {
  return [...Array(match.length).keys()]
    .map((at) => `\\u${match.charCodeAt(at).toString(16).padStart(4, "0")}`)
    .join("");
}
