/**
 * Options of an approval, identical for every agent. An agent's own options are not shown: it always gets "once" or
 * "deny", and the session remembers wider approvals.
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
  /** Session directory. */
  readonly cwd: string;
  /** Whether permanent approvals are available. */
  readonly hasAlways: boolean;
}

/** Why the user is asked although rules seemed to decide. */
export interface Why {
  /** Continues "Asked because". */
  readonly because?: string;
  /** The rule it may evade; then only a rule for exactly this call may decide instead of the user. */
  readonly doubt?: string;
}

/** What the session knows about a request and its agent does not say. */
export interface Noted extends Why {
  /** The call is spelled like one of another kind of agent, so it is shown as it is. */
  readonly lookalike?: true;
  /** "notes.txt leads to /home/ann/.bashrc". */
  readonly links?: readonly string[];
}

const LASTING: ReadonlySet<Json> = new Set([FOR_SESSION, FOR_ALWAYS, FOR_EDITS]);

const COVERS_MAX = 50;
/** The scope is stored in the request a second time, which must still fit into one event. */
const COVERS_CHARS_MAX = 16 * 1024;
const FILE_CHARS_MAX = 80;
const FOLDER_CHARS_MAX = 40;

/** The same request with our options. Without a scope an approval applies once. */
export function withChoices({ opts, ...request }: Approval, scope: Scope | undefined, noted: Noted = {}): Approval {
  // Only the session sets what an approval covers, why it asks and what it has noted.
  const {
    covers: _covers,
    because: _because,
    doubt: _doubt,
    lookalike: _lookalike,
    links: _links,
    ...others
  } = opts ?? {};
  const { links, ...why } = noted;
  const lasting = scope === undefined ? undefined : lastingChoices(scope);
  const own = {
    ...others,
    ...why,
    ...(links === undefined || links.length === 0 ? {} : { links: [...links] }),
    ...(lasting === undefined ? {} : { covers: lasting.covers.map((cover) => ({ ...cover })) }),
  };
  return {
    ...request,
    options: [{ label: "Allow once", value: ALLOW_ONCE }, ...(lasting?.options ?? []), { label: "Deny", value: DENY }],
    ...(Object.keys(own).length === 0 ? {} : { opts: own }),
  };
}

const LINKS_MAX = 20;

/** Files of a change that are not where their names say. */
export function linksOf({ changesFiles, subjects }: PendingCall): string[] {
  const paths = changesFiles ? subjects.filter(({ kind }) => kind === "path") : [];
  return paths
    .flatMap(({ link }) => (link === undefined ? [] : `${link.from} leads to ${link.to}`))
    .slice(0, LINKS_MAX);
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

/** An approval that the session has to remember. */
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
