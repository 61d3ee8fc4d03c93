/**
 * Requests of members, answered one at a time at the box. A request opens by itself only while the box is empty and has
 * the focus; whoever types or reads elsewhere sees it announced in the box's rule and opens it with a key. Text that the
 * open request has no use for begins a draft, and the request steps back. It closes when it is settled, here or
 * elsewhere.
 */
import { type Client, type CommandBody, createRequestQueue, type RequestQueue } from "../../../client/index.ts";
import type { Clock } from "../../../kit/clock.ts";
import { type Ack, isDenial, type Json } from "../../../protocol/index.ts";
import type { OpenRequest, Transcript } from "../../../transcript/index.ts";
import type { Prompt } from "../../input/prompt.ts";
import type { Keymap } from "../../keys/keymap.ts";
import { printableKey } from "../../keys/key-names.ts";
import type { OverlaySurface } from "../../overlays/overlay-surface.ts";
import { colourOf } from "../../panels/member-name.ts";
import { createRequestOverlay, type RequestOverlay } from "../../overlays/requests/request-overlay.ts";
import type { OpenPanel, PanelStack } from "../screen/panel-stack.ts";

const PASTE_START = "\u001b[200~";

export interface RequestControllerOptions {
  readonly panels: PanelStack;
  readonly clock: Clock;
  readonly surface: OverlaySurface;
  readonly prompt: Prompt;
  /** A turn of the log has the focus. */
  readonly isReading: () => boolean;
  readonly keymap: Keymap;
  /** Resolves with the reason when the answer was rejected. */
  readonly answer: (requestId: string, given: GivenAnswer) => Promise<string | undefined>;
  /** Says something to a member while it works. */
  readonly sendNote: (member: string, text: string) => void;
  readonly notify: (text: string) => void;
  /** Takes a notice back that has become untrue. */
  readonly withdraw: (text: string) => void;
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
  #shown: Shown | undefined;
  /** Opened by the user, or the next one after an answer: shown before older requests, and over a draft. */
  #first: string | undefined;
  #isUpdating = false;
  /** Dismissed by the user; still open, listed in the inbox. With the notice that says so. */
  readonly #aside = new Map<string, string>();
  #requests: readonly OpenRequest[] = [];
  #colours: ReadonlyMap<string, string | undefined> = new Map();

  constructor(options: RequestControllerOptions) {
    this.#options = options;
    this.#queue = createRequestQueue<OpenRequest>({ now: () => options.clock.monotonic(), hasGrace: () => true });
    options.panels.onChange = this.reconsider;
  }

  /** The draft, the focus or what is open at the box has changed. */
  readonly reconsider = (): void => this.#update();

  /** Open requests that are not visible. */
  get waitingCount(): number {
    return this.#requests.length - (this.#shown === undefined ? 0 : 1);
  }

  get isShowing(): boolean {
    return this.#shown !== undefined;
  }

  /** Nothing else is open over it. */
  get isOnTop(): boolean {
    return this.#shown !== undefined && this.#options.panels.top === this.#shown.overlay;
  }

  show(transcript: Transcript | undefined): void {
    this.#requests = transcript?.head.requests ?? [];
    const openIds = new Set(this.#requests.map(({ requestId }) => requestId));
    for (const requestId of this.#aside.keys()) if (!openIds.has(requestId)) this.#withdrawNotice(requestId);
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
  }

  /** Shows this request next, even if it was dismissed. */
  pick(requestId: string): void {
    this.#first = requestId;
    this.#withdrawNotice(requestId);
    this.#update();
  }

  /** Opens the oldest request that waits, even if it was dismissed; false when one is open or none waits. */
  openNext(): boolean {
    const [oldest] = this.#requests;
    if (oldest === undefined || this.#shown !== undefined) return false;
    this.pick(oldest.requestId);
    return true;
  }

  #update(): void {
    // Opening and closing a request are changes at the box themselves.
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    try {
      const rank = ({ requestId }: OpenRequest) => (requestId === this.#first ? 0 : 1);
      const open = this.#requests
        .filter(({ requestId }) => !this.#aside.has(requestId))
        .sort((a, b) => rank(a) - rank(b));
      this.#queue.update(open[0] !== undefined && this.#mayShow(open[0]) ? open : []);
      const current = this.#queue.current();
      if (current?.requestId !== this.#shown?.request.requestId) this.#replace(current);
      this.#shown?.overlay.refresh({ waiting: this.#queue.waiting() });
    } finally {
      this.#isUpdating = false;
    }
  }

  /** Nothing takes the keys from a user who types or has the focus elsewhere. */
  #mayShow({ requestId }: OpenRequest): boolean {
    const { prompt, panels, isReading } = this.#options;
    if (requestId === this.#first) return true;
    const shown = this.#shown;
    if (requestId === shown?.request.requestId) return prompt.text === "";
    if (this.isOnTop && shown?.isAnswered === true) return true;
    return prompt.text === "" && !prompt.isSearching && !isReading() && (this.isOnTop || !panels.isOpen);
  }

  #replace(request: OpenRequest | undefined): void {
    const before = this.#shown;
    before?.panel.close();
    this.#shown = undefined;
    if (request === undefined) return;
    if (before?.isAnswered === true) this.#first = request.requestId;
    const { panels, clock, surface, editText } = this.#options;
    const overlay = createRequestOverlay({
      surface,
      request,
      waiting: this.#queue.waiting(),
      now: () => clock.now(),
      acceptsAnswer: () => this.#queue.acceptsAnswer(request.requestId),
      onUnhandledKey: (key) => this.#queue.onUnhandledKey(key),
      toDraft: (data) => this.#toDraft(request, data),
      onAnswer: (result, error, reason) => this.#answer(request, { result, error, reason }),
      onDismiss: () => this.#putAside(request),
      editText,
      memberColour: this.#colours.get(request.member),
    });
    this.#shown = { request, overlay, panel: panels.open(overlay), isAnswered: false };
  }

  /** Begins a draft, for which the request gives way; not over one that the user opened or came to by answering. */
  #toDraft({ requestId }: OpenRequest, data: string): boolean {
    if (requestId === this.#first || !isText(data)) return false;
    this.#options.prompt.component.handleInput?.(data);
    return true;
  }

  #answer(request: OpenRequest, given: GivenAnswer): void {
    if (this.#shown?.request === request) this.#shown.isAnswered = true;
    const { reason, ...answer } = given;
    const { request: body, member, requestId } = request;
    const isReason = body.method === "approval" && isDenial(body, given.result);
    // The overlay stays until the log says that the request is settled; the answer may be rejected.
    void this.#options.answer(requestId, isReason ? given : answer).then((problem) => {
      if (problem === undefined && reason !== undefined && !isReason) this.#options.sendNote(member, reason);
      if (problem === undefined || this.#shown?.request !== request) return;
      this.#shown.isAnswered = false;
      this.#shown.overlay.refresh({ waiting: this.#queue.waiting(), problem });
    });
  }

  #putAside({ requestId, member }: OpenRequest): void {
    const { keymap, notify } = this.#options;
    const notice = `${member} is waiting for your answer. ${keymap.hint("inbox") ?? "/inbox"} shows it again.`;
    this.#aside.set(requestId, notice);
    notify(notice);
    this.#update();
  }

  #withdrawNotice(requestId: string): void {
    const notice = this.#aside.get(requestId);
    this.#aside.delete(requestId);
    const isShared = [...this.#aside.values()].includes(notice ?? "");
    if (notice !== undefined && !isShared) this.#options.withdraw(notice);
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
  /** Of a denial; with an approval, what the member is told as well. */
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
