/**
 * What was learnt of a server by what it refused, for as long as the member sits. Almost all of it is a matter of the
 * model: a member that is switched to a model without tools has them again with the next one.
 */
import type { Api, ModelRequest } from "./dialect.ts";
import type { ModelErrorKind, ModelError } from "./model-error.ts";

const OF_A_MODEL: ReadonlySet<ModelErrorKind> = new Set<ModelErrorKind>([
  "only_responses",
  "no_reasoning",
  "no_tools",
  "no_images",
  "wants_thoughts",
  "wants_reply_after_tool",
]);

/** Never changes, so that a request is read in the way in which it was put, whatever is learnt meanwhile. */
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

  /** To be asked for a summary of its reasoning. */
  get takesReasoning(): boolean {
    return !this.#learnt.has("no_reasoning");
  }

  /** With every reply, also those without calls. */
  get wantsThoughts(): boolean {
    return this.#learnt.has("wants_thoughts");
  }

  takesThoughts(field: string): boolean {
    return !this.#learnt.has(withoutField(field));
  }

  /** Before the user speaks again. */
  get wantsReplyAfterTool(): boolean {
    return this.#learnt.has("wants_reply_after_tool");
  }

  /** Null when nothing is to be learnt from it, or when this was known and did not help. */
  after(error: ModelError): ModelQuirks | null {
    const lesson = this.#lessonOf(error);
    if (lesson === null || this.#learnt.has(lesson)) return null;
    return new ModelQuirks(this.#api, new Set([...this.#learnt, lesson]));
  }

  #lessonOf({ kind, field }: ModelError): string | null {
    if (!OF_A_MODEL.has(kind) || (kind === "only_responses" && this.api === "responses")) return null;
    if (kind !== "no_reasoning" || (this.api === "responses" && field !== "encrypted_content")) return kind;
    // Chat completions are not asked for reasoning; what they refuse by that name is what went back with a reply.
    return field === undefined ? null : withoutField(field);
  }
}

export class ServerQuirks {
  readonly #api: Api;
  readonly #models = new Map<string, ModelQuirks>();
  #takesStreamOptions = true;

  /** `api` is the one to begin with. */
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
   * True when the request can be put in another way. It is what the request had heeded that counts: of two subagents
   * that are refused at once, both have something to learn.
   */
  learn({ model, quirks, wantsUsage }: ModelRequest, error: ModelError): boolean {
    if (error.kind === "no_stream_options") {
      this.#takesStreamOptions = false;
      return wantsUsage;
    }
    if (quirks.after(error) === null) return false;
    const known = this.of(model);
    this.#models.set(model, known.after(error) ?? known);
    return true;
  }
}

function withoutField(field: string): string {
  return `no_field ${field}`;
}
