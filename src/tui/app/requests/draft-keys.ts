/**
 * Whose the keys are while a request stands over the draft. Who was writing when it came writes on in the draft, and no
 * request takes a key of that; after a rest the keys are the request's.
 */
import { matchesKey } from "@earendil-works/pi-tui";
import { ANSWER_GRACE_MS, type RequestQueue } from "../../../client/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Prompt } from "../../input/prompt.ts";
import type { Keymap } from "../../keys/keymap.ts";
import { printableKey } from "../../keys/printable-key.ts";

/** Who has written nothing for so long does not write any more. People who look for keys write one in half a second. */
export const WRITING_REST_MS = 1_000;
/** They belong to what is seen, and what is seen is the request. */
const NEVER_FOR_DRAFT = ["escape", "ctrl+c", "ctrl+o"] as const;
const PASTE_START = "\u001b[200~";
/** Characters of the draft's end that are looked at to show it. */
const TAIL_CHARS = 200;

export interface DraftKeysOptions {
  readonly clock: Clock;
  readonly keymap: Keymap;
  readonly prompt: Prompt;
  readonly queue: Pick<RequestQueue, "onUnhandledKey" | "deafUntil">;
  /** Called when the keys have gone over to the request. */
  readonly onRest: () => void;
}

export class DraftKeys {
  readonly #options: DraftKeysOptions;
  /** A request has come up where the draft was written; not after another request, nor after an editor or a shell. */
  #isOverDraft = false;
  #coveredAt = -Infinity;
  #typedAt = -Infinity;
  #cancelRest: (() => void) | undefined;

  constructor(options: DraftKeysOptions) {
    this.#options = options;
  }

  /** True while what is typed goes into the draft below the request. */
  get isWriting(): boolean {
    // What was sent or put away leaves an empty box, in which nobody writes.
    return this.#isOverDraft && this.#now - this.#typedAt < WRITING_REST_MS && this.#options.prompt.text !== "";
  }

  /** The end of the draft, to be shown while it is covered. */
  get tail(): string {
    return this.#options.prompt.text.slice(-TAIL_CHARS);
  }

  /** Something was typed into the draft. */
  typed(): void {
    this.#typedAt = this.#now;
  }

  /** A request is shown. */
  cover(isOverDraft: boolean): void {
    this.#isOverDraft = isOverDraft;
    this.#coveredAt = this.#now;
    if (!this.isWriting) return;
    this.#options.queue.deafUntil(this.#typedAt + WRITING_REST_MS);
    this.#watchRest();
  }

  /** False when the key is not for the draft. `isDeaf` says that the request takes no key yet. */
  handleKey(data: string, isDeaf: boolean): boolean {
    if (!this.#isOverDraft || !this.#isForDraft(data, isDeaf)) return false;
    const { prompt, queue } = this.#options;
    prompt.component.handleInput?.(data);
    this.#typedAt = this.#now;
    queue.onUnhandledKey(data, this.isWriting ? WRITING_REST_MS : ANSWER_GRACE_MS);
    this.#watchRest();
    return true;
  }

  /** To a request that listens, only text that is of no use to it is the beginning of something else. */
  #isForDraft(data: string, isDeaf: boolean): boolean {
    if (!isDeaf) return isText(data);
    if (NEVER_FOR_DRAFT.some((key) => matchesKey(data, key))) return false;
    const { keymap } = this.#options;
    const sends = keymap.matches(data, "send") || keymap.matches(data, "queue");
    // Later it may be meant for the request, and half a message must not go out by that.
    return !sends || this.#now - Math.max(this.#typedAt, this.#coveredAt) < ANSWER_GRACE_MS;
  }

  #watchRest(): void {
    this.#cancelRest?.();
    this.#cancelRest = this.#options.clock.after(WRITING_REST_MS, () => this.#options.onRest());
  }

  get #now(): number {
    return this.#options.clock.monotonic();
  }
}

function isText(data: string): boolean {
  if (printableKey(data) !== undefined || data.startsWith(PASTE_START)) return true;
  const code = data.charCodeAt(0);
  return code >= 0x20 && code !== 0x7f;
}
