/**
 * A session read from another program's file: events without seqs, in units that are imported as a whole. Their ids are
 * local names, stable however much the file grows; `withIds` turns them into ids.
 */
import type { AgentKind, EventDraft } from "../../../protocol/index.ts";

/** One line of a file, parsed. */
export interface SourceLine {
  /** From 1. */
  readonly number: number;
  readonly value: unknown;
}

/** Stands for a line that does not have its program's format. */
export const DAMAGED = Symbol("damaged");

/** A line that cannot be read. */
export interface DamagedLine {
  readonly number: number;
  /** What is wrong, to follow "line N". */
  readonly what: string;
}

export interface SourceFile {
  /** Name in notices. */
  readonly name: string;
  readonly lines: readonly SourceLine[];
  readonly damaged: readonly DamagedLine[];
}

export interface ExternalSession {
  /** Id in its own program; the same in every copy. */
  readonly nativeId: string;
  readonly title: string;
  readonly cwd?: string;
  readonly startedMs: number;
  /** Absent when the program cannot be a member. */
  readonly agent?: { readonly kind: AgentKind; readonly model?: string };
  readonly units: readonly ImportUnit[];
}

/** A message, a turn with all that is in it, or a notice. */
export interface ImportUnit {
  /** Its first line in the file. */
  readonly line: number;
  readonly drafts: readonly TimedDraft[];
}

export interface TimedDraft {
  /** Time of the original event. */
  readonly ts: number;
  readonly draft: EventDraft;
  /** The complete text, when the draft has only a part. */
  readonly whole?: string;
  /** For a compaction: local name of the first message or turn that was kept. */
  readonly retainedFrom?: string;
  /** Images of a message, in order. */
  readonly images?: readonly ExternalImage[];
}

export interface ExternalImage {
  readonly mime: string;
  readonly base64: string;
}

/** Title of a session without one: the beginning of its first message. */
const TITLE_CHARS_MAX = 80;

export function titleFrom(text: string): string {
  const line = text.split("\n").find((one) => one.trim() !== "") ?? "";
  const trimmed = line.trim();
  return trimmed.length > TITLE_CHARS_MAX ? `${trimmed.slice(0, TITLE_CHARS_MAX - 1).toWellFormed()}…` : trimmed;
}

/** Code of all notices of an import. */
export const IMPORT_CODE = "import";

export function notice(line: number, ts: number, message: string): ImportUnit {
  return { line, drafts: [{ ts, draft: { type: "warning", code: IMPORT_CODE, message } }] };
}

export function rewindNotice(line: number, ts: number, messages: number): ImportUnit {
  const count = messages === 1 ? "1 message was" : `${messages} messages were`;
  return notice(line, ts, `The conversation was rewound here: ${count} left on another branch.`);
}

/** Inserts notices where lines could not be read. */
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
