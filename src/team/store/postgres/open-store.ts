/** Opens the store of a team server on PostgreSQL 15 or newer, and brings its tables up to date. */
import { systemClock, type Clock } from "../../../kit/clock.ts";
import { TeamStoreError, type TeamStore } from "../team-store.ts";
import { createTail, WakeUps } from "../wake-ups.ts";
import { createBlobs } from "./blobs.ts";
import { connectDatabase } from "./database.ts";
import { listSessions, searchEntries, startDeriver } from "./derived.ts";
import { ingestEvents, readEvents } from "./events.ts";
import { createInbox } from "./inbox.ts";
import { migrate } from "./schema.ts";
import { openWakeChannel } from "./wake-channel.ts";

/** For a database that no longer answers. */
const CLOSE_MS = 5_000;

export interface PostgresStoreOptions {
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE */
  readonly url: string;
  /** For blobs above 1 MiB; the same for all nodes. Without it they are refused. */
  readonly blobDirectory?: string;
  readonly clock?: Clock;
}

/** Refuses with a `TeamStoreError` that says what is wrong with the database. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<TeamStore> {
  const { url, blobDirectory, clock = systemClock } = options;
  const database = await connectDatabase(url);
  try {
    await migrate(database);
  } catch (error) {
    await database.close();
    throw error;
  }
  const over = new AbortController();
  const wakeUps = new WakeUps(clock);
  const channel = openWakeChannel(database, wakeUps, clock);
  const deriver = startDeriver(database, clock);
  const read: TeamStore["read"] = (sessionId, cursor) => readEvents(database, sessionId, cursor);
  const expectOpen = (): void => {
    if (over.signal.aborted) throw new TeamStoreError("closed", "The store is closed.");
  };
  return {
    async ingest(writer, events) {
      expectOpen();
      const { head, isChanged } = await ingestEvents(database, writer, events);
      if (isChanged) {
        channel.wake(writer.sessionId);
        deriver.touch(writer.sessionId);
      }
      return head;
    },
    read,
    tail: createTail(read, wakeUps, over.signal),
    list: (visible = {}) => listSessions(database, visible),
    search: (query, visible = {}) => searchEntries(database, query, visible),
    blobs: createBlobs(database, blobDirectory),
    inbox: createInbox(database, { wakeUps, wake: (id) => channel.wake(id), over: over.signal }),
    async close() {
      if (over.signal.aborted) return;
      over.abort();
      const closing = Promise.all([deriver.close(), channel.close()]).then(() => database.close());
      await limited(clock, closing);
    },
  };
}

async function limited(clock: Clock, closing: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const cancel = clock.after(CLOSE_MS, limit.resolve);
  await Promise.race([closing, limit.promise]).finally(cancel);
}
