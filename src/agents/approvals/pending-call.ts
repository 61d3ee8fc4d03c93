/** What a call is about, in the words that rules and remembered approvals use, whichever agent wants to make it. */

/** One thing that a call does: runs a command, touches a path, or is just this call. */
export interface Subject {
  readonly kind: "command" | "path" | "call";
  /** The command, the path from the session's directory (links resolved, absolute outside of it), or the exact call. */
  readonly text: string;
  /** Other names of a path, by which it can be denied: as it was written, before links were resolved. */
  readonly aliases?: readonly string[];
}

export interface PendingCall {
  /** By the name that the agent gives it. */
  readonly tool: string;
  /** What it does to files: rules for `edit` are about every tool that changes them. */
  readonly changesFiles: boolean;
  readonly subjects: readonly Subject[];
  /** False when the call has more to it than its subjects tell; then it can be refused by them, never allowed. */
  readonly isWhole: boolean;
  /** Where relative paths in it begin; undefined where nobody knows. */
  readonly cwd?: string;
}

/** The names by which a rule may mean it. */
export function namesOf({ tool, changesFiles }: PendingCall, { kind }: Subject): string[] {
  return [
    tool,
    ...(kind === "command" ? ["shell"] : []),
    ...(changesFiles && kind === "path" ? ["edit", "write"] : []),
  ];
}

/** What is remembered of an approval: for one path any content, a command only as it stands, a call only with its arguments. */
export interface Cover extends Pick<Subject, "kind" | "text"> {
  readonly tool: string;
}

/** A yes to a command with something beside it, such as another directory, is none to the command by itself. */
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
