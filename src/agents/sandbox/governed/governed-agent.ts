/**
 * Member of a writable session whose sandbox keeps files that govern agents, git and editors read-only: allowed changes
 * of them are made by Roundtable, and files that appear without approval are moved to quarantine at once. Everything
 * else is forwarded.
 */
import path from "node:path";
import { onceValue, type MemberSpec, type UiRequestBody } from "../../../protocol/index.ts";
import { describePendingCall } from "../../approvals/describe-call.ts";
import type { ConversationHistory } from "../../history.ts";
import type { Agent, AgentEvent, AnswerResult, SteerInput, TurnInput } from "../../port.ts";
import { isGoverned } from "./is-governed.ts";
import { applyChange } from "./apply-change.ts";
import type { GovernedWatch, SweepOptions, WorkingMember } from "./watch.ts";

export interface GovernedAgentOptions {
  readonly agent: Agent;
  readonly spec: Pick<MemberSpec, "name" | "kind">;
  readonly cwd: string;
  /** Shared by the members of a session. */
  readonly watch: GovernedWatch;
  /** Quarantine directory. */
  readonly quarantine: string;
}

/** Files moved at once in one turn; a program that makes one again and again is left to the check after its call. */
const AT_ONCE_MAX = 50;

type Approval = Extract<UiRequestBody, { method: "approval" }>;

interface PendingApproval {
  readonly request: Approval;
  readonly nativeToolId: string | undefined;
}

export function createGovernedAgent(options: GovernedAgentOptions): Agent {
  return new GovernedAgent(options);
}

class GovernedAgent implements Agent {
  readonly #options: GovernedAgentOptions;
  readonly #pending = new Map<string, PendingApproval>();
  /** Files that Roundtable changed for a call, by the agent's id of it. */
  readonly #applied = new Map<string, string>();
  #up: (event: AgentEvent) => void = () => {};
  #isSandboxed = false;
  #nextCheckMs = 0;
  #movedAtOnce = 0;
  #isWholeDue = false;
  #later: NodeJS.Timeout | undefined;

  constructor(options: GovernedAgentOptions) {
    this.#options = options;
  }

  get capabilities(): Agent["capabilities"] {
    return this.#options.agent.capabilities;
  }

  start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    return this.#options.agent.start((event) => {
      this.#note(event);
      up(this.#withOutcome(event));
    });
  }

  send(input: TurnInput | SteerInput): void {
    const { agent, watch, spec } = this.#options;
    if (input.kind === "turn") {
      this.#movedAtOnce = 0;
      watch.begin(spec.name, this.#working());
    }
    agent.send(input);
  }

  #working(): WorkingMember {
    const isSandboxed = (): boolean => this.#isSandboxed;
    return {
      get isSandboxed() {
        return isSandboxed();
      },
      onGoverned: (file) => (this.#movedAtOnce < AT_ONCE_MAX ? this.#sweep("check", { file }) : undefined),
      onGit: () => this.#checkSoon("git"),
      checkAll: () => this.#sweep("check"),
    };
  }

  /** Now, or when enough time has passed since the last check. */
  #checkSoon(only?: "git"): void {
    if (only === undefined) this.#isWholeDue = true;
    const check = (): void => this.#sweep("check", this.#isWholeDue ? undefined : "git");
    const waitMs = this.#nextCheckMs - performance.now();
    if (waitMs <= 0) check();
    else this.#later ??= setTimeout(check, waitMs).unref();
  }

  interrupt(): void {
    this.#options.agent.interrupt();
  }

  compact(focus?: string, history?: ConversationHistory): void {
    this.#options.agent.compact?.(focus, history);
  }

  answer(callId: string, result: AnswerResult): void {
    const pending = this.#pending.get(callId);
    this.#pending.delete(callId);
    this.#options.agent.answer(callId, pending === undefined ? result : this.#carryOut(pending, result));
  }

  async close(): Promise<void> {
    await this.#options.agent.close();
    this.#sweep("end");
  }

  #note(event: AgentEvent): void {
    if (event.type === "subagent_event") return this.#note(event.event);
    if (event.type === "member_guard") {
      this.#isSandboxed = event.guard === "sandbox";
      if (!this.#isSandboxed) this.#options.watch.ignore(this.#options.spec.name);
    }
    if (event.type === "request_withdrawn") this.#pending.delete(event.callId);
    if (event.type === "request" && event.request.method === "approval") {
      this.#pending.set(event.callId, { request: event.request, nativeToolId: event.nativeToolId });
    }
    if (event.type === "tool_result") this.#checkSoon();
    if (event.type !== "turn_done") return;
    this.#pending.clear();
    this.#applied.clear();
    this.#sweep("end");
  }

  /** The agent reports a denial, though the change was made. */
  #withOutcome(event: AgentEvent): AgentEvent {
    if (event.type === "subagent_event") return { ...event, event: this.#withOutcome(event.event) };
    const file = event.type === "tool_result" ? this.#applied.get(event.nativeId) : undefined;
    if (event.type !== "tool_result" || file === undefined || event.ok) return event;
    const { error: _error, ...result } = event;
    return { ...result, ok: true, result: `Roundtable made this change to ${file}.` };
  }

  /** Answer to the agent: a denial that says the change was made, where it could not make it itself. */
  #carryOut({ request, nativeToolId }: PendingApproval, result: AnswerResult): AnswerResult {
    const { cwd, watch } = this.#options;
    if (result.error !== null || result.result !== onceValue(request)) return result;
    const files = this.#governedIn(request);
    for (const file of files) watch.allow(file);
    const [file, ...others] = files;
    if (file === undefined || !this.#isSandboxed) return result;
    const { call, diff } = request;
    const why = others.length > 0 ? "it covers several files" : applyChange({ cwd, file, call, diff });
    const detail = why === undefined ? "Allowed once, applied by Roundtable" : `Allowed, but not applied: ${why}`;
    if (nativeToolId === undefined) this.#up({ type: "ui_notify", notifyType: "info", message: `${file}: ${detail}` });
    else {
      this.#up({ type: "tool_call_update", nativeId: nativeToolId, detail });
      if (why === undefined) this.#applied.set(nativeToolId, file);
    }
    return { result: false, error: null, reason: reasonFor(file, why) };
  }

  /** Empty when it changes anything else, or nothing. */
  #governedIn(request: Approval): string[] {
    const { spec, cwd } = this.#options;
    const { changesFiles, subjects } = describePendingCall(request, { kind: spec.kind, cwd });
    const files = subjects.flatMap(({ kind, text }) => (kind === "path" ? [text] : []));
    return changesFiles && files.every((file) => isGoverned(file)) ? files : [];
  }

  /** At most a tenth of the time is spent on checks of everything; one file costs nothing. */
  #sweep(how: "check" | "end", only?: SweepOptions["only"]): void {
    const { spec, cwd, watch, quarantine } = this.#options;
    const startedMs = performance.now();
    const { moved, reduced, left } = watch[how](spec.name, { isSandboxed: this.#isSandboxed, quarantine, only });
    if (only !== undefined && only !== "git") this.#movedAtOnce += moved.length;
    else {
      if (only === undefined) this.#isWholeDue = false;
      const endedMs = performance.now();
      this.#nextCheckMs = endedMs + 10 * (endedMs - startedMs);
      clearTimeout(this.#later);
      this.#later = undefined;
    }
    const appeared = (file: string) => `${path.relative(cwd, file)} appeared during ${spec.name}'s turn`;
    for (const { from, to } of moved) {
      const message = `${appeared(from)} without approval. It can make other programs run commands, so it was moved away. To restore it: mv ${quoted(to)} ${quoted(from)}`;
      this.#up({ type: "warning", code: "governed_file_moved", message });
    }
    for (const { from, to, keys } of reduced) {
      const message = `${appeared(from)} with settings that can run programs (${keys.slice(0, 5).join(", ")}); they were removed. To restore them: mv ${quoted(to)} ${quoted(from)}`;
      this.#up({ type: "warning", code: "governed_file_moved", message });
    }
    for (const { file, why } of left) {
      const message = `${appeared(file)} and can make other programs run commands. It could not be removed (${why}). Check it before you use it.`;
      this.#up({ type: "warning", code: "governed_file_new", message });
    }
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function reasonFor(file: string, why: string | undefined): string {
  return why === undefined
    ? `The user allowed it, and Roundtable has already made exactly this change to ${file}, which is read-only for you. Do not make it again; go on.`
    : `The user allowed it, but ${file} is read-only for you and Roundtable could not make exactly this change: ${why}. Read the file again and ask for one edit of this file alone.`;
}
