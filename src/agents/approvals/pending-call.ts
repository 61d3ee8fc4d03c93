/** What a call does, in the terms of rules and remembered approvals, for every agent. */
import { SHELLS } from "../../protocol/index.ts";

/** One effect of a call: a command, a path, or the exact call. */
export interface Subject {
  readonly kind: "command" | "path" | "call";
  /**
   * The command, the path relative to the session's directory (links resolved, absolute when outside), or the exact
   * call.
   */
  readonly text: string;
  /** Other names of a path by which it can be denied: as written, before links were resolved. */
  readonly aliases?: readonly string[];
  /** Where it is, when a link leads there. */
  readonly link?: { readonly from: string; readonly to: string };
}

export interface PendingCall {
  /** As the agent names it. */
  readonly tool: string;
  /** Effect on files: `edit` rules apply to every tool that changes them. */
  readonly changesFiles: boolean;
  readonly subjects: readonly Subject[];
  /** False when the call has more than its subjects; then rules may deny it but never allow it. */
  readonly isWhole: boolean;
  /** Directory of the session, to which rules are relative; undefined when unknown. */
  readonly cwd?: string;
  /** Where a command runs, if not there; undefined inside when unknown. */
  readonly elsewhere?: { readonly directory: string | undefined };
}

/** Where a command starts; undefined when unknown. */
export function startOf({ cwd, elsewhere }: PendingCall): string | undefined {
  return elsewhere === undefined ? cwd : elsewhere.directory;
}

/** Names by which a rule may match it. */
export function namesOf({ tool, changesFiles }: PendingCall, { kind }: Subject): string[] {
  return [
    tool,
    ...(kind === "command" || (kind === "call" && SHELLS.has(tool.toLowerCase())) ? ["shell"] : []),
    ...(changesFiles && kind === "path" ? ["edit", "write"] : []),
  ];
}

/**
 * Scope of a remembered approval: any content for a path, the exact text for a command, the exact arguments for a call.
 */
export interface Cover extends Pick<Subject, "kind" | "text"> {
  readonly tool: string;
}

/** Approval of a command with extras, such as another directory, does not cover the plain command. */
export function coversOf(call: PendingCall): Cover[] {
  const subjects = call.isWhole ? call.subjects : call.subjects.filter(({ kind }) => kind === "call");
  return subjects.map(({ kind, text }) => ({ tool: familyOf(call, kind), kind, text }));
}

export function coverKey({ tool, kind, text }: Cover): string {
  return JSON.stringify([tool, kind, text]);
}

function familyOf({ tool, changesFiles }: PendingCall, kind: Subject["kind"]): string {
  if (kind === "command") return "shell";
  return kind === "path" && changesFiles ? "edit" : tool;
}
