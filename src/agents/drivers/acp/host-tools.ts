/**
 * Host tools of an ACP agent: the agent connects to our tool server, and calls there belong to the running turn.
 * Guarantees: a call outside a turn, or left open by one, is answered with a reason that the model sees; an agent whose
 * tool server cannot be started works without it, with a warning.
 */
import type { Clock } from "../../../kit/clock.ts";
import type { AgentEvent, AnswerResult, AgentSetup } from "../../port.ts";
import type { AgentRun } from "../../process/agent-run.ts";
import { programPath } from "../../host-tools/program-path.ts";
import { hostServerName } from "../../host-tools/server-name.ts";
import { openHostTools, type HostToolCall, type HostTools } from "../../host-tools/tool-server.ts";
import type { AcpMcpServer, AcpOptions } from "./options.ts";
import { type AcpState, andThen, withTurn, type AcpStep } from "./state.ts";
import { toolsKnown } from "./parse.ts";
import { closeSegment } from "./turn/segments.ts";

export interface AcpHostToolsOptions {
  readonly member: string;
  readonly setup: Pick<AgentSetup, "sessionId">;
  readonly clock: Clock;
  /** Time for which the first prompt waits until the agent has listed the tools. */
  readonly toolsMs?: number | undefined;
  readonly toolsHint?: string | undefined;
  readonly about: () => AcpOptions;
}

/** Time for an agent to pass listed tools on to its model. */
const LEARNING_MS = 100;

type Up = (event: AgentEvent) => void;

const NO_TURN = "No turn is running. Host tools work only during your turn.";
const TURN_OVER = "Your turn ended before this was answered.";

export class AcpHostTools {
  /** Name of the tool server. */
  readonly name: string;
  readonly #options: AcpHostToolsOptions;
  #tools: HostTools | undefined;
  #run: AgentRun<AcpState> | undefined;
  #closing: Promise<void> | undefined;
  #cancelWait: () => void = () => undefined;
  #hasListed = false;
  #hasMissed = false;
  #warn: (message: string) => void = () => undefined;

  constructor(options: AcpHostToolsOptions) {
    this.#options = options;
    this.name = hostServerName({ sessionId: options.setup.sessionId, member: options.member });
  }

  /** Called before the agent's program is started. Never rejects. */
  async open(up: Up): Promise<void> {
    const { member, clock } = this.#options;
    const warn = (message: string): void => up({ type: "warning", code: "table_tools", message });
    this.#warn = warn;
    try {
      const tools = await openHostTools({
        name: this.name,
        clock,
        onCall: (call) => this.#handleCall(call),
        onListed: () => {
          this.#hasListed = true;
          this.#awaitTools(LEARNING_MS);
        },
        onWithdrawn: (callId) => this.#withdraw(callId),
        onError: (why) => warn(`The tool server of ${member}: ${why}; that connection was closed.`),
      });
      if (this.#closing === undefined) this.#tools = tools;
      else await tools.close();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      warn(`${member} works without the host tools: their socket could not be opened (${why}).`);
    }
  }

  /** Paths of ours that the agent's program must see in its sandbox. */
  shown(): readonly string[] {
    return this.#tools === undefined ? [] : [this.#tools.folder, programPath()];
  }

  servers(): readonly AcpMcpServer[] {
    return this.#tools === undefined ? [] : [this.#tools.server];
  }

  /** Our own tool server, started by the agent: not a process of a turn. */
  isHelper(commandLine: string): boolean {
    return commandLine.includes(programPath());
  }

  /** Called after each start of the agent's program. */
  ran(run: AgentRun<AcpState>): void {
    this.#run = run;
    this.#hasListed = false;
  }

  onEvent(event: AgentEvent): void {
    if (event.type === "turn_done") this.#tools?.endTurn(TURN_OVER);
    // Its session is open, so it should list the tools soon. An agent that did not list them once is not waited for
    // again.
    if (event.type === "member_session" && !this.#hasListed) {
      this.#awaitTools(this.#tools === undefined || this.#hasMissed ? 0 : (this.#options.toolsMs ?? 0));
    }
  }

  answer(callId: string, result: AnswerResult): void {
    this.#tools?.answer(callId, result);
  }

  close(): Promise<void> {
    this.#cancelWait();
    this.#closing ??= this.#tools?.close() ?? Promise.resolve();
    return this.#closing;
  }

  #awaitTools(ms: number): void {
    const run = this.#run;
    if (run === undefined || this.#options.toolsMs === undefined) return;
    this.#cancelWait();
    this.#cancelWait = this.#options.clock.after(ms, () => {
      this.#warnOfMissingTools();
      void run.send((state) => toolsKnown(state, this.#options.about()));
    });
  }

  #warnOfMissingTools(): void {
    if (this.#hasListed || this.#hasMissed || this.#tools === undefined) return;
    this.#hasMissed = true;
    const { member, toolsHint } = this.#options;
    this.#warn(`${member} has not listed the host tools and may work without them. ${toolsHint ?? ""}`.trim());
  }

  #handleCall(call: HostToolCall): void {
    const run = this.#run;
    const refuse = (): void => this.#tools?.answer(call.callId, { result: null, error: NO_TURN });
    if (run === undefined || run.process.hasExited) return refuse();
    void run.send((state) => {
      const step = handleHostCall(state, call);
      if (step === undefined) queueMicrotask(refuse);
      return step ?? { state };
    });
  }

  #withdraw(callId: string): void {
    void this.#run?.send((state) => ({
      state,
      events: state.turn === undefined ? [] : [{ type: "request_withdrawn", callId }],
    }));
  }
}

/** Call of a host tool that arrived through the tool server. Undefined when no turn runs that it could belong to. */
function handleHostCall(state: AcpState, { callId, tool, args }: HostToolCall): AcpStep | undefined {
  const { turn } = state;
  if (turn === undefined || !turn.isSent || turn.isCancelled) return undefined;
  return andThen(closeSegment(state), (next) => ({
    state: withTurn(next, { hasContent: true }),
    events: [{ type: "host_call", callId, tool, args }],
  }));
}
