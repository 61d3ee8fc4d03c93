/**
 * The choices of an approval: the same in the same order for every agent. What an agent offers itself is not shown; it
 * is told "once" or a denial each time, and how far a yes reaches is the session's to remember.
 */
import { homedir } from "node:os";
import path from "node:path";
import {
  ALLOW_ONCE,
  DENY,
  FOR_ALWAYS,
  FOR_EDITS,
  FOR_SESSION,
  type Json,
  type UiRequestBody,
} from "../../protocol/index.ts";
import { coversOf, type PendingCall, type Cover } from "./pending-call.ts";

export type Approval = Extract<UiRequestBody, { method: "approval" }>;

export interface Scope {
  readonly call: PendingCall;
  /** The session's directory. */
  readonly cwd: string;
  /** Whether something can be allowed for good. */
  readonly hasAlways: boolean;
}

/** Why a person is asked, where rules seemed to decide. */
export interface Why {
  /** After "asked because". */
  readonly because?: string;
  /** The rule that it may get around; then only a rule for exactly this call may answer for the person. */
  readonly doubt?: string;
}

const LASTING: ReadonlySet<Json> = new Set([FOR_SESSION, FOR_ALWAYS, FOR_EDITS]);

const COVERS_MAX = 50;
/** What is remembered stands in the request a second time, which must still fit into one event. */
const COVERS_CHARS_MAX = 16 * 1024;
const FILE_CHARS_MAX = 80;
const FOLDER_CHARS_MAX = 40;

/** The same request with our own choices. Without a scope a yes reaches no further than once. */
export function withChoices({ opts, ...request }: Approval, scope: Scope | undefined, why: Why = {}): Approval {
  // Only the session says what a yes covers, and why it asks.
  const { covers: _covers, because: _because, doubt: _doubt, ...others } = opts ?? {};
  const lasting = scope === undefined ? undefined : lastingChoices(scope);
  const own = {
    ...others,
    ...why,
    ...(lasting === undefined ? {} : { covers: lasting.covers.map((cover) => ({ ...cover })) }),
  };
  return {
    ...request,
    options: [{ label: "Allow once", value: ALLOW_ONCE }, ...(lasting?.options ?? []), { label: "Deny", value: DENY }],
    ...(Object.keys(own).length === 0 ? {} : { opts: own }),
  };
}

function lastingChoices({ call, cwd, hasAlways }: Scope) {
  const covers = coversOf(call);
  const isTooLong = covers.length > COVERS_MAX || JSON.stringify(covers).length > COVERS_CHARS_MAX;
  if (covers.length === 0 || isTooLong) return undefined;
  const what = describeCovers(call, covers);
  const always = { label: `Always allow ${what} in ${folderName(cwd)}`, value: FOR_ALWAYS };
  const options = [{ label: `Allow ${what} for this session`, value: FOR_SESSION }, ...(hasAlways ? [always] : [])];
  return { covers, options };
}

/** A yes that reaches further than once: the session's to remember. */
export function isLasting(result: Json): boolean {
  return LASTING.has(result);
}

function describeCovers({ subjects }: PendingCall, covers: readonly Cover[]): string {
  if (subjects.some(({ kind }) => kind === "command")) return "this command";
  if (covers.some(({ kind }) => kind !== "path")) return "exactly this call";
  const [first, ...more] = covers;
  if (more.length > 0) return `edits of these ${covers.length} files`;
  return first !== undefined && first.text.length <= FILE_CHARS_MAX ? `edits of ${first.text}` : "edits of this file";
}

function folderName(cwd: string): string {
  const home = homedir();
  const isInHome = cwd === home || cwd.startsWith(home + path.sep);
  const name = isInHome && home !== path.sep ? `~${cwd.slice(home.length)}` : cwd;
  return name.length > FOLDER_CHARS_MAX ? path.basename(cwd) : name;
}
