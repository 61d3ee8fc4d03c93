/**
 * Provider limitations learned from rejected requests, kept for the lifetime of the member. Most are per model: after
 * switching from a model without tools, the next one gets them again.
 */
import type { ModelErrorKind, ModelError } from "./model-error.ts";

export type Api = "chat" | "responses";

const OF_A_MODEL: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "only_responses",
  "no_reasoning",
  "no_tools",
  "no_images",
  "wants_thoughts",
  "wants_reply_after_tool",
]);

/** Immutable, so that a reply is read by the quirks its request was built with. */
export class ModelQuirks {
  readonly #api: Api;
  readonly #learnt: ReadonlySet<string>;

  constructor(api: Api, learnt: ReadonlySet<string> = new Set()) {
    this.#api = api;
    this.#learnt = learnt;
  }

  get api(): Api {
    return this.#learnt.has("only_responses") ? "responses" : this.#api;
  }

  get takesTools(): boolean {
    return !this.#learnt.has("no_tools");
  }

  get takesImages(): boolean {
    return !this.#learnt.has("no_images");
  }

  /** Ask for a reasoning summary. */
  get takesReasoning(): boolean {
    return !this.#learnt.has("no_reasoning");
  }

  /** Return reasoning with every reply, also without tool calls. */
  get wantsThoughts(): boolean {
    return this.#learnt.has("wants_thoughts");
  }

  takesThoughts(field: string): boolean {
    return !this.#learnt.has(withoutField(field));
  }

  /** Insert a reply before the next user message. */
  get wantsReplyAfterTool(): boolean {
    return this.#learnt.has("wants_reply_after_tool");
  }

  /** Undefined when there is nothing to learn, or when it was known already and did not help. */
  after(error: ModelError): ModelQuirks | undefined {
    const lesson = this.#lessonOf(error);
    if (lesson === undefined || this.#learnt.has(lesson)) return undefined;
    return new ModelQuirks(this.#api, new Set([...this.#learnt, lesson]));
  }

  #lessonOf({ kind, field }: ModelError): string | undefined {
    if (!OF_A_MODEL.has(kind) || (kind === "only_responses" && this.api === "responses")) return undefined;
    if (kind !== "no_reasoning" || (this.api === "responses" && field !== "encrypted_content")) return kind;
    // Chat completions never request reasoning; what is rejected here is what was sent back with a reply.
    return field === undefined ? undefined : withoutField(field);
  }
}

/** As much of a request as is needed to learn from its rejection. */
interface RejectedRequest {
  readonly model: string;
  readonly quirks: ModelQuirks;
  readonly wantsUsage: boolean;
}

export class ServerQuirks {
  readonly #api: Api;
  readonly #models = new Map<string, ModelQuirks>();
  #takesStreamOptions = true;

  /** `api` is the initial one. */
  constructor(api: Api) {
    this.#api = api;
  }

  get takesStreamOptions(): boolean {
    return this.#takesStreamOptions;
  }

  of(model: string): ModelQuirks {
    return this.#models.get(model) ?? new ModelQuirks(this.#api);
  }

  /**
   * True when the request can be built differently. Compared with the quirks the request was built with: two subagents
   * rejected at once both learn.
   */
  learn({ model, quirks, wantsUsage }: RejectedRequest, error: ModelError): boolean {
    if (error.kind === "no_stream_options") {
      this.#takesStreamOptions = false;
      return wantsUsage;
    }
    if (quirks.after(error) === undefined) return false;
    const known = this.of(model);
    this.#models.set(model, known.after(error) ?? known);
    return true;
  }
}

function withoutField(field: string): string {
  return `no_field ${field}`;
}
