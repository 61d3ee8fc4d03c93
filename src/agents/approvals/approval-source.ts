/** Where rules and lasting approvals come from; the session asks it, and does not know of files. */
import type { PendingCall, Cover } from "./pending-call.ts";
import type { Ruling } from "./judge-call.ts";
import type { Rule } from "./rule.ts";

export interface ApprovalSource {
  /** The rules that hold in a directory. */
  rulesFor(cwd: string): readonly Rule[];
  /** What the user has allowed for good. Absent where nothing is kept. */
  readonly always?: AlwaysAllowed;
}

export interface AlwaysAllowed {
  /** The file in which it is kept, for people. */
  readonly file: string;
  has(cover: Cover, cwd: string): boolean;
  /** All of a directory, the oldest first. */
  list(cwd: string): readonly Cover[];
  /** Rejects when it could not be kept. */
  add(covers: readonly Cover[], cwd: string): Promise<void>;
  /** Rejects when it is kept on. */
  remove(cover: Cover, cwd: string): Promise<void>;
}

/** What is decided without the user. Null: nothing, so a tool that asks must ask. */
export type Judge = (call: PendingCall) => Ruling | null;
