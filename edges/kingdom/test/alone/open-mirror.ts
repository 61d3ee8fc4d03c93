/** A session with its mirror and nothing else, so that its process starts quickly and can be killed. */
import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/ids.ts";
import { MirrorSwitch } from "../../mirror/mirror-switch.ts";
import { openFileLog } from "../../../../src/log/index.ts";
import type {
  Command,
  EventOf,
  EventType,
  SessionEvent,
  Settings,
  ThreadMirror,
} from "../../../../src/protocol/index.ts";
import { createSession, openSession } from "../../../../src/session/index.ts";
import { until } from "../../../../test/host/open-host.ts";
import { createScriptedAgent, SETTINGS } from "../../../../test/host/scripted-agent.ts";
import { quickClock } from "../../../../test/quick-clock.ts";
import { MEMBERS } from "./mirrored-session.ts";

/** Factor for the mirror's delays; those compared with file times are unscaled. */
const HASTE = 10;
/** As the mirror measures it. */
const GRACE_MS = 300;
const CLIENT_ID = "test";

const hastyClock = quickClock(HASTE);

export interface Directories {
  readonly dataDir: string;
  readonly project: string;
}

export interface OpenMirrored {
  readonly sessionId: string;
  readonly events: readonly SessionEvent[];
  readonly mirror: ThreadMirror | null | undefined;
  of<Type extends EventType>(type: Type): EventOf<Type>[];
  /** Resolves when it is acknowledged. */
  send(text: string, member: string): Promise<void>;
  interrupt(): Promise<void>;
  set(mirror: ThreadMirror | null): Promise<void>;
  sees(what: string, test: () => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A new session, mirrored from its beginning, or the one of that id, as the next process finds it. */
export async function openMirroredSession({ dataDir, project }: Directories, given?: string): Promise<OpenMirrored> {
  const sessionId = given ?? newId();
  const log = await openFileLog({ dataDir, sessionId, clock: systemClock });
  const parts = { log, agentFactory: createScriptedAgent, clock: systemClock };
  const members = [...MEMBERS];
  const settings: Settings = { ...SETTINGS, order: members.map(({ name }) => name), mirror: {} };
  const session =
    log.committedSeq === 0
      ? await createSession({ ...parts, cwd: project, title: "test", settings, members })
      : await openSession(parts);
  const events: SessionEvent[] = [];
  const stopFollowing = log.follow(0, (batch) => void events.push(...batch));
  const mirror = new MirrorSwitch({ session, log, clock: hastyClock, graceMs: GRACE_MS, hold: () => () => {} });
  const command = async (given: Omit<Extract<Command, { type: "send" }>, "commandId"> | Tell): Promise<void> => {
    const ack = await session.command({ ...given, commandId: newId() }, CLIENT_ID);
    if (!ack.ok) throw new Error(ack.error.message);
  };
  return {
    sessionId,
    events,
    get mirror() {
      return session.transcript.head.settings?.mirror;
    },
    of: <Type extends EventType>(type: Type) => events.filter((event): event is EventOf<Type> => event.type === type),
    send: (text, member) => command({ type: "send", text, to: [member], clientMessageId: newId() }),
    interrupt: () => command({ type: "interrupt", scope: "all" }),
    set: (mirror) => command({ type: "set_settings", settings: { mirror } }),
    sees: (what, test) => until(what, test),
    async close() {
      await mirror.close();
      await session.close();
      stopFollowing();
      await log.close();
    },
  };
}

type Tell =
  | Omit<Extract<Command, { type: "interrupt" }>, "commandId">
  | Omit<Extract<Command, { type: "set_settings" }>, "commandId">;
