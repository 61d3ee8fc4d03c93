/**
 * The built-in agent on any OpenAI-compatible server, in process, behind the agent port. Each step of its conversation
 * is reported, so that the session can restore it after a restart.
 * However a turn ends (done, failed, stopped, bug), it ends exactly once, its tool calls are settled, their processes
 * are ended, and the conversation stays valid for the server.
 */
import { realpath } from "node:fs/promises";
import { systemClock, type Clock } from "../../kit/clock.ts";
import type { Capabilities, MemberSpec } from "../../protocol/index.ts";
import { checksDirectory } from "../tools/check-directory.ts";
import { describeTurnError } from "../turn-error.ts";
import type { Agent, AgentEvent, AnswerResult, AgentSetup, SteerInput, TurnError, TurnInput } from "../port.ts";
import { variablesOf } from "../process/launch/environment.ts";
import { chooseProcessList } from "../process/list/choose-process-list.ts";
import { within } from "../process/wait.ts";
import type { ConversationHistory } from "../history.ts";
import { useProxy } from "../proxy.ts";
import { compactBetweenTurns } from "./context/compact.ts";
import { findEndpoint } from "./requests/endpoint.ts";
import { guardEvent } from "./guard.ts";
import { modelAgentLimits, type ModelAgentLimits } from "./limits.ts";
import { createAgentState, type AgentState, type ModelAgentDeps } from "./agent-state.ts";
import { RunningTurn, type TurnEnd } from "./running-turn.ts";
import { noteFor } from "./context/conversation.ts";
import { ModelError } from "./requests/model-error.ts";
import { runSubagent } from "./subagent.ts";
import { COMMON_CAPABILITIES } from "../capabilities.ts";
import { ToolRunner } from "./tools/run-tool.ts";
import { runTurn } from "./turn-loop.ts";

export type { ModelAgentDeps } from "./agent-state.ts";

export function createModelAgent(spec: MemberSpec, setup: AgentSetup, deps: ModelAgentDeps = {}): Agent {
  return new ModelAgent(spec, setup, deps);
}

class ModelAgent implements Agent {
  readonly capabilities: Capabilities = { ...COMMON_CAPABILITIES, compact: "table" };
  readonly #spec: MemberSpec;
  readonly #setup: AgentSetup;
  readonly #deps: ModelAgentDeps;
  readonly #clock: Clock;
  readonly #limits: ModelAgentLimits;
  /** Work that outlives its turn. */
  readonly #lingering = new Set<Promise<unknown>>();
  readonly #closeController = new AbortController();
  #state: AgentState | undefined;
  #unable: TurnError | undefined;
  #up: ((event: AgentEvent) => void) | undefined;
  #running: RunningTurn | undefined;
  #settled: Promise<void> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #ids = 0;

  constructor(spec: MemberSpec, setup: AgentSetup, deps: ModelAgentDeps) {
    this.#spec = spec;
    this.#setup = setup;
    this.#deps = deps;
    this.#clock = deps.clock ?? systemClock;
    this.#limits = { ...modelAgentLimits, ...deps.limits };
  }

  async start(up: (event: AgentEvent) => void): Promise<void> {
    this.#up = up;
    const ours = this.#deps.env ?? process.env;
    const env = variablesOf(this.#setup.environment ?? { variables: ours });
    try {
      const lookup = findEndpoint(this.#spec, env, this.#setup.credentials);
      if (!lookup.ok) {
        this.#unable = lookup.error;
        return;
      }
      // The proxy is process-wide, so it comes from the host's environment.
      const noProxy = useProxy(ours);
      if (noProxy !== undefined && !lookup.endpoint.isLocal) {
        const hint = "Correct HTTP_PROXY, HTTPS_PROXY or NO_PROXY, or unset them.";
        this.#unable = { code: "unsupported", message: `${this.#spec.name} cannot start: ${noProxy}.`, hint };
        return;
      }
      await checksDirectory(this.#spec.name)(this.#setup);
      this.#state = createAgentState({
        spec: this.#spec,
        setup: this.#setup,
        root: await realpath(this.#setup.cwd),
        endpoint: lookup.endpoint,
        clock: this.#clock,
        limits: this.#limits,
        nextId: () => this.#nextId(),
        closeSignal: this.#closeController.signal,
        deps: this.#deps,
        processes: this.#deps.processes ?? this.#setup.records?.processes ?? chooseProcessList(),
        env,
      });
      up(await guardEvent(this.#setup, env));
    } catch (thrown) {
      this.#unable = describeTurnError(this.#spec.name, thrown).error;
    }
  }

  send(input: TurnInput | SteerInput): void {
    if (this.#up === undefined || this.#closing !== undefined) return;
    if (input.kind === "steer") return this.#running?.offerSteer(input);
    if (this.#running !== undefined) return this.#refuse(input.turnId);
    const turn = new RunningTurn({
      input,
      clock: this.#clock,
      steersMax: this.#limits.steersMax,
      nextId: () => this.#nextId(),
      up: (event) => this.#up?.(event),
    });
    this.#running = turn;
    this.#reserveIds(input.history);
    this.#settled = this.#run(turn, this.#settled);
  }

  interrupt(): void {
    this.#stop("interrupted");
  }

  answer(callId: string, result: AnswerResult): void {
    this.#running?.receiveAnswer(callId, result);
  }

  compact(focus?: string, history?: ConversationHistory): void {
    if (this.#up === undefined || this.#closing !== undefined) return;
    const state = this.#state;
    if (this.#running !== undefined || state === undefined) {
      const why = state === undefined ? this.#unableEnd().error.message : `${this.#spec.name} is in a turn.`;
      queueMicrotask(() => this.#up?.({ type: "compact_failed", message: why }));
      return;
    }
    const turn = new RunningTurn({
      input: { kind: "turn", turnId: this.#nextId(), text: "", attachments: [] },
      clock: this.#clock,
      steersMax: 0,
      nextId: () => this.#nextId(),
      up: (event) => this.#up?.(event),
    });
    this.#running = turn;
    this.#reserveIds(history);
    this.#settled = this.#settled.then(async () => {
      const outcome = await compactBetweenTurns(state, turn, { focus, history });
      if (this.#running === turn) this.#running = undefined;
      this.#up?.(outcome);
    });
  }

  close(): Promise<void> {
    this.#closing ??= this.#shut();
    return this.#closing;
  }

  /** Nine characters, as the strictest server requires for tool call ids. */
  #nextId(): string {
    return `c${String(++this.#ids).padStart(8, "0")}`;
  }

  /** Ids of an earlier process are not reused. */
  #reserveIds(history: ConversationHistory | undefined): void {
    const steps = [...(history?.pinned ?? []), ...(history?.turns ?? [])].flatMap((turn) => turn.steps);
    for (const { id } of steps.flatMap((step) => (step.kind === "replied" ? step.calls : []))) {
      const [, digits = "0"] = /^c(\d{8})$/.exec(id) ?? [];
      this.#ids = Math.max(this.#ids, Number.parseInt(digits, 10));
    }
  }

  /** Accepts the next turn at once; it starts after this one's end was emitted. */
  #stop(reason: string): void {
    const turn = this.#running;
    this.#running = undefined;
    turn?.stop(reason);
  }

  async #run(turn: RunningTurn, before: Promise<void>): Promise<void> {
    // After the previous turn's end, and never inside `send`.
    await before;
    const end = this.#state === undefined ? undefined : await this.#work(this.#state, turn);
    // Free before `turn_done`: the session may send the next turn from its handler.
    if (this.#running === turn) this.#running = undefined;
    turn.settle(end ?? this.#unableEnd());
  }

  /** Never rejects: a bug costs this turn, not the process. */
  async #work(state: AgentState, turn: RunningTurn): Promise<TurnEnd> {
    try {
      return await workTurn(state, turn, (work) => this.#linger(work));
    } catch (thrown) {
      return describeTurnError(this.#spec.name, thrown);
    }
  }

  #linger(work: Promise<unknown>): void {
    this.#lingering.add(work);
    void work.then(() => this.#lingering.delete(work));
  }

  #unableEnd(): Extract<TurnEnd, { outcome: "errored" }> {
    const error = this.#unable ?? { code: "closed", message: `${this.#spec.name} was not started.` };
    return { outcome: "errored", reason: error.code, error };
  }

  #refuse(turnId: string): void {
    const message = `${this.#spec.name} was sent a turn while another one runs; end it first.`;
    queueMicrotask(() =>
      this.#up?.({ type: "turn_done", turnId, outcome: "errored", reason: "busy", error: { code: "busy", message } }),
    );
  }

  async #shut(): Promise<void> {
    this.#stop("closed");
    this.#closeController.abort(new Error("closed"));
    await this.#settled;
    await within(this.#clock, this.#limits.lingerMs, Promise.all(this.#lingering));
    this.#up = undefined;
  }
}

// One turn of the member or of a subagent: asks the model, runs tools, waits for their processes, leaves the
// conversation valid and reports changed files.
/** Never rejects. `linger` gets work that outlives the turn; it must not reject either. */
async function workTurn(
  state: AgentState,
  turn: RunningTurn,
  linger: (work: Promise<unknown>) => void,
): Promise<TurnEnd> {
  const { spec, root, setup, toolbox, judge, clock, limits } = state;
  const runner = new ToolRunner({
    member: spec.name,
    root,
    setup,
    turn,
    toolbox,
    judge,
    clock,
    limits,
    spawn: (order) => runSubagent(state, turn, order, workTurn),
  });
  const draft = { partial: "" };
  const work = runTurn(state, turn, runner, draft).then(
    (): TurnEnd => ({ outcome: "completed" }),
    (thrown: unknown): TurnEnd => describe(spec.name, thrown),
  );
  const end = await Promise.race([work, turn.stopped]);
  const gone = Promise.allSettled([work, runner.gone()]);
  linger(gone);
  await within(clock, limits.goneMs, gone);
  state.conversation.endTurn(draft.partial, noteFor(end));
  const report = runner.changes.report();
  if (report !== undefined) turn.show(report);
  return end;
}

function describe(member: string, thrown: unknown): TurnEnd {
  if (!(thrown instanceof ModelError)) return describeTurnError(member, thrown);
  const error = thrown.toTurnError();
  return { outcome: "errored", reason: error.code, error };
}
