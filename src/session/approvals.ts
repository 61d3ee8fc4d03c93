/**
 * What is decided about a call without asking the user, for the calls of all members. In this order: rules that refuse,
 * what was allowed for this session, rules that ask, rules that allow, every file here, what was allowed for always.
 * Promise: a session that is read-only is never widened: there, rules can refuse and nothing else.
 */
import {
  coversOf,
  describeAsked,
  editsHere,
  judgeCall,
  withScopes,
  type Approval,
  type ApprovalSource,
  type AskedCall,
  type Cover,
  type Ruling,
} from "../agents/index.ts";
import type { AgentKind } from "../protocol/index.ts";
import type { RememberedApprovals } from "./remembered-approvals.ts";

export interface ApprovalsOptions {
  readonly source: ApprovalSource | undefined;
  readonly remembered: () => RememberedApprovals;
  readonly place: () => { cwd: string; writable: boolean };
  /** Undefined for who does not sit at the table. */
  readonly kindOf: (member: string) => AgentKind | undefined;
}

export class Approvals {
  readonly #options: ApprovalsOptions;

  constructor(options: ApprovalsOptions) {
    this.#options = options;
  }

  /** Null: nothing decides, so the user is asked. */
  judge(asked: AskedCall): Ruling | null {
    const { source, remembered, place } = this.#options;
    const { cwd, writable } = place();
    const ruled = judgeCall(source?.rulesFor(cwd) ?? [], asked);
    if (ruled?.verdict === "deny") return ruled;
    if (!writable) return ruled?.verdict === "ask" ? ruled : null;
    const covers = coversOf(asked);
    const isCovered = (has: (cover: Cover) => boolean) => covers.length > 0 && covers.every(has);
    if (isCovered((cover) => remembered().has(cover))) return { verdict: "allow", by: "allowed for this session" };
    if (ruled !== null) return ruled;
    // After the rules: one that asks about some files goes on asking.
    if (remembered().hasEdits && editsHere(asked)) return { verdict: "allow", by: "every file here, for this session" };
    const isAlways = isCovered((cover) => source?.always?.has(cover, cwd) === true);
    return isAlways ? { verdict: "allow", by: "always allowed in this directory" } : null;
  }

  judgeRequest(request: Approval, member: string): Ruling | null {
    return this.judge(this.#describe(request, member));
  }

  /** With the table's own choices of how far a yes reaches, where a yes can reach further than once. */
  offer(request: Approval, member: string): Approval {
    const { source, place } = this.#options;
    if (!place().writable) return request;
    return withScopes(request, this.#describe(request, member), { hasAlways: source?.always !== undefined });
  }

  /** Rejects when it could not be kept. */
  async keepAlways(covers: readonly Cover[]): Promise<void> {
    const { source, place } = this.#options;
    await source?.always?.add(covers, place().cwd);
  }

  #describe(request: Approval, member: string): AskedCall {
    const { kindOf, place } = this.#options;
    return describeAsked(request, { kind: kindOf(member), cwd: place().cwd });
  }
}
