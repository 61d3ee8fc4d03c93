/**
 * Decisions about calls without asking the user, for all members. In this order: deny rules, session grants, ask rules,
 * allow rules, all files here, permanent grants. A read-only session is never widened: there, rules can only deny.
 */
import {
  coverKey,
  coversOf,
  describePendingCall,
  linksOf,
  editsHere,
  judgeCall,
  whyApprovalNeeded,
  withChoices,
  type AlwaysAllowed,
  type Approval,
  type ApprovalSource,
  type PendingCall,
  type Cover,
  type Rule,
  type Ruling,
} from "../../agents/index.ts";
import type { AgentKind, Reach } from "../../protocol/index.ts";
import { isSpelledByAnother } from "../../transcript/index.ts";
import type { Allowed, RememberedApprovals } from "./remembered-approvals.ts";

/** Decided without the user; `grant` is the reach of an earlier grant. */
export type Decision = Ruling & { readonly grant?: Reach };

export interface ApprovalsOptions {
  readonly source: ApprovalSource | undefined;
  readonly remembered: () => RememberedApprovals;
  readonly workspace: () => { cwd: string; writable: boolean };
  /** Undefined for unknown members. */
  readonly kindOf: (member: string) => AgentKind | undefined;
}

const FOR_THIS_SESSION: Decision = { verdict: "allow", by: "allowed for this session", grant: "session" };
const EVERY_FILE: Decision = { verdict: "allow", by: "every file here, for this session", grant: "edits" };
const ALWAYS: Decision = { verdict: "allow", by: "always allowed in this folder", grant: "always" };

export class Approvals {
  readonly #options: ApprovalsOptions;
  /** Permanent grants not yet persisted. */
  readonly #pendingAlways = new Set<string>();

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Null: undecided, so the user is asked. */
  judge(call: PendingCall): Decision | undefined {
    const { remembered, workspace } = this.#options;
    const ruled = judgeCall(this.rules, call);
    if (ruled?.verdict === "deny") return ruled;
    if (!workspace().writable) return ruled?.verdict === "ask" ? ruled : undefined;
    const covers = coversOf(call);
    const isCovered = (has: (cover: Cover) => boolean) => covers.length > 0 && covers.every(has);
    if (isCovered((cover) => this.#isRemembered(cover))) return FOR_THIS_SESSION;
    if (ruled !== undefined && ruled.isDoubt !== true) return ruled;
    // After the rules: a rule that asks about some files keeps asking.
    const hasEdits = remembered().edits !== undefined;
    if (hasEdits && editsHere(call)) return EVERY_FILE;
    const isAlways = isCovered((cover) => this.#isAlways(cover));
    return isAlways ? ALWAYS : ruled;
  }

  judgeRequest(request: Approval, member: string): Decision | undefined {
    return this.judge(this.#describe(request, member));
  }

  get rules(): readonly Rule[] {
    const { source, workspace } = this.#options;
    return source?.rulesFor(workspace().cwd) ?? [];
  }

  /** Session-only grants, oldest first. */
  get forSession(): readonly Allowed[] {
    return this.#options
      .remembered()
      .list()
      .filter(({ always }) => always === undefined);
  }

  get always(): AlwaysAllowed | undefined {
    return this.#options.source?.always;
  }

  /** Adds the choices that every approval has; in a read-only session only "once". */
  offer(request: Approval, member: string): Approval {
    const { cwd, writable } = this.#options.workspace();
    const scope = { call: this.#describe(request, member), cwd, hasAlways: this.always !== undefined };
    const isLookalike = isSpelledByAnother(member, request, this.#options.kindOf(member));
    return withChoices(request, writable ? scope : undefined, {
      ...whyApprovalNeeded(this.rules, scope.call),
      ...(isLookalike ? { lookalike: true } : {}),
      links: linksOf(scope.call),
    });
  }

  /** Rejects when it could not be stored. */
  async persistAlways(covers: readonly Cover[]): Promise<void> {
    const keys = covers.map(coverKey);
    for (const key of keys) this.#pendingAlways.add(key);
    try {
      await this.always?.add(covers, this.#options.workspace().cwd);
    } finally {
      for (const key of keys) this.#pendingAlways.delete(key);
    }
  }

  /** A permanent grant counts only while it is in the shared store. */
  #isRemembered(cover: Cover): boolean {
    const allowed = this.#options.remembered().find(cover);
    if (allowed === undefined) return false;
    return allowed.always === undefined || this.#pendingAlways.has(coverKey(cover)) || this.#isAlways(cover);
  }

  #isAlways(cover: Cover): boolean {
    return this.always?.has(cover, this.#options.workspace().cwd) === true;
  }

  #describe(request: Approval, member: string): PendingCall {
    const { kindOf, workspace } = this.#options;
    return describePendingCall(request, { kind: kindOf(member), cwd: workspace().cwd });
  }
}
