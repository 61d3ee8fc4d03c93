/** Opens the store of a team server on PostgreSQL 15 or newer, and brings its tables up to date. */
import { systemClock, type Clock } from "../../../kit/clock.ts";
import type { PeopleStore } from "../../people/people-store.ts";
import { TeamStoreError, type TeamStore } from "../team-store.ts";
import { createTail } from "../tail.ts";
import { WakeUps } from "../wake-ups.ts";
import { createBlobs, removeBlobFiles } from "./blobs.ts";
import { connectDatabase, type OnFailure } from "./database.ts";
import { listSessions, readDirectory, readSaved, searchEntries, startDeriver, type Directory } from "./derived.ts";
import { forgetSession, ingestEvents, readBatch, readEvents, readHead, type StoredHead } from "./events.ts";
import { createInbox } from "./inbox.ts";
import { createPeopleStore } from "./people.ts";
import { migrate } from "./schema.ts";
import { openWakeChannel } from "./wake-channel.ts";
import { startWatch } from "./watch.ts";

/** For a database that no longer answers. */
const CLOSE_MS = 5_000;

export interface PostgresStoreOptions {
  /** postgres://USER:PASSWORD@HOST:PORT/DATABASE */
  readonly url: string;
  /** For blobs above 1 MiB; the same for all nodes. Without it they are refused. */
  readonly blobDirectory?: string;
  readonly clock?: Clock;
  /** Told what goes wrong with the database once it is open. */
  readonly onFailure?: OnFailure;
}

export interface PostgresStore extends TeamStore {
  readonly people: PeopleStore;
  /** Where a session ends, and whose it is. */
  head(sessionId: string): Promise<StoredHead | undefined>;
  /** Sessions whose line has changed after this time of the database, and a little before; all of them without it. */
  directory(changedAfterTs?: number): Promise<Directory>;
  /** Rejects while nothing can be stored: the database is away, or a standby. */
  expectWritable(): Promise<void>;
}

/** Refuses with a `TeamStoreError` that says what is wrong with the database. */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  const { url, blobDirectory, clock = systemClock, onFailure } = options;
  let isOpen = false;
  const database = await connectDatabase(url, (failure) => isOpen && onFailure?.(failure));
  try {
    await migrate(database);
    isOpen = true;
  } catch (error) {
    await database.close();
    throw error;
  }
  const over = new AbortController();
  const wakeUps = new WakeUps(clock);
  const channel = openWakeChannel(database, wakeUps, clock);
  const watch = startWatch(database, wakeUps, clock);
  const deriver = startDeriver(database, clock);
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
    read: (sessionId, cursor) => readEvents(database, sessionId, cursor),
    tail: createTail((sessionId, cursor) => readBatch(database, sessionId, cursor), wakeUps, over.signal),
    list: (visible = {}) => listSessions(database, visible),
    search: (query, visible = {}) => searchEntries(database, query, visible),
    saved: (sessionId) => readSaved(database, sessionId),
    async forget(writer) {
      if (await forgetSession(database, writer)) await removeBlobFiles(blobDirectory, writer.sessionId);
      channel.wake(writer.sessionId);
    },
    head: (sessionId) => readHead(database, sessionId),
    people: createPeopleStore(database, { wakeUps, wake: (id) => channel.wake(id) }),
    directory: (changedAfterTs) => readDirectory(database, changedAfterTs),
    // Changes no row, and yet is refused where none may be changed.
    expectWritable: async () =>
      void (await database.query("update roundtable.revision set number = number where false")),
    blobs: createBlobs(database, blobDirectory),
    inbox: createInbox(database, { wakeUps, wake: (id) => channel.wake(id), over: over.signal }),
    async close() {
      if (over.signal.aborted) return;
      over.abort();
      const closing = Promise.all([deriver.close(), channel.close(), watch.close()]).then(() => database.close());
      await limited(clock, closing);
    },
  };
}

async function limited(clock: Clock, closing: Promise<void>): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const cancel = clock.after(CLOSE_MS, limit.resolve);
  await Promise.race([closing, limit.promise]).finally(cancel);
}
