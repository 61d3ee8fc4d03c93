/** Questions and text pages of the screen itself. */
import type { PickedSession } from "../../commands/command.ts";
import { createConfirmOverlay, createLineOverlay } from "../../overlays/question-overlays.ts";
import { createModelOverlay, type ModelChoice, type ModelOverlayOptions } from "../../overlays/model-overlay.ts";
import { createPickOverlay } from "../../overlays/lists/pick-overlay.ts";
import { createSessionCentre, type SessionCentreOptions } from "../../overlays/lists/session-centre.ts";
import {
  createOutputOverlay,
  createTextOverlay,
  type OutputPage,
  type OutputSource,
} from "../../overlays/text-overlay.ts";
import type { Overlay, OverlaySurface } from "../../overlays/overlay-surface.ts";
import { diffTone } from "../../overlays/reading-rows.ts";
import type { Tone } from "../../theme/theme.ts";
import type { OpenPanel, PanelStack } from "./panel-stack.ts";
import type { Choice } from "./port.ts";

export class ScreenDialogs {
  readonly #overlays: OverlayController;
  readonly #surface: OverlaySurface;

  constructor(overlays: OverlayController, surface: OverlaySurface) {
    this.#overlays = overlays;
    this.#surface = surface;
  }

  showText(title: string, lines: readonly string[], toneOf?: (line: string) => Tone): void {
    this.#overlays.show((close) => createTextOverlay(this.#surface, { title, lines, toneOf, onClose: close }));
  }

  showDiff(title: string, lines: readonly string[]): void {
    this.showText(title, lines, diffTone);
  }

  showOutput(title: string, source: OutputSource): OutputPage {
    const close = () => this.#overlays.close();
    const page = createOutputOverlay(this.#surface, { title, ...source, onClose: close });
    // A page covered by another overlay must not keep running unseen.
    this.#overlays.show(() => page.overlay, source.onStop);
    return page;
  }

  pickSession(options: Omit<SessionCentreOptions, "onPick" | "onClose">): Promise<PickedSession | undefined> {
    const { promise, resolve } = Promise.withResolvers<PickedSession | undefined>();
    let picked: PickedSession | undefined;
    const centre = createSessionCentre(this.#surface, {
      ...options,
      onPick: (sessionId) => {
        picked = sessionId === undefined ? {} : { sessionId };
        this.#overlays.close();
      },
      onClose: () => this.#overlays.close(),
    });
    this.#overlays.show(
      () => centre,
      () => {
        centre.stop();
        resolve(picked);
      },
    );
    return promise;
  }

  pickModel(options: Pick<ModelOverlayOptions, "members" | "member">): Promise<ModelChoice | undefined> {
    const { promise, resolve } = Promise.withResolvers<ModelChoice | undefined>();
    let choice: ModelChoice | undefined;
    this.#overlays.show(
      (close) =>
        createModelOverlay(this.#surface, {
          ...options,
          onUse: (used) => {
            choice = used;
            close();
          },
          onClose: close,
        }),
      () => resolve(choice),
    );
    return promise;
  }

  confirm(title: string, message: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let isSure = false;
    this.#overlays.show(
      (close) =>
        createConfirmOverlay(this.#surface, {
          title,
          message,
          onAnswer: (isYes) => {
            isSure = isYes;
            close();
          },
        }),
      () => resolve(isSure),
    );
    return promise;
  }

  pick<Value>(
    title: string,
    choices: readonly Choice<Value>[],
    { at }: { readonly at?: number },
  ): Promise<Value | undefined> {
    const { promise, resolve } = Promise.withResolvers<Value | undefined>();
    let picked: Value | undefined;
    this.#overlays.show(
      (close) =>
        createPickOverlay(this.#surface, {
          title,
          choices,
          ...(at === undefined ? {} : { at }),
          onPick: (value: Value) => {
            picked = value;
            close();
          },
          onClose: close,
        }),
      () => resolve(picked),
    );
    return promise;
  }

  askLine(title: string, prefill = ""): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    let answer: string | undefined;
    this.#overlays.show(
      (close) =>
        createLineOverlay(this.#surface, {
          title,
          prefill,
          onDone: (text) => {
            answer = text;
            close();
          },
        }),
      () => resolve(answer),
    );
    return promise;
  }
}

/** Overlays opened by the user: one at a time, closed by Escape; focus returns to the draft. */
export class OverlayController {
  readonly #panels: PanelStack;
  #open: { panel: OpenPanel; onClose: () => void } | undefined;

  constructor(panels: PanelStack) {
    this.#panels = panels;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** `make` gets a function that closes the overlay; `onClose` is called exactly once. */
  show(make: (close: () => void) => Overlay, onClose: () => void = () => {}): void {
    this.close();
    this.#open = { panel: this.#panels.open(make(() => this.close())), onClose };
  }

  close(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.panel.close();
    open?.onClose();
  }
}
