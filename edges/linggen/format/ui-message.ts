/** The frame of linggen's event stream. Its `seq` is per connection, so a frame is a draft until it is sent. */
export interface UiMessage {
  readonly id: string;
  readonly seq: number;
  readonly rev: number;
  readonly ts_ms: number;
  readonly kind: string;
  readonly phase?: string;
  readonly text?: string;
  readonly agent_id?: string;
  readonly session_id?: string;
  readonly project_root?: string;
  readonly data?: unknown;
}

export interface UiDraft extends Omit<UiMessage, "id" | "seq" | "rev" | "ts_ms"> {
  /** Some ids end with the frame's seq. */
  readonly id: string | ((seq: number) => string);
  readonly tsMs: number;
}

/** Fields in linggen's order; absent ones are omitted, never null. */
export function stamp(draft: UiDraft, seq: number): UiMessage {
  const { id, tsMs, kind, phase, text, agent_id, session_id, project_root, data } = draft;
  return {
    id: typeof id === "string" ? id : id(seq),
    seq,
    rev: seq,
    ts_ms: Math.max(0, Math.trunc(tsMs)),
    kind,
    ...(phase === undefined ? {} : { phase }),
    ...(text === undefined ? {} : { text }),
    ...(agent_id === undefined ? {} : { agent_id }),
    ...(session_id === undefined ? {} : { session_id }),
    ...(project_root === undefined ? {} : { project_root }),
    ...(data === undefined ? {} : { data }),
  };
}

/**
 * One event of the stream, without name and id, as clients expect. In ASCII, because the terminal client decodes each
 * network chunk by itself, and without lone surrogates, for which it drops the frame.
 */
export function encodeFrame(message: UiMessage): string {
  const text = JSON.stringify(message, (_, value: unknown) =>
    typeof value === "string" ? value.toWellFormed() : value,
  );
  return `data: ${text.replaceAll(/[^\0-~]/g, escaped)}\n\n`;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

export const KEEP_ALIVE = ":\n\n";

export function isSync(draft: UiDraft): boolean {
  return draft.kind === "run" && draft.phase === "sync";
}

export function toSeconds(ms: number): number {
  return Math.max(0, Math.floor(ms / 1_000));
}
