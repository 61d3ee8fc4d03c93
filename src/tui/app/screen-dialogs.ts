/** Questions the screen itself asks, and pages it shows. */
import type { OpenRequest } from "../../transcript/index.ts";
import { createConfirmOverlay } from "../overlays/confirm-overlay.ts";
import { createInboxOverlay } from "../overlays/inbox-overlay.ts";
import { createLineOverlay } from "../overlays/line-overlay.ts";
import { createPickOverlay } from "../overlays/pick-overlay.ts";
import { createTextOverlay } from "../overlays/text-overlay.ts";
import type { OverlaySurface } from "../overlays/overlay-surface.ts";
import type { Tone } from "../theme/theme.ts";
import type { OverlayDesk } from "./overlay-desk.ts";
import type { Choice } from "./screen-port.ts";

export class ScreenDialogs {
  readonly #desk: OverlayDesk;
  readonly #surface: OverlaySurface;

  constructor(desk: OverlayDesk, surface: OverlaySurface) {
    this.#desk = desk;
    this.#surface = surface;
  }

  showText(title: string, lines: readonly string[], toneOf?: (line: string) => Tone): void {
    this.#desk.show((close) => createTextOverlay(this.#surface, { title, lines, toneOf, onClose: close }));
  }

  confirm(title: string, message: string): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    let isSure = false;
    this.#desk.show(
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
    this.#desk.show(
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
    this.#desk.show(
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

  showInbox(requests: () => readonly OpenRequest[], now: () => number, onPick: (requestId: string) => void): void {
    this.#desk.show((close) =>
      createInboxOverlay(this.#surface, {
        requests,
        now,
        onPick: (requestId: string) => {
          close();
          onPick(requestId);
        },
        onClose: close,
      }),
    );
  }
}
