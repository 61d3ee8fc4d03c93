/** The parts of the app that overlays and the way out are handed, made once for it. */
import type { OverlaySurface } from "../overlays/overlay-surface.ts";
import type { App } from "./app.ts";
import { createAnswer } from "./give-answer.ts";
import { Leaving } from "./leaving.ts";
import { RequestDesk } from "./request-desk.ts";

export function createSurface(app: App): OverlaySurface {
  return {
    tui: app.tui,
    get theme() {
      return app.theme;
    },
  };
}

export function createRequestDesk(app: App): RequestDesk {
  return new RequestDesk({
    tui: app.tui,
    clock: app.clock,
    surface: app.surface,
    say: (text) => app.say(text),
    editText: (text) => app.editText(text),
    answer: createAnswer({
      command: (body) => app.command(body),
      client: () => app.conversation.seat?.client,
    }),
  });
}

export function createLeaving(app: App, leave: () => void): Leaving {
  return new Leaving({
    clock: app.clock,
    isRunning: () => app.conversation.isRunning,
    stopAll: () => app.interrupt("all").catch((error: unknown) => app.fail(error)),
    say: (text) => app.say(text, "warn"),
    leave,
  });
}
