/** A host with a mirrored session, in temporary directories. */
import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { AgentFactory } from "../../../../src/agents/index.ts";
import type { Client } from "../../../../src/client/index.ts";
import type { Host } from "../../../../src/host/index.ts";
import type { EventOf, EventType, MemberSpec, SessionEvent } from "../../../../src/protocol/index.ts";
import { connect, listen, newDataDir, openHost, until } from "../../../../test/host/open-host.ts";
import { openMirror } from "../../mirror/mirror-switch.ts";
import { SETTINGS } from "../../../../test/host/scripted-agent.ts";

export interface MirroredSession {
  readonly host: Host;
  readonly client: Client;
  readonly sessionId: string;
  readonly dataDir: string;
  readonly project: string;
  readonly events: readonly SessionEvent[];
  /** The thread's directory, once the session has reported it. */
  dir(): Promise<string>;
  send(text: string, to?: readonly string[]): Promise<void>;
  sees(what: string, test: () => boolean): Promise<void>;
  of<Type extends EventType>(type: Type): EventOf<Type>[];
  close(): Promise<void>;
}

export function newProject(): string {
  const project = realpathSync(mkdtempSync(path.join(tmpdir(), "rt-kd-")));
  mkdirSync(path.join(project, ".git"));
  return project;
}

export const MEMBERS: readonly MemberSpec[] = [
  { name: "claude", kind: "embedded" },
  { name: "a_b", kind: "embedded" },
];

export interface MirroredOptions {
  readonly dataDir?: string;
  readonly project?: string;
  readonly sessionId?: string;
  readonly members?: readonly MemberSpec[];
  readonly isMirrored?: boolean;
  readonly factory?: AgentFactory;
  /** Seconds that a turn may take. */
  readonly timeout?: number;
}

/** A host with the mirror of this edge. */
export function openMirrorHost(dataDir: string, agentFactory?: AgentFactory): Promise<Host> {
  const loadMirror = async () => openMirror;
  return openHost(dataDir, { loadMirror, ...(agentFactory === undefined ? {} : { agentFactory }) });
}

export async function openMirrored(options: MirroredOptions = {}): Promise<MirroredSession> {
  const { dataDir = newDataDir(), project = newProject(), members = MEMBERS, isMirrored = true } = options;
  const host = await openMirrorHost(dataDir, options.factory);
  const client = await connect(host);
  const settings = {
    ...SETTINGS,
    order: members.map(({ name }) => name),
    ...(isMirrored ? { mirror: {} } : {}),
    ...timeoutOf(options),
  };
  const sessionId =
    options.sessionId ??
    (await client.create({ cwd: project, title: "test", settings, members: [...members] })).sessionId;
  const heard = await listen(client, sessionId);
  let sent = 0;
  const of = <Type extends EventType>(type: Type) =>
    heard.events.filter((event): event is EventOf<Type> => event.type === type);
  return {
    host,
    client,
    sessionId,
    dataDir,
    project,
    events: heard.events,
    of,
    async dir() {
      const found = () => of("settings_changed").findLast((event) => event.settings.mirror?.thread !== undefined);
      await until("the thread to be chosen", () => found() !== undefined);
      const { kd = "", branch = "", thread = "" } = found()?.settings.mirror ?? {};
      return path.join(kd, "branches", branch.toLowerCase().replaceAll("/", "-"), "threads", thread);
    },
    async send(text, to) {
      sent += 1;
      const clientMessageId = `m${sent}-${performance.now()}`;
      const ack = await client.command(sessionId, {
        type: "send",
        text,
        clientMessageId,
        ...(to === undefined ? {} : { to: [...to] }),
      });
      if (!ack.ok) throw new Error(ack.error.message);
    },
    sees: (what, test) => until(what, test),
    async close() {
      client.close();
      await host.close();
    },
  };
}

function timeoutOf({ timeout }: MirroredOptions): { timeout?: number } {
  return timeout === undefined ? {} : { timeout };
}
