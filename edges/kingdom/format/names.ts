/** Names in a thread tree: how kingdom's programs spell branches, threads, senders and message files. */
import { RoundtableError } from "../../../src/protocol/index.ts";

/** Name of the user in these files. */
export const KING = "king";
/** Readers match four digits and would never see a later message. */
export const NUMBER_MAX = 9_999;
const MESSAGE_FILE = /^([0-9]{4})-(.+)\.md$/;
const STREAM_FILE = /^\.stream-(.+)\.jsonl$/;
const THREAD_HEX = 4;

/** Lower-case ASCII with single dashes. Throws if nothing is left. */
export function normaliseName(name: string): string {
  const plain = name
    .normalize("NFKD")
    .replace(/[^\p{ASCII}]/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .replace(/-+/g, "-")
    .replace(/^-|-$/g, "");
  if (plain !== "") return plain;
  throw new RoundtableError(
    "bad_command",
    `${JSON.stringify(name)} has no letter or digit that a thread tree can use.`,
  );
}

export function messageFileName(number: number, sender: string): string {
  return `${String(number).padStart(4, "0")}-${normaliseName(sender)}.md`;
}

/** Undefined for any other file; readers of the tree ignore those. */
export function parseMessageFileName(file: string): { readonly number: number; readonly sender: string } | undefined {
  const [, digits, sender] = MESSAGE_FILE.exec(file) ?? [];
  return digits === undefined || sender === undefined ? undefined : { number: Number(digits), sender };
}

export function streamFileName(sender: string): string {
  return `.stream-${normaliseName(sender)}.jsonl`;
}

export function parseStreamFileName(file: string): string | undefined {
  return STREAM_FILE.exec(file)?.[1];
}

/** `council-` and four of the given hex digits; other attempts take later digits. */
export function threadId(hex: string, attempt = 0): string {
  const from = attempt * THREAD_HEX;
  const digits = hex.slice(from, from + THREAD_HEX);
  if (digits.length === THREAD_HEX) return `council-${digits}`;
  throw new RoundtableError("conflict", "Every possible thread name of this session is taken.", {
    hint: "Name an unused thread directory.",
  });
}

/**
 * Member names in files: the sender is part of a file name, so names are normalised and unique, and none is the user's.
 */
export function threadNames(members: readonly string[]): Map<string, string> {
  const usedNames = new Set([KING, "all"]);
  const names = new Map<string, string>();
  for (const member of members) {
    const plain = normaliseName(member);
    let name = plain;
    for (let copy = 2; usedNames.has(name); copy += 1) name = `${plain}-${copy}`;
    usedNames.add(name);
    names.set(member, name);
  }
  return names;
}
