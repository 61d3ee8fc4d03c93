/**
 * Gets one reply: retries, retracts text that a retry repeats, drops options that a server rejects, and falls back to
 * the next model.
 */
import type { RunningTurn } from "../running-turn.ts";
import type { ModelRequest, Reply, ReplyPart } from "./dialect.ts";
import type { ServerQuirks } from "./quirks.ts";
import { callModel, type CallOptions } from "./call-model.ts";
import { ModelError, retryDelayMs } from "./model-error.ts";
import type { ModelChoice } from "../model-choice.ts";

export interface AskModelOptions extends Omit<CallOptions, "signal" | "onPart" | "onQuiet"> {
  readonly turn: RunningTurn;
  readonly choice: ModelChoice;
  readonly quirks: ServerQuirks;
  readonly random: () => number;
  /** Rebuilt for each attempt, since learned quirks change it. */
  readonly request: (model: string) => ModelRequest;
  /** Text so far; kept when the turn is stopped. */
  readonly onText: (whole: string) => void;
}

export async function askModel(options: AskModelOptions): Promise<{ reply: Reply; model: string }> {
  const { turn, choice } = options;
  const [preferred = "", ...others] = choice.candidates();
  const track: Track = { shown: undefined };
  let model = preferred;
  for (;;) {
    try {
      return { reply: await askOneModel(options, model, track), model };
    } catch (thrown) {
      if (!(thrown instanceof ModelError) || !thrown.isOfTheModel) throw thrown;
      if (thrown.kind === "model_not_found") choice.markMissing(model);
      const next = others.shift();
      if (next === undefined) throw thrown;
      track.shown?.retract(thrown.message);
      turn.show({ type: "model_fallback", preferred: model, actual: next, reason: thrown.message });
      model = next;
    }
  }
}

/** Output of the last attempt. */
interface Track {
  shown: ShownReply | undefined;
}

async function askOneModel(options: AskModelOptions, model: string, track: Track): Promise<Reply> {
  const { turn, limits } = options;
  for (let attempt = 1; ; attempt++) {
    const shown = new ShownReply(options);
    track.shown = shown;
    const request = options.request(model);
    try {
      const reply = await callModel(request, {
        ...options,
        signal: turn.signal,
        onPart: (part) => shown.add(part),
        onQuiet: () => turn.show({ type: "status", state: "model_loading", detail: `waiting for ${model}` }),
      });
      shown.close();
      return reply;
    } catch (thrown) {
      if (!(thrown instanceof ModelError)) throw thrown;
      if (learn(options, request, thrown)) {
        shown.retract(thrown.message);
        attempt -= 1;
        continue;
      }
      const delayMs = thrown.retryAfterMs ?? retryDelayMs(attempt, options.random(), limits);
      if (!thrown.isRetryable || attempt >= limits.attemptsMax) throw thrown;
      if (delayMs > limits.retryAfterMsMax) throw retryTooLate(thrown, delayMs);
      shown.retract(thrown.message);
      turn.show({ type: "retrying", attempt: attempt + 1, of: limits.attemptsMax, delayMs, reason: thrown.message });
      await turn.delay(delayMs);
    }
  }
}

/** True when something was learned. What the model goes without is reported. */
function learn({ quirks, turn }: AskModelOptions, request: ModelRequest, error: ModelError): boolean {
  if (!quirks.learn(request, error)) return false;
  const { kind, message } = error;
  if (kind === "no_tools" || kind === "no_images") {
    turn.show({ type: "warning", code: kind, message: `${message} It answers without them.` });
  }
  return true;
}

function retryTooLate({ kind, code, message }: ModelError, waitMs: number): ModelError {
  const minutes = Math.ceil(waitMs / 60_000);
  const hint = `The server asks you to wait ${minutes} minutes. Ask again then, or choose another model.`;
  return new ModelError({ kind, code, message, hint });
}

/** The reply as the user sees it: one text segment, so that it can be retracted whole. */
class ShownReply {
  readonly #options: AskModelOptions;
  #text = "";
  #late = "";
  #hasCallStarted = false;

  constructor(options: AskModelOptions) {
    this.#options = options;
    options.onText("");
  }

  add(part: ReplyPart): void {
    const { turn } = this.#options;
    if (part.type === "text") {
      this.#text += part.text;
      turn.write(part.text);
      this.#options.onText(this.#text);
    } else if (part.type === "thinking") {
      if (this.#text === "") turn.think(part.text);
      else this.#late += part.text;
    } else if (part.type === "call" && !this.#hasCallStarted) {
      this.#hasCallStarted = true;
      turn.show({ type: "status", state: "calling_tool", detail: part.name.slice(0, 64) });
    }
  }

  /** Reasoning that arrives after text is shown after it. */
  close(): void {
    const { turn } = this.#options;
    turn.closeSegment();
    if (this.#late === "") return;
    turn.think(this.#late);
    turn.closeSegment();
  }

  retract(reason: string): void {
    const { turn } = this.#options;
    if (this.#text === "") turn.closeSegment();
    else turn.retract(reason);
    this.#options.onText("");
  }
}
