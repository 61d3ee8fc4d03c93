/** What stands in the way of judging a line by its commands, and why, for people. */

export interface Finding {
  /** Opaque: it may do anything. Unallowed: it is known what runs, but no pattern means it. */
  readonly level: "opaque" | "unallowed";
  /** After "because": "it writes build.log". */
  readonly reason: string;
}

const SHOWN_CHARS_MAX = 60;

export function opaque(reason: string): Finding {
  return { level: "opaque", reason };
}

export function unallowed(reason: string): Finding {
  return { level: "unallowed", reason };
}

/** A piece of a line for a reason: one line, not long, nothing that a terminal acts upon. */
export function shown(text: string): string {
  const plain = text.replaceAll(/[\p{C}\p{Z}]+/gu, " ").trim();
  return plain.length > SHOWN_CHARS_MAX ? `${plain.slice(0, SHOWN_CHARS_MAX)}…` : plain;
}
