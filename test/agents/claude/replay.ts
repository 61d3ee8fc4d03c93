/**
 * Replays a recorded conversation with Claude Code through the dialect, as the supervisor would have it: what we sent
 * then is encoded anew, what the program wrote is parsed. A recording of its output alone is one turn.
 */
import { readFileSync } from "node:fs";
import { createClaudeDialect } from "../../../src/agents/drivers/claude/parse.ts";
import type { ClaudeState } from "../../../src/agents/drivers/claude/state.ts";
import type { AnswerResult } from "../../../src/agents/index.ts";
import type { DialectEvent, Step } from "../../../src/agents/process/dialect.ts";

export type Fields = Record<string, unknown>;

interface Recorded {
  readonly dir: "in" | "out";
  readonly record: Fields;
}

export interface Replayed {
  readonly records: readonly Recorded[];
  readonly events: readonly DialectEvent[];
  readonly written: readonly Fields[];
  readonly turnsSent: number;
}

export function replay(file: string, { isWritable = true }: { isWritable?: boolean } = {}): Replayed {
  const records = read(file);
  const player = new Player(isWritable);
  for (const { dir, record } of records) {
    if (dir === "out") player.receive(record);
    else player.emit(record);
  }
  return { records, events: player.events, written: player.written, turnsSent: player.turnsSent };
}

function read(file: string): Recorded[] {
  const lines = readFileSync(file, "utf8").split("\n");
  const values = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Fields);
  const records = file.endsWith(".io.jsonl")
    ? values
        .filter((value) => typeof value["line"] === "object" && value["line"] !== null)
        .map((value) => ({ dir: value["dir"] as "in" | "out", record: value["line"] as Fields }))
    : values.map((record) => ({ dir: "out" as const, record }));
  const isAsked = records.some(({ dir, record }) => dir === "in" && record["type"] === "user");
  // Some were recorded with the prompt in the arguments.
  const prompt = { type: "user", message: { role: "user", content: "the prompt" } };
  return isAsked ? records : [{ dir: "in", record: prompt }, ...records];
}

const PROMPT_HOOK: Fields = {
  type: "control_request",
  request_id: "prompt-hook",
  request: { subtype: "hook_callback", callback_id: "prompt" },
};

class Player {
  readonly events: DialectEvent[] = [];
  readonly written: Fields[] = [];
  turnsSent = 0;
  #uuid = "";
  #state: ClaudeState;
  readonly #dialect;

  constructor(isWritable: boolean) {
    this.#dialect = createClaudeDialect({
      newUuid: () => this.#uuid,
      model: undefined,
      isModelLaunched: false,
      isWritable,
      cwd: "/p",
    });
    const begun = this.#dialect.begin({ nativeSessionId: undefined });
    this.#state = begun.state;
    this.#apply(begun);
  }

  receive(record: Fields): void {
    // Most were recorded before the program was given this hook, which it calls before every turn.
    if (record["subtype"] === "init") this.receive(PROMPT_HOOK);
    this.#apply(this.#dialect.parse(this.#state, JSON.stringify(record)));
  }

  emit(record: Fields): void {
    if (record["type"] === "user") return this.#emitText(record);
    const request = record["request"] as Fields | undefined;
    if (request?.["subtype"] === "interrupt") {
      this.#apply(this.#dialect.encodeInterrupt?.(this.#state) ?? { state: this.#state });
    }
    if (record["type"] === "control_response") this.#answer(record["response"] as Fields);
  }

  #emitText(record: Fields): void {
    this.#uuid = typeof record["uuid"] === "string" ? record["uuid"] : `turn-${this.turnsSent + 1}`;
    const text = JSON.stringify((record["message"] as Fields)["content"]);
    if (record["priority"] === undefined) {
      this.turnsSent += 1;
      const input = { kind: "turn", turnId: this.#uuid, text, attachments: [] } as const;
      return this.#apply(this.#dialect.encodeTurn(this.#state, input));
    }
    const steer = { kind: "steer", messageId: this.#uuid, text } as const;
    this.#apply(this.#dialect.encodeSteer?.(this.#state, steer) ?? { state: this.#state });
  }

  #answer({ request_id: id, response }: Fields): void {
    const result = answerOf(response as Fields);
    if (result !== undefined) {
      this.#apply(this.#dialect.encodeAnswer?.(this.#state, String(id), result) ?? { state: this.#state });
    }
  }

  #apply(step: Step<ClaudeState>): void {
    this.#state = step.state;
    this.events.push(...(step.events ?? []));
    this.written.push(...(step.write ?? []).map((line) => JSON.parse(line) as Fields));
  }
}

/** What the user had answered, for the program to be told so. */
function answerOf(response: Fields): AnswerResult | undefined {
  if (response["behavior"] === "deny") return { result: false, error: null };
  if (response["behavior"] === "allow") {
    const answers = (response["updatedInput"] as Fields)["answers"] as Record<string, string> | undefined;
    if (answers === undefined) {
      return { result: "allow", error: null };
    }
    return { result: Object.fromEntries(Object.values(answers).map((text, at) => [at + 1, text])), error: null };
  }
  const result = (response["mcp_response"] as Fields | undefined)?.["result"] as Fields | undefined;
  const content = result?.["content"] as { text: string }[] | undefined;
  return content === undefined ? undefined : { result: content[0]?.text ?? "", error: null };
}

/** One line an event; pieces of one text in a row are one line. */
export function readable(events: readonly DialectEvent[]): string {
  const lines: string[] = [];
  let pieces: { type: string; text: string; count: number } | undefined;
  const flush = (): void => {
    if (pieces !== undefined) lines.push(JSON.stringify(pieces));
    pieces = undefined;
  };
  for (const event of events) {
    if (event.type === "text_delta" || event.type === "thinking_delta") {
      if (pieces?.type !== event.type) flush();
      pieces ??= { type: event.type, text: "", count: 0 };
      pieces.text += event.text;
      pieces.count += 1;
    } else {
      flush();
      lines.push(JSON.stringify(event));
    }
  }
  flush();
  return lines.map((line) => `${line}\n`).join("");
}
