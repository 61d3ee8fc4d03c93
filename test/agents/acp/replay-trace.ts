/**
 * Replays a recorded conversation with an ACP agent through the dialect: what the agent wrote is heard as it was
 * written, what the recording client did (prompt, cancel, choose an option) is done by ours. Ids are matched by method,
 * because our calls are not numbered like the recording client's. Lists of commands and models were shortened.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { createAcpDialect } from "../../../src/agents/drivers/acp/parse.ts";
import type { AcpOptions } from "../../../src/agents/drivers/acp/options.ts";
import type { AcpState } from "../../../src/agents/drivers/acp/state.ts";
import type { DialectEvent, Step } from "../../../src/agents/process/dialect.ts";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly sessionId?: string; readonly prompt?: readonly { readonly text: string }[] };
  readonly result?: { readonly outcome?: { readonly optionId?: string } };
}

export interface Replayed {
  readonly events: readonly DialectEvent[];
  /** Everything that went to the agent, parsed. */
  readonly written: readonly Message[];
  /** What the recording holds, for comparison. */
  readonly recorded: readonly { readonly dir: string; readonly line: Message }[];
}

/** The only agent that takes a prompt in the middle of a turn. */
const STEERED = "acp-opencode";

/** The recording has no answer to these calls of ours. */
const UNRECORDED = new Set(["session/set_mode", "session/set_model", "session/set_config_option"]);

export function replayTrace(agent: string, scenario: string, overrides: Partial<AcpOptions> = {}): Replayed {
  const recorded = readTrace(agent, scenario);
  const player = new Player({ canSteer: agent === STEERED, ...overrides }, knownSession(recorded));
  for (const { dir, line } of recorded) {
    if (dir === "in") player.act(line);
    else player.receive(line);
  }
  return { events: joinDeltas(player.events), written: player.written, recorded };
}

export function readTrace(agent: string, scenario: string): Replayed["recorded"] {
  const file = path.join(import.meta.dirname, "..", "traces", agent, `${scenario}.io.jsonl`);
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Replayed["recorded"][number]);
}

function knownSession(recorded: Replayed["recorded"]): string | undefined {
  return recorded.find(({ line }) => /^session\/(load|resume)$/.test(line.method ?? ""))?.line.params?.sessionId;
}

class Player {
  readonly events: DialectEvent[] = [];
  readonly written: Message[] = [];
  readonly #dialect;
  /** Methods of the recording client's calls, and ids of ours, by method. */
  readonly #methods = new Map<number | string, string>();
  readonly #ours = new Map<string, (number | string)[]>();
  #state: AcpState;
  #turns = 0;
  /** Prompts of the recording that were not answered yet. */
  readonly #open = new Set<number | string | undefined>();

  constructor(overrides: Partial<AcpOptions>, nativeSessionId: string | undefined) {
    this.#dialect = createAcpDialect({
      member: "member",
      cwd: "/project",
      isWritable: true,
      mcpServers: [],
      canSteer: false,
      ...overrides,
    });
    const begun = this.#dialect.begin({ nativeSessionId });
    this.#state = begun.state;
    this.#apply(begun);
  }

  receive(line: Message): void {
    const isAnswer = line.method === undefined;
    const method = isAnswer && line.id !== undefined ? (this.#methods.get(line.id) ?? "") : "";
    if (isAnswer) this.#open.delete(line.id);
    if (!isAnswer) return this.#apply(this.#dialect.parse(this.#state, JSON.stringify(line)));
    const id = this.#ours.get(method)?.shift();
    // The recording client logged in without being asked to.
    if (id === undefined) return;
    this.#apply(this.#dialect.parse(this.#state, JSON.stringify({ ...line, id })));
  }

  act(line: Message): void {
    if (line.method !== undefined && line.id !== undefined) this.#methods.set(line.id, normal(line.method));
    if (line.method === "session/prompt") {
      this.#prompt(line);
    } else if (line.method === "session/cancel") {
      const cancelled = this.#dialect.encodeInterrupt?.(this.#state);
      if (cancelled !== undefined) this.#apply(cancelled);
    } else if (line.method === undefined) {
      const asked = this.events.findLast((event) => event.type === "request");
      const answer = { result: /once/.test(line.result?.outcome?.optionId ?? ""), error: null };
      const answered = this.#dialect.encodeAnswer?.(this.#state, asked?.callId ?? "", answer);
      if (answered !== undefined) this.#apply(answered);
    }
  }

  #prompt(line: Message): void {
    const text = line.params?.prompt?.[0]?.text ?? "";
    const isSteer = this.#open.size > 0 && this.#dialect.encodeSteer !== undefined;
    this.#open.add(line.id);
    if (!isSteer) this.#turns += 1;
    const steer = { kind: "steer", messageId: `message-${String(line.id)}`, text } as const;
    const input = { kind: "turn", turnId: `turn-${this.#turns}`, text, attachments: [] } as const;
    const step = isSteer
      ? this.#dialect.encodeSteer?.(this.#state, steer)
      : this.#dialect.encodeTurn(this.#state, input);
    if (step !== undefined) this.#apply(step);
  }

  #apply(step: Step<AcpState>): void {
    this.#state = step.state;
    this.events.push(...(step.events ?? []));
    for (const text of step.write ?? []) this.#write(JSON.parse(text) as Message);
  }

  #write(message: Message): void {
    this.written.push(message);
    if (message.method === undefined || message.id === undefined) return;
    if (UNRECORDED.has(message.method)) {
      const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result: {} });
      return this.#apply(this.#dialect.parse(this.#state, answer));
    }
    const method = normal(message.method);
    this.#ours.set(method, [...(this.#ours.get(method) ?? []), message.id]);
  }
}

/** Whichever way a session is opened, its answer says the same. */
function normal(method: string): string {
  return /^session\/(new|load|resume)$/.test(method) ? "open" : method;
}

function joinDeltas(events: readonly DialectEvent[]): DialectEvent[] {
  const joined: DialectEvent[] = [];
  for (const event of events) {
    const last = joined.at(-1);
    if (last?.type === "text_delta" && event.type === "text_delta") {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else if (last?.type === "thinking_delta" && event.type === "thinking_delta") {
      joined[joined.length - 1] = { ...last, text: last.text + event.text };
    } else joined.push(event);
  }
  return joined;
}
