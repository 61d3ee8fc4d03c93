/**
 * Requests of members, answered one at a time over the conversation. The visible request never changes under the user's
 * hands and takes no key meant for the draft. It closes when it is settled, here or elsewhere, and a notice says by
 * whom.
 */
import { matchesKey, type TUI } from "@earendil-works/pi-tui";
import {
  ANSWER_GRACE_MS,
  type Client,
  type CommandBody,
  createRequestQueue,
  type RequestQueue,
} from "../../../client/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import type { Ack, Json } from "../../../protocol/index.ts";
import type { OpenRequest, Transcript } from "../../../transcript/index.ts";
import type { Prompt } from "../../input/prompt.ts";
import type { Keymap } from "../../keys/keymap.ts";
import { printableKey } from "../../keys/key-names.ts";
import type { OverlaySurface } from "../../overlays/overlay-surface.ts";
import { colourOf } from "../../panels/member-name.ts";
import { createRequestOverlay, type RequestOverlay } from "../../overlays/requests/request-overlay.ts";
import type { OpenPanel, PanelStack } from "../screen/panel-stack.ts";

/** Without a key for this long the user is no longer typing. Slow typists need half a second per key. */
export const WRITING_REST_MS = 1_000;

/** These keys apply to what is visible, which is the request. */
const NEVER_FOR_DRAFT = ["escape", "ctrl+c", "ctrl+o"] as const;

const PASTE_START = "\u001b[200~";

/** Characters at the end of the draft that are examined to show it. */
const TAIL_CHARS = 200;

export interface RequestControllerOptions {
  readonly tui: TUI;
  readonly panels: PanelStack;
  readonly clock: Clock;
  readonly surface: OverlaySurface;
  readonly prompt: Prompt;
  readonly keymap: Keymap;
  /** Resolves with the reason when the answer was rejected. */
  readonly answer: (requestId: string, given: GivenAnswer) => Promise<string | undefined>;
  readonly notify: (text: string) => void;
  readonly showInbox: () => void;
  readonly editText: (text: string) => Promise<string | undefined>;
}

interface Shown {
  readonly request: OpenRequest;
  readonly overlay: RequestOverlay;
  readonly panel: OpenPanel;
  isAnswered: boolean;
}

export class RequestController {
  readonly #options: RequestControllerOptions;
  readonly #queue: RequestQueue<OpenRequest>;
  readonly #draftKeys: DraftKeys;
  #shown: Shown | undefined;
  /** Picked in the inbox: shown before older requests. */
  #first: string | undefined;
  /** Dismissed by the user; still open, listed in the inbox. */
  readonly #aside = new Set<string>();
  #requests: readonly OpenRequest[] = [];
  #colours: ReadonlyMap<string, string | undefined> = new Map();

  constructor(options: RequestControllerOptions) {
    this.#options = options;
    this.#queue = createRequestQueue<OpenRequest>({ now: () => options.clock.monotonic(), hasGrace: () => true });
    this.#draftKeys = new DraftKeys({ ...options, queue: this.#queue, onRest: () => options.tui.requestRender() });
  }

  /** The user typed into the draft. */
  draftTyped(): void {
    this.#draftKeys.typed();
  }

  /** Open requests that are not visible. */
  get waitingCount(): number {
    return this.#requests.length - (this.#shown === undefined ? 0 : 1);
  }

  get isShowing(): boolean {
    return this.#shown !== undefined;
  }

  show(transcript: Transcript | undefined): void {
    this.#requests = transcript?.head.requests ?? [];
    const head = transcript?.head;
    this.#colours = new Map(
      head === undefined ? [] : Object.keys(head.members).map((name) => [name, colourOf(head, name)]),
    );
    this.#update();
  }

  /** After the screen was hidden: the reading delay starts again. */
  showAgain(transcript: Transcript | undefined): void {
    this.#queue.shownAgain();
    this.show(transcript);
    this.#draftKeys.cover(false);
  }

  /** Shows this request next, even if it was dismissed. */
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
    before?.panel.close();
    this.#shown = undefined;
    if (request === undefined) return;
    const { panels, clock, surface, keymap, showInbox, editText } = this.#options;
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
      onInbox: showInbox,
      isInboxKey: (data) => keymap.matches(data, "inbox"),
      editText,
      memberColour: this.#colours.get(request.member),
    });
    this.#shown = { request, overlay, panel: panels.open(overlay), isAnswered: false };
  }

  /** Whether keys may still be meant for the draft: not for a request picked in the inbox, nor after an answer. */
  #isOverDraft({ requestId }: OpenRequest, before: Shown | undefined): boolean {
    if (requestId === this.#first) return false;
    if (before === undefined) return !this.#options.panels.isOpen;
    return !before.isAnswered && this.#draftKeys.isWriting;
  }

  #answer(request: OpenRequest, given: GivenAnswer): void {
    if (this.#shown?.request === request) this.#shown.isAnswered = true;
    // The overlay stays until the log says that the request is settled; the answer may be rejected.
    void this.#options.answer(request.requestId, given).then((problem) => {
      if (problem === undefined || this.#shown?.request !== request) return;
      this.#shown.isAnswered = false;
      this.#shown.overlay.refresh({ waiting: this.#queue.waiting(), problem });
    });
  }

  #putAside({ requestId, member }: OpenRequest): void {
    this.#aside.add(requestId);
    this.#options.notify(
      `${member} waits for your answer. ${this.#options.keymap.hint("inbox") ?? "/inbox"} shows it again.`,
    );
    this.#update();
  }
}

/**
 * Routes keys while a request covers the draft. A user who was typing keeps typing into the draft, and no request takes
 * those keys; after a pause the keys go to the request.
 */
interface DraftKeysOptions {
  readonly clock: Clock;
  readonly keymap: Keymap;
  readonly prompt: Prompt;
  readonly queue: Pick<RequestQueue, "onUnhandledKey" | "deafUntil">;
  /** Called when keys go to the request from now on. */
  readonly onRest: () => void;
}

class DraftKeys {
  readonly #options: DraftKeysOptions;
  /** The request appeared while the draft was being edited; not after another request, an editor or a shell. */
  #isOverDraft = false;
  #coveredAt = -Infinity;
  #typedAt = -Infinity;
  #cancelRest: (() => void) | undefined;

  constructor(options: DraftKeysOptions) {
    this.#options = options;
  }

  /** True while typed text goes into the draft below the request. */
  get isWriting(): boolean {
    // An empty draft was sent or cleared: nobody is typing in it.
    return this.#isOverDraft && this.#now - this.#typedAt < WRITING_REST_MS && this.#options.prompt.text !== "";
  }

  /** End of the draft, shown while it is covered. */
  get tail(): string {
    return this.#options.prompt.text.slice(-TAIL_CHARS);
  }

  typed(): void {
    this.#typedAt = this.#now;
  }

  /** A request became visible. */
  cover(isOverDraft: boolean): void {
    this.#isOverDraft = isOverDraft;
    this.#coveredAt = this.#now;
    if (!this.isWriting) return;
    this.#options.queue.deafUntil(this.#typedAt + WRITING_REST_MS);
    this.#watchRest();
  }

  /** False when the key is not for the draft. `isDeaf`: the request ignores keys for now. */
  handleKey(data: string, isDeaf: boolean): boolean {
    if (!this.#isOverDraft || !this.#isForDraft(data, isDeaf)) return false;
    const { prompt, queue } = this.#options;
    prompt.component.handleInput?.(data);
    this.#typedAt = this.#now;
    queue.onUnhandledKey(data, this.isWriting ? WRITING_REST_MS : ANSWER_GRACE_MS);
    this.#watchRest();
    return true;
  }

  /** When the request accepts keys, only text that it cannot use goes to the draft. */
  #isForDraft(data: string, isDeaf: boolean): boolean {
    if (!isDeaf) return isText(data);
    if (NEVER_FOR_DRAFT.some((key) => matchesKey(data, key))) return false;
    const { keymap } = this.#options;
    const sends = keymap.matches(data, "send") || keymap.matches(data, "queue");
    // A late Enter may be meant for the request, and must not send half a message.
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

/** Sends an answer from this screen. */
interface AnswerOptions {
  readonly command: (body: CommandBody) => Promise<Ack>;
  readonly client: () => Client | undefined;
}

interface GivenAnswer {
  readonly result: Json;
  readonly error?: string | null | undefined;
  /** Reason of a denial. */
  readonly reason?: string | undefined;
}

/** Resolves with the reason when the answer was rejected. The name of the terminal tells other clients who answered. */
export function createAnswer({ command, client }: AnswerOptions) {
  return async (requestId: string, { result, error, reason }: GivenAnswer): Promise<string | undefined> => {
    const by = `terminal ${client()?.clientId.slice(-4).toLowerCase() ?? ""}`.trim();
    try {
      const given = { ...(error === undefined ? {} : { error }), ...(reason === undefined ? {} : { reason }) };
      const ack = await command({ type: "answer", requestId, result, by, ...given });
      return ack.ok ? undefined : ack.error.message;
    } catch (failure) {
      return failure instanceof Error ? failure.message : String(failure);
    }
  };
}
