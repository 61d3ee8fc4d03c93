/**
 * What the file of another program comes to: events without numbers, in pieces that are either in a session or not.
 * Ids in them are local names, the same for the same piece however much the file has grown; `withIds` makes ids of them.
 */
import type { AgentKind, EventDraft } from "../../../protocol/index.ts";

/** One line of a file, parsed. */
export interface SourceLine {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
}

/** In the place of a line whose form is not that of its program. */
export const DAMAGED = Symbol("damaged");

/** A line that says nothing that can be read. */
export interface DamagedLine {
  readonly number: number;
  /** What is wrong with it, to be read after "line N". */
  readonly what: string;
}

export interface SourceFile {
  /** How it is called in notices. */
  readonly name: string;
  readonly lines: readonly SourceLine[];
  readonly damaged: readonly DamagedLine[];
}

export interface ExternalSession {
  /** By which its own program knows it; the same in every copy. */
  readonly nativeId: string;
  readonly title: string;
  readonly cwd?: string;
  readonly startedMs: number;
  /** Absent where the program that spoke is none that can sit at a table. */
  readonly agent?: { readonly kind: AgentKind; readonly model?: string };
  readonly units: readonly ImportUnit[];
}

/** A message, a turn with all that is in it, or a notice. */
export interface ImportUnit {
  /** Where it begins in its file. */
  readonly line: number;
  readonly drafts: readonly TimedDraft[];
}

export interface TimedDraft {
  /** When it happened there. */
  readonly ts: number;
  readonly draft: EventDraft;
  /** The whole text of which the draft holds only a part. */
  readonly whole?: string;
  /** For a compaction: the local name of the message or turn from which on everything was kept. */
  readonly retainedFrom?: string;
  /** What came with a message, in its order. */
  readonly images?: readonly ExternalImage[];
}

export interface ExternalImage {
  readonly mime: string;
  readonly base64: string;
}

/** The title of a session that has none: how its first message begins. */
const TITLE_CHARS_MAX = 80;

export function titleFrom(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const trimmed = line.trim();
  return trimmed.length > TITLE_CHARS_MAX ? `${trimmed.slice(0, TITLE_CHARS_MAX - 1).toWellFormed()}…` : trimmed;
}

/** The code of every notice that an import leaves in a session. */
export const IMPORT_CODE = "import";

export function notice(line: number, ts: number, message: string): ImportUnit {
  return { line, drafts: [{ ts, draft: { type: "warning", code: IMPORT_CODE, message } }] };
}

export function rewindNotice(line: number, ts: number, messages: number): ImportUnit {
  const count = messages === 1 ? "1 message was" : `${messages} messages were`;
  return notice(line, ts, `The conversation was taken back here: ${count} left on another branch of it.`);
}

/** What could not be read is said where it would have been. */
export function withDamage(units: readonly ImportUnit[], file: SourceFile, startedMs: number): ImportUnit[] {
  const merged: ImportUnit[] = [];
  const damaged = [...file.damaged].sort((one, other) => one.number - other.number);
  let ts = startedMs;
  for (const unit of units) {
    while (damaged[0] !== undefined && damaged[0].number < unit.line) merged.push(damage(file, damaged.shift(), ts));
    merged.push(unit);
    ts = unit.drafts.at(-1)?.ts ?? ts;
  }
  return [...merged, ...damaged.map((one) => damage(file, one, ts))];
}

function damage({ name }: SourceFile, line: DamagedLine | undefined, ts: number): ImportUnit {
  return notice(line?.number ?? 0, ts, `Line ${line?.number ?? 0} of ${name} ${line?.what ?? "cannot be read"}.`);
}
