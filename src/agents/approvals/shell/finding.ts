/** Why a line cannot be judged by its commands, for display. */

export interface Finding {
  /** opaque: it may do anything. unallowed: what runs is known, but no pattern covers it. */
  readonly level: "opaque" | "unallowed";
  /** Continues "because": "it writes build.log". */
  readonly reason: string;
}

const SHOWN_CHARS_MAX = 60;

export function opaque(reason: string): Finding {
  return { level: "opaque", reason };
}

export function unallowed(reason: string): Finding {
  return { level: "unallowed", reason };
}

/** Part of a line for a reason: one line, short, terminal-safe. */
export function shown(text: string): string {
  const plain = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return plain.length > SHOWN_CHARS_MAX ? `${plain.slice(0, SHOWN_CHARS_MAX)}…` : plain;
}
