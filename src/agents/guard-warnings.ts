/**
 * Warnings about missing guards: once per session and host start that there is no sandbox, once per member that deny
 * rules may not hold for it.
 */
import type { Agent, AgentEvent } from "./port.ts";
import { ruleText, type Rule } from "./approvals/rule.ts";
import { probeSandbox, type Probed } from "./sandbox/probe.ts";
import { ACTS_UNASKED, type SandboxSettings } from "./sandbox/sandbox.ts";

const RULES_NAMED = 3;

export interface WatchedMember {
  readonly sessionId: string;
  readonly member: string;
  readonly cwd: string;
  readonly settings: SandboxSettings;
  /** PATH of its programs. */
  readonly PATH: string | undefined;
  readonly rules: () => readonly Rule[];
}

type Warning = Extract<AgentEvent, { type: "warning" }>;

function actsUnasked({ guard, detail }: Extract<AgentEvent, { type: "member_guard" }>): boolean {
  return guard === "unguarded" || detail === ACTS_UNASKED;
}

export class GuardWarnings {
  /** Keys: session, and session with member. */
  readonly #given = new Set<string>();

  /** Wraps the agent to add these warnings. */
  watch(agent: Agent, about: WatchedMember): Agent {
    let isClosed = false;
    const compact = agent.compact?.bind(agent);
    return {
      get capabilities() {
        return agent.capabilities;
      },
      start: (up) =>
        agent.start((event) => {
          if (event.type === "member_guard" && actsUnasked(event)) this.#warnOfRules(about, up);
          up(event);
          if (event.type !== "member_guard" || event.guard === "sandbox") return;
          void this.#warnOfMissing(about, (warning) => isClosed || up(warning));
        }),
      send: (input) => agent.send(input),
      interrupt: () => agent.interrupt(),
      answer: (callId, result) => agent.answer(callId, result),
      close() {
        isClosed = true;
        return agent.close();
      },
      ...(compact === undefined ? {} : { compact }),
    };
  }

  #warnOfRules({ sessionId, member, rules }: WatchedMember, up: (warning: Warning) => void): void {
    const denying = rules().filter(({ verdict }) => verdict === "deny");
    if (denying.length === 0 || !this.#isFirst(JSON.stringify([sessionId, member]))) return;
    const named = denying.slice(0, RULES_NAMED).map((rule) => `"${ruleText(rule)}"`);
    const more = denying.length > RULES_NAMED ? ` and ${denying.length - RULES_NAMED} more` : "";
    const message = `${member} can act without asking, so these deny rules might not stop it: ${named.join(", ")}${more}.`;
    up({ type: "warning", code: "rules_evaded", message });
  }

  async #warnOfMissing(
    { sessionId, settings, PATH, cwd }: WatchedMember,
    up: (warning: Warning) => void,
  ): Promise<void> {
    if (settings.mode !== "auto") return;
    const probed: Probed = await probeSandbox({ PATH, cwd });
    if (probed.available || !this.#isFirst(sessionId)) return;
    const advice = probed.install === undefined ? "" : ` Install it: ${probed.install}`;
    const message = `Members of this session run without a sandbox: ${probed.reason}${advice}`;
    up({ type: "warning", code: "no_sandbox", message });
  }

  #isFirst(key: string): boolean {
    if (this.#given.has(key)) return false;
    this.#given.add(key);
    return true;
  }
}
