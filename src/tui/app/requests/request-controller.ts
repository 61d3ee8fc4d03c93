/**
 * Requests of members, answered one at a time over the conversation. The one that is shown never changes under the
 * user's hands, and takes no key that was meant for the draft; it goes when it is settled, here or elsewhere, and then
 * the screen says by whom.
 */
import type { OverlayHandle, TUI } from "@earendil-works/pi-tui";
import { createRequestQueue, type RequestQueue } from "../../../client/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { OpenRequest, Transcript } from "../../../transcript/index.ts";
import type { OverlaySurface } from "../../overlays/overlay-surface.ts";
import type { Prompt } from "../../input/prompt.ts";
import type { Keymap } from "../../keys/keymap.ts";
import { createRequestOverlay, type RequestOverlay } from "../../overlays/requests/request-overlay.ts";
import { DraftKeys } from "./draft-keys.ts";
import type { GivenAnswer } from "./answer-request.ts";

export interface RequestControllerOptions {
  readonly tui: TUI;
  readonly clock: Clock;
  readonly surface: OverlaySurface;
  readonly prompt: Prompt;
  readonly keymap: Keymap;
  /** Resolves with why the answer was not taken. */
  readonly answer: (requestId: string, given: GivenAnswer) => Promise<string | undefined>;
  readonly notify: (text: string) => void;
  readonly editText: (text: string) => Promise<string | undefined>;
}

interface Shown {
  readonly request: OpenRequest;
  readonly overlay: RequestOverlay;
  readonly handle: OverlayHandle;
  /** Whoever answered it does not write in the draft. */
  isAnswered: boolean;
}

export class RequestController {
  readonly #options: RequestControllerOptions;
  readonly #queue: RequestQueue<OpenRequest>;
  readonly #draftKeys: DraftKeys;
  #shown: Shown | undefined;
  /** Picked in the inbox: it comes before the older ones. */
  #first: string | undefined;
  /** Put aside by the user; they stay open and wait in the inbox. */
  readonly #aside = new Set<string>();
  #requests: readonly OpenRequest[] = [];
  #colours: ReadonlyMap<string, string | undefined> = new Map();

  constructor(options: RequestControllerOptions) {
    this.#options = options;
    this.#queue = createRequestQueue<OpenRequest>({ now: () => options.clock.monotonic(), hasGrace: () => true });
    this.#draftKeys = new DraftKeys({ ...options, queue: this.#queue, onRest: () => options.tui.requestRender() });
  }

  /** The user has typed something into the draft. */
  draftTyped(): void {
    this.#draftKeys.typed();
  }

  /** How many wait without being shown. */
  get waitingCount(): number {
    return this.#requests.length - (this.#shown === undefined ? 0 : 1);
  }

  get isShowing(): boolean {
    return this.#shown !== undefined;
  }

  show(transcript: Transcript | undefined): void {
    this.#requests = transcript?.head.requests ?? [];
    this.#colours = new Map(Object.values(transcript?.head.members ?? {}).map(({ name, spec }) => [name, spec.color]));
    this.#update();
  }

  /** The screen was away: whatever is asked can be read from now on, and not before. */
  showAgain(transcript: Transcript | undefined): void {
    this.#queue.shownAgain();
    this.show(transcript);
    this.#draftKeys.cover(false);
  }

  /** From the inbox: this one next, whatever was put aside. */
  pick(requestId: string): void {
    this.#first = requestId;
    this.#aside.delete(requestId);
    this.#update();
  }

  #update(): void {
    const open = this.#requests.filter(({ requestId }) => !this.#aside.has(requestId));
    const rank = ({ requestId }: OpenRequest) => (requestId === this.#first ? 0 : 1);
    this.#queue.update([...open].sort((a, b) => rank(a) - rank(b)));
    const current = this.#queue.current();
    if (current?.requestId !== this.#shown?.request.requestId) this.#replace(current);
    this.#shown?.overlay.refresh({ waiting: this.#queue.waiting() });
  }

  #replace(request: OpenRequest | undefined): void {
    const before = this.#shown;
    before?.handle.hide();
    this.#shown = undefined;
    if (request === undefined) return;
    const { tui, clock, surface, editText } = this.#options;
    this.#draftKeys.cover(this.#isOverDraft(request, before));
    const overlay = createRequestOverlay({
      surface,
      request,
      waiting: this.#queue.waiting(),
      now: () => clock.now(),
      acceptsAnswer: () => this.#queue.acceptsAnswer(request.requestId),
      onUnhandledKey: (key) => this.#queue.onUnhandledKey(key),
      draft: this.#draftKeys,
      onAnswer: (result, error, reason) => this.#answer(request, { result, error, reason }),
      onDismiss: () => this.#putAside(request),
      editText,
      memberColour: this.#colours.get(request.member),
    });
    const handle = tui.showOverlay(overlay, { width: "90%", maxHeight: "80%", anchor: "bottom-center", margin: 1 });
    this.#shown = { request, overlay, handle, isAnswered: false };
  }

  /** Whether keys may still be meant for the draft: not when it was asked for in the inbox, nor after an answer. */
  #isOverDraft({ requestId }: OpenRequest, before: Shown | undefined): boolean {
    if (requestId === this.#first) return false;
    if (before === undefined) return !this.#options.tui.hasOverlay();
    return !before.isAnswered && this.#draftKeys.isWriting;
  }

  #answer(request: OpenRequest, given: GivenAnswer): void {
    if (this.#shown?.request === request) this.#shown.isAnswered = true;
    // The overlay stays until the log says that the request is settled; an answer is a wish.
    void this.#options.answer(request.requestId, given).then((problem) => {
      if (problem === undefined || this.#shown?.request !== request) return;
      this.#shown.isAnswered = false;
      this.#shown.overlay.refresh({ waiting: this.#queue.waiting(), problem });
    });
  }

  #putAside({ requestId, member }: OpenRequest): void {
    this.#aside.add(requestId);
    this.#options.notify(`The request of ${member} waits; /inbox shows it again.`);
    this.#update();
  }
}
