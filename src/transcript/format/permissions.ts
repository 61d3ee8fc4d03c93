/** Rows of the permission list, for screens and for the screen reader. */

import type { Permission, Permissions, Revoked, Guard } from "../../protocol/index.ts";
import type { Head, MemberState } from "../model.ts";

export interface PermissionRow {
  readonly label: string;
  /** Its source, or what would change it. */
  readonly description: string;
  /** Set for what can be revoked, together with its number. */
  readonly permissionId?: string;
  readonly number?: number;
  /** Why it cannot be revoked. */
  readonly why?: string;
}

/** `ageOf` formats the time since a timestamp. */
export function permissionRows(listed: Permissions, ageOf: (ts: number) => string): PermissionRow[] {
  let number = 0;
  const rows = listed.permissions.map((one): PermissionRow => {
    const row = { label: `${one.verdict} ${formatRule(one)}`, description: formatOrigin(one, ageOf) };
    const { permissionId } = one;
    if (permissionId === undefined) return { ...row, why: "Change a rule in the file it comes from." };
    number += 1;
    return { ...row, permissionId, number };
  });
  return [writableRow(listed), ...rows, ...closingRows(listed)];
}

function writableRow({ writable, permissions }: Permissions): PermissionRow {
  const why = "/writable on and /writable off change that.";
  if (writable) return { label: `Writable: ${WRITABLE_LABELS.on}`, description: "/writable off ends it", why };
  const isWaiting = permissions.some(({ verdict }) => verdict === "allow");
  return {
    label: `Read-only: ${WRITABLE_LABELS.off}`,
    description: `/writable on changes it${isWaiting ? "; until then, nothing below allows anything" : ""}`,
    why,
  };
}

function closingRows({ writable, leftOut }: Permissions): PermissionRow[] {
  const others = { label: "ask everything else", description: "that changes files or runs commands" };
  return [
    ...(leftOut === 0
      ? []
      : [{ label: `${leftOut} more`, description: "are not listed", why: "They are not listed." }]),
    ...(writable ? [{ ...others, why: "Nothing allows it yet." }] : []),
  ];
}

function formatRule({ rule, reach }: Pick<Permission, "rule" | "reach">): string {
  return reach === "edits" ? "changes to every file here" : rule;
}

function formatOrigin({ reach, from, member, ts }: Permission, ageOf: (ts: number) => string): string {
  const whose = `your answer${member === undefined ? "" : ` to ${member}`}${ts === undefined ? "" : `, ${ageOf(ts)}`}`;
  switch (reach) {
    case "rule":
      return from ?? "a rule";
    case "session":
      return `exactly this, for this session; ${whose}`;
    case "edits":
      return `for this session, but not for files of git or of agents; ${whose}`;
    default:
      return `exactly this, always in this folder; ${from ?? "your answer"}`;
  }
}

/** The state after a revocation. */
export function formatRevoked({ rule, reach, now, by }: Revoked): string {
  if (reach === "edits") return "Revoked. Edits in this folder need approval again, unless a rule allows them.";
  if (now === "allow") return `Revoked, but it still runs without asking (${by ?? "allowed"}): ${rule}`;
  if (now === "deny") return `Revoked, and now denied (${by ?? "a rule"}): ${rule}`;
  return `Revoked. You will be asked again: ${rule}`;
}

/** Labels of writable and read-only sessions. */
export const WRITABLE_LABELS = {
  on: "members can edit files and run commands; you are asked unless a rule allows it",
  off: "members only read and advise",
} as const;

/** What /writable says without an argument. */
export function formatWritable(isOn: boolean): string {
  return isOn
    ? `On: ${WRITABLE_LABELS.on}. /writable off ends it.`
    : `Off: ${WRITABLE_LABELS.off}. /writable on lets them edit and run commands.`;
}

/** Labels of what keeps a member from changing files without approval. */
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

/** Undefined before the member's program has started, and for members without one. */
export function describeGuard({ settings }: Pick<Head, "settings">, { guard }: MemberState): string | undefined {
  if (guard === undefined) return undefined;
  return (settings?.writable === true ? WRITABLE : READ_ONLY)[guard.kind];
}
