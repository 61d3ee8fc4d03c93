/**
 * `inspect`: what a read-only session without a sandbox has instead of a shell. Run here and not by the agent's program.
 */
import type { HostToolSchema, Json } from "../../../../protocol/index.ts";
import { commandCall } from "../../../approvals/call-fields.ts";
import { describeCall } from "../../../approvals/describe-call.ts";
import type { Agent, AgentEvent, AnswerResult, AgentSetup } from "../../../port.ts";
import { asFields, asTexts } from "../../../record-fields.ts";
import { checkCall, NotRun, PROGRAMS } from "./check-call.ts";
import { runInspection } from "./run-inspection.ts";

const INSPECT_TOOL = "inspect";

export const INSPECT_SCHEMA: Omit<HostToolSchema, "name"> & { readonly name: string } = {
  name: INSPECT_TOOL,
  description:
    `Runs one program that only reads, without a shell, and gives what it prints: ${PROGRAMS}. ` +
    "This session is read-only and has no shell, so there are no pipes, no redirection, no wildcards and no other programs.",
  inputSchema: {
    type: "object",
    properties: {
      argv: {
        type: "array",
        items: { type: "string" },
        minItems: 1,
        description: 'The program and its arguments, one item each, such as ["git", "log", "--oneline", "-20"].',
      },
    },
    required: ["argv"],
    additionalProperties: false,
  },
};

const RUNNING_MAX = 8;

interface InspectionSetup extends Pick<AgentSetup, "cwd" | "judge"> {
  /** Before anything is started. Must not reject. */
  readonly prepare: () => Promise<void>;
}

/** The same agent; its calls of `inspect` are answered here, and everything else passes through. */
export function withInspection(agent: Agent, setup: InspectionSetup): Agent {
  return new InspectingAgent(agent, setup);
}

class InspectingAgent implements Agent {
  readonly #agent: Agent;
  readonly #setup: InspectionSetup;
  readonly #running = new Map<string, AbortController>();

  constructor(agent: Agent, setup: InspectionSetup) {
    this.#agent = agent;
    this.#setup = setup;
  }

  get capabilities(): Agent["capabilities"] {
    return this.#agent.capabilities;
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    await this.#setup.prepare();
    await this.#agent.start((event) => {
      if (event.type === "host_call" && event.tool === INSPECT_TOOL)
        return void this.#inspect(event.callId, event.args);
      if (event.type === "request_withdrawn" && this.#running.has(event.callId)) return this.#stop(event.callId);
      if (event.type === "turn_done") this.#stopAll();
      return up(event);
    });
  }

  send(...input: Parameters<Agent["send"]>): void {
    this.#agent.send(...input);
  }

  interrupt(): void {
    this.#agent.interrupt();
  }

  compact(...focus: Parameters<NonNullable<Agent["compact"]>>): void {
    this.#agent.compact?.(...focus);
  }

  answer(...answer: Parameters<Agent["answer"]>): void {
    this.#agent.answer(...answer);
  }

  close(): Promise<void> {
    this.#stopAll();
    return this.#agent.close();
  }

  async #inspect(callId: string, args: Json): Promise<void> {
    const stop = new AbortController();
    const isTooMuch = this.#running.size >= RUNNING_MAX;
    this.#running.set(callId, stop);
    const answer = isTooMuch ? failed(`${RUNNING_MAX} are running already.`) : await this.#run(args, stop.signal);
    if (this.#running.delete(callId)) this.#agent.answer(callId, answer);
  }

  async #run(args: Json, signal: AbortSignal): Promise<AnswerResult> {
    const { cwd, judge } = this.#setup;
    const argv = asTexts(asFields(args)?.["argv"]);
    try {
      const what = checkCall(argv, cwd);
      // A rule about a command means it here too.
      const call = describeCall({ tool: "Bash", call: commandCall(argv.join(" ")) }, cwd);
      const ruling = judge?.(call) ?? null;
      if (ruling?.verdict === "deny") return failed(`A rule of the user denies this (${ruling.by}).`);
      return { result: await runInspection(what, { cwd, signal }), error: null };
    } catch (thrown) {
      return failed(thrown instanceof NotRun ? thrown.message : `It could not be run: ${String(thrown)}`);
    }
  }

  #stop(callId: string): void {
    this.#running.get(callId)?.abort();
    this.#running.delete(callId);
  }

  #stopAll(): void {
    for (const callId of this.#running.keys()) this.#stop(callId);
  }
}

function failed(error: string): AnswerResult {
  return { result: null, error };
}
