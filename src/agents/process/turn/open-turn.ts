/** One accepted turn: its phase, its timeouts, the requests that it waits for, and its bounded output. */
import type { Clock } from "../../../kit/clock.ts";
import type { AgentEvent, TurnInput } from "../../port.ts";
import type { TurnOver } from "../dialect.ts";
import type { ProcessLimits } from "../limits.ts";
import type { ProcessEnd } from "../supervised-process.ts";
import { TurnTimeouts, type TurnTimeoutOptions } from "./timeouts.ts";

/** Events that are invalid after the end of the turn. */
const TURN_EVENTS = /^(text|thinking|tool)_|^(request|request_withdrawn|host_call|steered)$/;

/**
 * Progress of the program with a turn, in this order. A stop may be requested in any phase and does not change it: the
 * program still has to confirm it or exit.
 *
 * - starting: the program is being started, or waits for the user's consent; nothing was sent to it
 * - prompted: the prompt was sent; the turn can be steered, and its processes are cleaned up afterwards
 * - over: the program has reported the end; events of the turn are a violation of its protocol
 */
type TurnPhase = "starting" | "prompted" | "over";

export class OpenTurn {
  readonly input: TurnInput;
  readonly output: TurnOutput;
  /** Resolves when the program reports the end. */
  readonly over = Promise.withResolvers<TurnOver>();
  /** Resolves with the end that a stop (by the user, a limit or the host) asks for. */
  readonly stopRequested = Promise.withResolvers<TurnOver>();
  /** Resolves when the program has exited or its output is lost. */
  readonly ended = Promise.withResolvers<ProcessEnd>();
  readonly outputEnded = Promise.withResolvers<void>();
  readonly #calls = new Set<string>();
  #timeouts: TurnTimeouts | undefined;
  #phase: TurnPhase = "starting";
  /** Not a turn of the session: the program is asked to compact its context. */
  isCompaction = false;
  isStopRequested = false;
  isBackground = false;
  /** The program was told to exit and is not used any more, even if the system cannot end it. */
  isProgramLost = false;
  /** Processes from before the turn, which its cleanup spares. */
  before: ReadonlySet<number> = new Set();

  constructor(input: TurnInput, member: string, limits: ProcessLimits, up: (event: AgentEvent) => void) {
    this.input = input;
    this.output = new TurnOutput({ turnId: input.turnId, member, limits, up });
  }

  startTimeouts(
    clock: Clock,
    limits: ProcessLimits,
    on: Pick<TurnTimeoutOptions, "onQuiet" | "onSilent" | "onTooLong">,
  ): void {
    this.#timeouts = new TurnTimeouts({ clock, limits, ...on });
  }

  stopTimeouts(): void {
    this.#timeouts?.stop();
  }

  alive(): void {
    this.#timeouts?.alive();
  }

  /** Whether the program has received the prompt. */
  get isPromptSent(): boolean {
    return this.#phase !== "starting";
  }

  promptSent(): void {
    if (this.#phase === "starting") this.#phase = "prompted";
  }

  end(over: TurnOver): void {
    this.#phase = "over";
    this.over.resolve(over);
  }

  requestStop(end: TurnOver): void {
    this.isStopRequested = true;
    this.stopRequested.resolve(end);
  }

  pass(event: AgentEvent, raw: string): void {
    if (this.#phase === "over" && TURN_EVENTS.test(event.type))
      return this.output.unexpected("it continued after the end of its turn", raw);
    const isCall = event.type === "request" || event.type === "host_call";
    if (isCall && !this.#calls.has(event.callId)) {
      this.#calls.add(event.callId);
      this.#timeouts?.hold();
    }
    if (event.type === "request_withdrawn" && !this.resolveCall(event.callId)) return;
    this.output.pass(event, raw);
  }

  /** False when no such request is open. */
  resolveCall(callId: string): boolean {
    if (!this.#calls.delete(callId)) return false;
    this.#timeouts?.release();
    return true;
  }
}

/** Characters quoted of an unreadable line, and number of lines quoted. */
export const RAW_CHARS_MAX = 2_000;
const UNREADABLE_SHOWN_MAX = 20;

/**
 * Groups that are counted together. Tool output does not use up the budget of text: a program that repeats a command's
 * whole output with every update would otherwise lose its answer.
 */
const GROUPS = {
  text_delta: "speech",
  thinking_delta: "speech",
  tool_output_delta: "tools",
  tool_call_update: "tools",
  status: "notes",
  usage: "notes",
} as const;

type Group = (typeof GROUPS)[keyof typeof GROUPS];

const TOOLS = new Set(["tool_call_start", "tool_call_update", "tool_output_delta", "tool_result"]);

export interface TurnOutputOptions {
  readonly turnId: string;
  readonly member: string;
  readonly limits: Pick<ProcessLimits, "outputCharsMax" | "contentEventsMax">;
  readonly up: (event: AgentEvent) => void;
}

/**
 * Output of one turn: bounded, with every loss reported once and unreadable lines shown.
 * Guarantee: nothing is emitted after `settle`, and `turn_done` exactly once.
 */
export class TurnOutput {
  readonly #options: TurnOutputOptions;
  readonly #openTools = new Set<string>();
  readonly #passed = {
    speech: { chars: 0, events: 0 },
    tools: { chars: 0, events: 0 },
    notes: { chars: 0, events: 0 },
  };
  #unreadable = 0;
  #hasWarnedTruncated = false;
  #hasWarnedProtocol = false;
  #isSettled = false;

  constructor(options: TurnOutputOptions) {
    this.#options = options;
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  get hasOpenTools(): boolean {
    return this.#openTools.size > 0;
  }

  pass(event: AgentEvent, raw = ""): void {
    if (this.#isSettled) return;
    if (TOOLS.has(event.type) && "nativeId" in event) {
      const oddity = this.#followTool(event.type, event.nativeId);
      if (oddity !== undefined) return this.unexpected(oddity, raw);
    }
    const group = groupOf(event);
    if (group !== undefined && !this.#hasRoom(group, event, raw)) return;
    // The complete text would bring back what was just dropped.
    const isCut = this.#isSpent("speech");
    if (isCut && event.type === "text_done") return this.#options.up({ type: "text_done" });
    if (isCut && event.type === "thinking_done") return this.#options.up({ type: "thinking_done" });
    this.#options.up(event);
  }

  warn(code: string, message: string, detail?: string): void {
    if (this.#isSettled) return;
    this.#options.up({ type: "warning", code, message, ...(detail === undefined ? {} : { detail: cap(detail) }) });
  }

  unreadable(raw: string): void {
    this.#unreadable += 1;
    if (this.#unreadable > UNREADABLE_SHOWN_MAX) return;
    this.warn("unreadable_line", `${this.#options.member} wrote a line that is not part of its protocol.`, raw);
  }

  /** Once per turn: a program that violates its protocol does so with every line. */
  unexpected(what: string, raw: string): void {
    if (this.#hasWarnedProtocol) return;
    this.#hasWarnedProtocol = true;
    this.warn("protocol", `${this.#options.member} violated its protocol: ${what}.`, raw);
  }

  settle(end: TurnOver): void {
    if (this.#isSettled) return;
    const more = this.#unreadable - UNREADABLE_SHOWN_MAX;
    if (more > 0)
      this.warn(
        "unreadable_lines",
        `${this.#options.member} wrote ${more} more lines that are not part of its protocol.`,
      );
    const error = { code: "tool_interrupted", message: "the turn ended before the tool did" } as const;
    for (const nativeId of this.#openTools) this.#options.up({ type: "tool_result", nativeId, ok: false, error });
    this.#isSettled = true;
    this.#options.up({ type: "turn_done", turnId: this.#options.turnId, ...end });
  }

  /** Enforces that a tool starts once, ends once and emits nothing outside of that. */
  #followTool(type: AgentEvent["type"], nativeId: string): string | undefined {
    const isOpen = this.#openTools.has(nativeId);
    if (type === "tool_call_start") {
      if (isOpen) return `tool call ${nativeId} began twice`;
      this.#openTools.add(nativeId);
    } else {
      if (!isOpen) return `tool call ${nativeId} was not running`;
      if (type === "tool_result") this.#openTools.delete(nativeId);
    }
    return undefined;
  }

  #hasRoom(group: Group, event: AgentEvent, raw: string): boolean {
    const passed = this.#passed[group];
    passed.events += 1;
    passed.chars += "text" in event && typeof event.text === "string" ? event.text.length : raw.length;
    if (!this.#isSpent(group)) return true;
    if (!this.#hasWarnedTruncated) this.#warnTruncated();
    return false;
  }

  #isSpent(group: Group): boolean {
    const { outputCharsMax, contentEventsMax } = this.#options.limits;
    const { chars, events } = this.#passed[group];
    return chars > outputCharsMax || events > contentEventsMax;
  }

  #warnTruncated(): void {
    this.#hasWarnedTruncated = true;
    const { outputCharsMax, contentEventsMax } = this.#options.limits;
    const limit = `${Math.round(outputCharsMax / 1024)} KiB or ${contentEventsMax} pieces`;
    this.warn(
      "output_truncated",
      `${this.#options.member} wrote more than ${limit} in one turn; the rest is not shown.`,
    );
  }
}

function groupOf({ type }: AgentEvent): Group | undefined {
  return Object.hasOwn(GROUPS, type) ? GROUPS[type as keyof typeof GROUPS] : undefined;
}

export function cap(raw: string): string {
  return raw.length <= RAW_CHARS_MAX ? raw : `${raw.slice(0, RAW_CHARS_MAX)}… (${raw.length} characters)`;
}
