/**
 * Loaded when first needed: a program that searches nothing must not pay for it. Node 24 would print an
 * ExperimentalWarning on stderr, which is no news for a user; Node 26 has none.
 */
import type * as Sqlite from "node:sqlite";

export function loadSqlite(): typeof Sqlite {
  const original = Object.getOwnPropertyDescriptor(process, "emitWarning");
  process.emitWarning = () => undefined;
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    if (original !== undefined) Object.defineProperty(process, "emitWarning", original);
  }
}

const DAMAGED = new Set([
  10, // IOERR: the file is shorter than it says
  11, // CORRUPT
  26, // NOTADB
]);
const BUSY = new Set([5, 6]);

function codeOf(error: unknown): number {
  const { errcode } = (error ?? {}) as { errcode?: unknown };
  return typeof errcode === "number" ? errcode & 0xff : 0;
}

/** The file itself is bad; only making it again helps. */
export function isDamage(error: unknown): boolean {
  return DAMAGED.has(codeOf(error));
}

/** Another process writes just now. */
export function isBusy(error: unknown): boolean {
  return BUSY.has(codeOf(error));
}

/** An error of the store, told from one of ours. */
export function isStoreError(error: unknown): boolean {
  return codeOf(error) !== 0;
}
