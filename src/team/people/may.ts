/**
 * Who may do what on a team server: one pure function, which is called before anything reads or changes a session. What is
 * not listed here is not allowed, and an action or command without a row does not compile.
 */
import type { ClientFrame, Command, CommandType } from "../../protocol/index.ts";

/** read: sessions. use: also write, answer and stop. manage: also own devices, invitations and shares. */
export type DeviceScope = "read" | "use" | "manage";

/** A signed-in person on one of their devices; expired and revoked devices never become one. */
export interface TeamPrincipal {
  readonly person: string;
  readonly device: string;
  readonly scopes: readonly DeviceScope[];
}

/** viewer reads. driver also writes messages, stops, and answers what the owner opened to others. owner: everything. */
export type Role = "viewer" | "driver" | "owner";

/** A role given to a person, for one session or for a folder of a runner and everything below it. */
export interface Grant {
  readonly person: string;
  readonly role: Role;
  readonly on: { readonly sessionId: string } | { readonly runnerId: string; readonly folder: string };
}

export interface SessionTarget {
  readonly kind: "session";
  readonly sessionId: string;
  readonly runnerId: string;
  /** The owner of the runner. */
  readonly owner: string;
  readonly cwd: string;
  /** The owner lets drivers answer requests of this session. */
  readonly answersOpen: boolean;
  readonly grants: readonly Grant[];
}

/** Where a new session would work. */
export interface FolderTarget {
  readonly kind: "folder";
  readonly runnerId: string;
  readonly owner: string;
  readonly cwd: string;
  readonly grants: readonly Grant[];
}

/** A device of this person. */
export interface PersonTarget {
  readonly kind: "person";
  readonly person: string;
}

export type Target = SessionTarget | FolderTarget | PersonTarget;

/** Beside commands: what frames and routes ask for. */
export type Action =
  | "read"
  | "upload"
  | "create"
  | "trash"
  | "share"
  | "list_devices"
  | "revoke_device"
  | "pair_device"
  | `command:${CommandType}`;

/** hidden: to this person the target does not exist. */
export type Verdict = "yes" | "no" | "hidden";

interface Requirement {
  readonly role: Role;
  readonly scope: DeviceScope;
  /** Enough for a driver where the owner has opened answers. */
  readonly isAnswer?: true;
}

const READ: Requirement = { role: "viewer", scope: "read" };
const WRITE: Requirement = { role: "driver", scope: "use" };
const ANSWER: Requirement = { role: "owner", scope: "use", isAnswer: true };
const OWN: Requirement = { role: "owner", scope: "use" };
const MANAGE: Requirement = { role: "owner", scope: "manage" };

const COMMANDS: Readonly<Record<CommandType, Requirement>> = {
  send: WRITE,
  steer: WRITE,
  queue_add: WRITE,
  queue_edit: WRITE,
  queue_reorder: WRITE,
  queue_remove: WRITE,
  queue_promote: WRITE,
  interrupt: WRITE,
  retry: WRITE,
  continue: WRITE,
  round: WRITE,
  // Names of files that need not be in the log.
  list_files: WRITE,
  list_permissions: READ,
  answer: ANSWER,
  plan_decision: ANSWER,
  mute: OWN,
  unmute: OWN,
  add_member: OWN,
  remove_member: OWN,
  compact: OWN,
  compact_undo: OWN,
  pin: OWN,
  clear: OWN,
  // On the owner's runner. Who continues a session elsewhere reads it, and creates one there.
  fork: OWN,
  archive: OWN,
  rename: OWN,
  switch_model: OWN,
  switch_effort: OWN,
  set_settings: OWN,
  minutes: OWN,
  revoke_permission: OWN,
};

const OTHERS: Readonly<Record<Exclude<Action, `command:${CommandType}`>, Requirement & { on: Target["kind"] }>> = {
  read: { ...READ, on: "session" },
  upload: { ...WRITE, on: "session" },
  create: { ...WRITE, on: "folder" },
  trash: { ...OWN, on: "session" },
  share: { ...MANAGE, on: "session" },
  list_devices: { ...MANAGE, on: "person" },
  revoke_device: { ...MANAGE, on: "person" },
  pair_device: { ...MANAGE, on: "person" },
};

/** Undefined for a frame without a target: what it gives is filtered session by session. */
export const FRAME_ACTIONS: Readonly<Record<Exclude<ClientFrame["frame"], "command">, Action | undefined>> = {
  hello: undefined,
  list: undefined,
  search: undefined,
  follow_list: undefined,
  trash: undefined,
  unsubscribe: undefined,
  snapshot: "read",
  page: "read",
  subscribe: "read",
  put_blob: "upload",
  create: "create",
  delete: "trash",
  restore: "trash",
  compress: "trash",
};

export function commandAction({ type }: Pick<Command, "type">): Action {
  return `command:${type}`;
}

export function may(principal: TeamPrincipal, action: Action, target: Target): Verdict {
  const role = roleOf(principal.person, target);
  if (role === undefined) return "hidden";
  const requirement = requirementOf(action);
  if (requirement?.on !== target.kind) return "no";
  if (!hasScope(principal, requirement.scope)) return "no";
  if (RANKS[role] >= RANKS[requirement.role]) return "yes";
  const isOpened = requirement.isAnswer === true && target.kind === "session" && target.answersOpen;
  return isOpened && role === "driver" ? "yes" : "no";
}

const RANKS: Readonly<Record<Role, number>> = { viewer: 1, driver: 2, owner: 3 };
const SCOPE_RANKS: Readonly<Record<DeviceScope, number>> = { read: 1, use: 2, manage: 3 };

function requirementOf(action: Action): (Requirement & { on: Target["kind"] }) | undefined {
  if (Object.hasOwn(OTHERS, action)) return OTHERS[action as keyof typeof OTHERS];
  // Strings from a connection may name anything.
  const type = /^command:(.+)$/.exec(action)?.[1];
  if (type === undefined || !Object.hasOwn(COMMANDS, type)) return undefined;
  return { ...COMMANDS[type as CommandType], on: "session" };
}

function hasScope({ scopes }: TeamPrincipal, scope: DeviceScope): boolean {
  return scopes.some((one) => SCOPE_RANKS[one] >= SCOPE_RANKS[scope]);
}

/** The highest role that applies. */
function roleOf(person: string, target: Target): Role | undefined {
  if (target.kind === "person") return target.person === person ? "owner" : undefined;
  if (target.owner === person) return "owner";
  const roles = target.grants
    .filter((grant) => grant.person === person && covers(grant, target))
    .map(({ role }) => role);
  return roles.sort((a, b) => RANKS[b] - RANKS[a])[0];
}

function covers({ on }: Grant, target: SessionTarget | FolderTarget): boolean {
  if ("sessionId" in on) return target.kind === "session" && on.sessionId === target.sessionId;
  return on.runnerId === target.runnerId && isWithin(target.cwd, on.folder);
}

const NOT_PLAIN = /(?:^|[/\\])\.{1,2}(?:[/\\]|$)/;

/** Both absolute and plain: a path that climbs is in no folder. */
export function isWithin(directory: string, folder: string): boolean {
  if (folder === "" || NOT_PLAIN.test(directory) || NOT_PLAIN.test(folder)) return false;
  const base = folder.replace(/[/\\]+$/, "");
  return directory === base || directory.startsWith(`${base}/`) || directory.startsWith(`${base}\\`);
}
