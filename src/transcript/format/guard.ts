/** What keeps a member from changing files unasked; the same words on every screen. */
import type { Guard } from "../../protocol/index.ts";
import type { Head, MemberState } from "../model.ts";

/** In a word or two. */
export const GUARD_LABELS: Readonly<Record<Guard, string>> = {
  sandbox: "sandboxed",
  own_mode: "own read-only mode",
  asks_first: "asks first",
  unguarded: "unguarded",
};

const READ_ONLY: Readonly<Record<Guard, string>> = {
  sandbox: "sandboxed, cannot change files",
  own_mode: "in its own read-only mode",
  asks_first: "asks before it acts",
  unguarded: "unguarded, can change files without asking",
};

const WRITABLE: Readonly<Record<Guard, string>> = {
  ...READ_ONLY,
  sandbox: "sandboxed, cannot change files elsewhere",
  own_mode: "guarded by its own mode",
};

/** Undefined before its program has started, and for members without one. */
export function describeGuard({ settings }: Pick<Head, "settings">, { guard }: MemberState): string | undefined {
  if (guard === undefined) return undefined;
  return (settings?.writable === true ? WRITABLE : READ_ONLY)[guard.kind];
}
