/** Source of rules and permanent approvals, injected into the session, which does no file access itself. */
import type { PendingCall, Cover } from "./pending-call.ts";
import type { Ruling } from "./judge-call.ts";
import type { Rule } from "./rule.ts";

export interface ApprovalSource {
  /** Rules for a directory. */
  rulesFor(cwd: string): readonly Rule[];
  /** Permanent approvals of the user. Absent: none are stored. */
  readonly always?: AlwaysAllowed;
}

export interface AlwaysAllowed {
  /** File that stores them, for display. */
  readonly file: string;
  has(cover: Cover, cwd: string): boolean;
  /** Of a directory, oldest first. */
  list(cwd: string): readonly Cover[];
  /** Rejects when it could not be stored. */
  add(covers: readonly Cover[], cwd: string): Promise<void>;
  /** Rejects when it could not be removed. */
  remove(cover: Cover, cwd: string): Promise<void>;
}

/** Decision without the user. Undefined: none, so a tool that needs approval must ask. */
export type Judge = (call: PendingCall) => Ruling | undefined;
