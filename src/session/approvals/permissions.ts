/**
 * Lists and revokes what members may do without asking. Reachable by client commands only, never by members. A
 * revocation applies from the next call on, in running turns too.
 */
import { createHash } from "node:crypto";
import { coverKey, writtenRule, type Cover, type Rule } from "../../agents/index.ts";
import { withEllipsis } from "../../kit/text/format.ts";
import {
  coverRule,
  RoundtableError,
  type CommandOf,
  type Permission,
  type Permissions,
  type Reach,
  type Revoked,
  type Verdict,
} from "../../protocol/index.ts";
import { fitEvent } from "../fit-event.ts";
import { PERMISSION_CHARS_MAX, PERMISSIONS_LISTED_MAX } from "../limits.ts";
import type { Allowed } from "./remembered-approvals.ts";
import { settingsOf, type SessionState } from "../state.ts";

/** A grant of the user, as listed. */
interface Given extends Permission {
  readonly reach: Reach;
  readonly permissionId: string;
  /** Absent for all files here. */
  readonly cover?: Cover;
}

export function listPermissions(state: SessionState): Permissions {
  const given = givenBy(state);
  const of = (reach: Reach) => given.filter((one) => one.reach === reach).map(({ cover: _cover, ...one }) => one);
  const rules = (verdict: Verdict) => rulesOf(state, verdict);
  const all = [
    ...rules("deny"),
    ...of("session"),
    ...rules("ask"),
    ...rules("allow"),
    ...of("edits"),
    ...of("always"),
  ] satisfies Permission[];
  const permissions = all.slice(0, PERMISSIONS_LISTED_MAX);
  return {
    writable: settingsOf(state).writable,
    cwd: state.ledger.transcript.head.cwd,
    permissions,
    leftOut: all.length - permissions.length,
  };
}

export async function revokePermission(
  state: SessionState,
  { permissionId }: CommandOf<"revoke_permission">,
  clientId: string,
): Promise<Revoked> {
  const one = givenBy(state).find((each) => each.permissionId === permissionId);
  if (one === undefined) {
    throw new RoundtableError("conflict", `Nothing is allowed under "${permissionId}" any more.`, {
      hint: "List the permissions again; it may have been revoked elsewhere.",
    });
  }
  const { reach, rule, cover } = one;
  if (reach === "always" && cover !== undefined) await removeAlways(state, cover);
  const { ledger } = state;
  const before = ledger.refused.count;
  ledger.append([fitEvent({ type: "permission_revoked", reach, ...(cover === undefined ? {} : { cover }), clientId })]);
  if (ledger.refused.count > before) throw ledger.refused.why;
  return { reach, rule, ...decidedNow(state, cover) };
}

async function removeAlways({ approvals, ledger }: SessionState, cover: Cover): Promise<void> {
  try {
    await approvals.always?.remove(cover, ledger.transcript.head.cwd);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new RoundtableError("store_unavailable", `It is still allowed: ${approvals.always?.file} was not written.`, {
      hint: `${why}. Make it writable, or remove the entry by hand.`,
      cause,
    });
  }
}

/** The decision about such a call now; rules or another grant may still allow it. */
function decidedNow({ approvals }: SessionState, cover: Cover | undefined): Pick<Revoked, "now" | "by"> {
  if (cover === undefined) return { now: "ask" };
  const changesFiles = cover.kind === "path" && cover.tool === "edit";
  const ruling = approvals.judge({ tool: cover.tool, changesFiles, subjects: [cover], isWhole: true });
  return ruling === undefined ? { now: "ask" } : { now: ruling.verdict, by: ruling.by };
}

function rulesOf({ approvals }: SessionState, verdict: Verdict): Permission[] {
  return approvals.rules.filter((rule) => rule.verdict === verdict).map(listedRule);
}

function listedRule(rule: Rule): Permission {
  const { verdict, from } = rule;
  return { verdict, reach: "rule", rule: shortened(writtenRule(rule)), ...(from === undefined ? {} : { from }) };
}

function givenBy({ approvals, ledger }: SessionState): Given[] {
  const { always } = approvals;
  const { edits } = ledger.memory.approvals;
  return [
    ...approvals.forSession.map((one) => givenFor("session", one.cover, whose(one))),
    ...(edits === undefined ? [] : [{ ...allowing("edits", ""), rule: "", ...whose(edits) }]),
    ...(always?.list(ledger.transcript.head.cwd) ?? []).map((cover) =>
      givenFor("always", cover, { from: always?.file ?? "" }),
    ),
  ];
}

function givenFor(reach: Reach, cover: Cover, origin: Pick<Permission, "from" | "member" | "ts">): Given {
  return { ...allowing(reach, coverKey(cover)), rule: shortened(coverRule(cover)), cover, ...origin };
}

/** Id by content, never by position: others may have been revoked since the listing. */
function allowing(reach: Reach, key: string): Pick<Given, "verdict" | "reach" | "permissionId"> {
  const permissionId = createHash("sha256").update(`${reach}\0${key}`).digest("hex").slice(0, 32);
  return { verdict: "allow", reach, permissionId };
}

function whose({ member, ts }: Pick<Allowed, "member" | "ts">): Pick<Permission, "member" | "ts"> {
  return { ...(member === undefined ? {} : { member }), ts };
}

function shortened(rule: string): string {
  return withEllipsis(rule, PERMISSION_CHARS_MAX);
}
