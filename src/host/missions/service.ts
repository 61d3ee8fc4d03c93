/** Starts missions on first use; one-shot programs never need them. */
import { startIdlePrompts, type IdlePromptDeps, type IdlePrompts, type IdleScheduler } from "./scheduler.ts";
import { runInternalCommand, createSendCommand, type InternalCommandDeps } from "../connections/internal-command.ts";

/** Client id of the sender. */
const IDLE_CLIENT = "idle-prompts";

export interface IdlePromptService {
  open(): Promise<IdlePrompts>;
  readonly isWaiting: boolean;
  close(): Promise<void>;
}

export type IdlePromptServiceDeps = Omit<IdlePromptDeps, "send"> & Pick<InternalCommandDeps, "serve">;

export function createIdlePromptService({ serve, ...deps }: IdlePromptServiceDeps): IdlePromptService {
  const { clock } = deps;
  let starting: Promise<IdleScheduler> | undefined;
  let started: IdleScheduler | undefined;
  return {
    async open() {
      starting ??= startIdlePrompts({
        ...deps,
        send: (id, message) =>
          runInternalCommand({ serve, clock, clientId: IDLE_CLIENT }, id, createSendCommand(message)),
      });
      started = await starting;
      return started.prompts;
    },
    get isWaiting() {
      return started?.isWaiting === true;
    },
    async close() {
      const scheduler = await starting?.catch(() => undefined);
      scheduler?.close();
    },
  };
}
