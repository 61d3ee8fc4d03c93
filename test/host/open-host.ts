/** Hosts and clients in this process, on a directory of their own, for tests. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createClient, createConnectionPair, type Client } from "../../src/client/index.ts";
import { createHost, type Host, type HostOptions } from "../../src/host/index.ts";
import type { ClientFrame, Cursor, HostConnection, HostFrame, SessionEvent } from "../../src/protocol/index.ts";
import type { ManualClock } from "./manual-clock.ts";
import { createScriptedAgent, ECHO, SETTINGS } from "./scripted-agent.ts";
import { patient } from "../patience.ts";

export const BEGINNING: Cursor = { epoch: 0, seq: 0 };

export function newDataDir(): string {
  return mkdtempSync(path.join(tmpdir(), "rt-host-"));
}

export function openHost(dataDir: string, options: Partial<HostOptions> = {}): Promise<Host> {
  return createHost({ dataDir, agentFactory: createScriptedAgent, version: "0.0.0-test", ...options });
}

export function connect(host: Host, clientId?: string): Promise<Client> {
  return createClient(
    async () => {
      const [near, far] = createConnectionPair();
      host.serve(far);
      return near;
    },
    clientId === undefined ? {} : { clientId },
  );
}

export async function createSession(client: Client, cwd: string): Promise<string> {
  return (await client.create({ cwd, title: "test", settings: SETTINGS, members: [ECHO] })).sessionId;
}

export interface Received {
  readonly events: SessionEvent[];
  readonly resyncs: string[];
  readonly heads: Cursor[];
}

export async function listen(client: Client, sessionId: string, cursor = BEGINNING): Promise<Received> {
  const received: Received = { events: [], resyncs: [], heads: [] };
  await client.subscribe(sessionId, cursor, (events) => received.events.push(...events), {
    onResync: (reason) => received.resyncs.push(reason),
    onHeartbeat: (head) => received.heads.push(head),
  });
  return received;
}

/** A connection whose client says what the test says and takes nothing until `drain`. */
export function createSluggishConnection(): {
  connection: HostConnection;
  send: (frame: ClientFrame) => void;
  frames: HostFrame[];
  drain: () => void;
  sentBytes: () => number;
} {
  const frames: HostFrame[] = [];
  let listener: (frame: ClientFrame) => void = () => {};
  let backlogBytes = 0;
  let sentBytes = 0;
  return {
    connection: {
      send(frame) {
        frames.push(frame);
        const bytes = JSON.stringify(frame).length;
        backlogBytes += bytes;
        sentBytes += bytes;
      },
      onFrame: (given) => (listener = given),
      onClose() {},
      close() {},
      get backlogBytes() {
        return backlogBytes;
      },
    },
    send: (frame) => listener(frame),
    frames,
    drain: () => (backlogBytes = 0),
    sentBytes: () => sentBytes,
  };
}

/** Lets the disk and the event loop do their work until the test holds; a manual clock is moved along by `stepMs`. */
export async function until(
  what: string,
  test: () => boolean,
  { clock, stepMs = 1 }: { clock?: ManualClock; stepMs?: number } = {},
): Promise<void> {
  const deadline = performance.now() + patient(15_000);
  while (!test()) {
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    clock?.advance(stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

export function turnsEnded(events: readonly SessionEvent[]): number {
  return events.filter((event) => event.type === "turn_end").length;
}

export function seqsOf(events: readonly SessionEvent[]): number[] {
  return events.map((event) => event.seq);
}

export function countTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1);
}
