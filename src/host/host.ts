/**
 * All sessions of one data directory, for the clients of this process and, over the local socket, of others.
 * Sessions are opened when somebody needs them and closed when nobody does; reading takes no lock, and writes nothing but the
 * snapshot of a long log that has none, under its lock.
 */
import type { AgentFactory, Agents, ApprovalSource } from "../agents/index.ts";
import type { CarriedEnvironment } from "../kit/carried-environment.ts";
import { systemClock, type Clock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import {
  RoundtableError,
  type HostConnection,
  type Json,
  type SearchAnswer,
  type SearchQuery,
  type SessionSummary,
} from "../protocol/index.ts";
import type { ListFiles, WhyNotWritable } from "../session/index.ts";
import { prepareDataDir } from "./data-dir.ts";
import { removeDeadHosts } from "./maintenance/host-records.ts";
import { createIdlePromptService } from "./missions/service.ts";
import type { IdlePrompts } from "./missions/scheduler.ts";
import { listFiles as listFilesOnDisk } from "./sessions/list-files.ts";
import { SESSION_IDLE_MS } from "./sessions/local-session.ts";
import { openLocalSocket } from "./connections/local-socket.ts";
import { resumeMirrors } from "./mirror/resume-mirrors.ts";
import { OpenSessions, type LogFiles } from "./sessions/open-sessions.ts";
import { pageOf, readPage, snapshotOf, toSnapshotFrame } from "./sessions/read-session.ts";
import { createHostSearch, type HostSearch } from "./search/host-search.ts";
import { ServedConnection, type ServingHost } from "./connections/served-connection.ts";
import { createSessionMaintenance, type SessionMaintenance } from "./maintenance/session-maintenance.ts";
import { recoverOrWarn } from "./maintenance/unfinished-operations.ts";
import { SessionList } from "./sessions/list.ts";
import { createSessionQueries, type SessionQueries } from "./sessions/queries.ts";
import { TranscriptLoader } from "./sessions/transcript-loader.ts";
import { SessionWatch, type NewsListener } from "./sessions/watch.ts";
import { startOrphanSweep } from "./maintenance/orphan-sweep.ts";

/** A session that cannot be closed in this time keeps its lock until the process ends; nothing else waits for it. */
const CLOSE_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 1024;

export interface HostOptions {
  dataDir: string;
  agentFactory: AgentFactory;
  version: string;
  /** Ends what dead hosts of this data directory left running; done once, in the background. */
  endOrphans?: Agents["endOrphans"];
  /** Told what the person should know, one sentence each. */
  warn?: (sentence: string) => void;
  clock?: Clock;
  /** Rules about what members may do, and what was allowed for always. */
  approvals?: ApprovalSource;
  listFiles?: ListFiles;
  /** Why a session about this directory must stay read-only; null when it may be writable. */
  whyNotWritable?: WhyNotWritable;
  /** How long a session that nobody needs stays open. */
  idleMs?: number;
  /** The files that logs are written to; tests put a breaking disk here. */
  files?: LogFiles;
  /** For programs of sessions that no terminal has started; our own, as it was at the start, when absent. */
  environment?: CarriedEnvironment;
  /** How long little waits before it goes to the search index. */
  searchBatchMs?: number;
}

export interface ServeOptions {
  readonly environment?: CarriedEnvironment | undefined;
  /** The greeting may bring the environment: only on the local socket, whose other end is this user. */
  readonly mayBringEnvironment?: boolean;
}

export interface Host extends SessionQueries {
  /** Deleting, restoring and compressing. */
  readonly maintenance: SessionMaintenance;
  readonly hostId: string;
  /** Where other processes of this user reach this host. */
  readonly socketPath: string;
  /** `environment` is that of the terminal at the other end, where there is one. */
  serve(connection: HostConnection, about?: ServeOptions): void;
  listSessions(): Promise<SessionSummary[]>;
  /** For a session that has not begun yet; one that has is asked by `list_files`. */
  readonly listFiles: ListFiles;
  /** What was said and done in all sessions, newest first. Rejects with "bad_command" when there is nothing to look for. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** All sessions, then what becomes of them, also those of other processes, until the returned function is called. */
  followSessions(listener: NewsListener): () => void;
  /** Missions of this data directory. From the first call on, members that are idle are prompted by this process. */
  openIdlePrompts(): Promise<IdlePrompts>;
  /** Goes on with the thread files of all sessions that have some. Never rejects. */
  resumeMirrors(): Promise<void>;
  /**
   * Whether a client is connected, somebody follows the list, a mission is active, or a turn, a message or a request is
   * under way here.
   */
  isNeeded(): boolean;
  /** Whether a turn, a message or a request is under way here while a client is connected. */
  isServing(): boolean;
  /** Tells every client, closes every session, frees every lock. */
  close(): Promise<void>;
}

export async function createHost(options: HostOptions): Promise<Host> {
  const { dataDir, agentFactory, version, clock = systemClock, listFiles = listFilesOnDisk } = options;
  const hostId = newId();
  const connections = new Set<ServedConnection>();
  const ready = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;

  await prepareDataDir(dataDir).catch((error: unknown) => refuseDataDir(dataDir, error));
  await removeDeadHosts(dataDir);
  // Somebody may connect as soon as the socket is there; what they say waits until we can hear it.
  const onConnection = (connection: HostConnection) =>
    void ready.promise.then(() => serve(connection, { mayBringEnvironment: true }));
  const socket = await openLocalSocket({ dataDir, hostId, onConnection }).catch((error: unknown) =>
    refuseDataDir(dataDir, error),
  );
  const holder = { pid: process.pid, socket: socket.path, hostId };
  await recoverOrWarn(dataDir, holder, options.warn);
  const { idleMs = SESSION_IDLE_MS, endOrphans, warn = () => {} } = options;
  const search = createHostSearch({ dataDir, batchMs: options.searchBatchMs });
  const deps = { dataDir, version, holder, agentFactory, clock, listFiles, idleMs, ...pickSessionOptions(options) };
  const open = new OpenSessions({ ...deps, onChange: (id) => watch.touch(id), indexLog: (log) => search.follow(log) });
  const loader = new TranscriptLoader(dataDir, open);
  const list = new SessionList(dataDir, open, loader);
  const watch = new SessionWatch({ dataDir, list, clock });
  const maintenance = createSessionMaintenance({ dataDir, open, clock });
  const queries = createSessionQueries({ dataDir, open, list, loader, clock });
  const serving = createServingHost({ ...deps, open, list, loader, watch, maintenance, search, queries });
  const sweep = endOrphans === undefined ? undefined : startOrphanSweep({ endOrphans, warn, clock });
  const transcriptOf = async (id: string) => open.get(id)?.session.transcript ?? (await loader.transcript(id));
  const idle = createIdlePromptService({ dataDir, clock, warn, serve, transcriptOf, listSessions: () => list.read() });
  ready.resolve();

  function serve(connection: HostConnection, about: ServeOptions = {}): void {
    if (closing !== undefined) return connection.close("the host is shutting down");
    if (connections.size >= CONNECTIONS_MAX) return connection.close("too many clients are connected");
    trackConnection(connections, connection, { ...serving, ...about });
  }

  async function closeAll(): Promise<void> {
    watch.close();
    await idle.close();
    for (const connection of connections) connection.shutdown("the host is shutting down");
    await Promise.all([withTimeout(clock, open.closeAll()), sweep?.close()]);
    await search.close();
    for (const connection of connections) connection.close("the host has shut down");
    await socket.close();
  }

  return {
    hostId,
    socketPath: socket.path,
    serve,
    maintenance,
    listSessions: () => list.read(),
    listFiles,
    search: (query) => search.search(query),
    followSessions: (listener) => watch.follow(listener),
    openIdlePrompts: () => idle.open(),
    resumeMirrors: () => resumeMirrors({ open, listSessions: () => list.read(), warn }),
    isNeeded: () => connections.size > 0 || watch.isFollowed || open.hasWork || idle.isWaiting,
    isServing: () => connections.size > 0 && open.isAtWork,
    ...queries,
    close: () => (closing ??= closeAll()),
  };
}

function pickSessionOptions({ approvals, whyNotWritable, files, environment }: HostOptions) {
  return { approvals, whyNotWritable, files, environment };
}

function trackConnection(all: Set<ServedConnection>, connection: HostConnection, host: ServingHost): void {
  const served: ServedConnection = new ServedConnection(connection, host, () => all.delete(served));
  all.add(served);
}

function refuseDataDir(dataDir: string, error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error);
  throw new RoundtableError("store_unavailable", `The data directory ${dataDir} cannot be used: ${reason}`, {
    hint: "Make it writable for you, or choose another one with --data-dir.",
    cause: error,
  });
}

interface ServingDeps extends Pick<ServingHost, "version" | "clock"> {
  holder: { readonly hostId: string };
  search: Pick<HostSearch, "search">;
  dataDir: string;
  open: OpenSessions;
  list: SessionList;
  loader: TranscriptLoader;
  watch: SessionWatch;
  maintenance: SessionMaintenance;
  queries: Pick<SessionQueries, "putBlob">;
}

function createServingHost(deps: ServingDeps): ServingHost {
  const { dataDir, holder, version, clock, open, list, loader, watch, maintenance, search, queries } = deps;
  /** Whoever folds a long log now saves what comes out; to fold it a second time beside that helps nobody. */
  const localOf = async (sessionId: string) => {
    await open.settled(sessionId);
    return open.get(sessionId);
  };
  return {
    hostId: holder.hostId,
    version,
    clock,
    async enter(sessionId) {
      await loader.settled(sessionId);
      return open.enter(sessionId);
    },
    create: (frame, environment) => open.create(frame, environment),
    // A summary is JSON by its schema; only its optional field makes the compiler doubt it.
    list: async () => (await list.read()) as unknown as Json,
    search: (query) => search.search(query),
    followSessions: (listener) => watch.follow(listener),
    maintenance,
    putBlob: (sessionId, bytes) => queries.putBlob(sessionId, bytes),
    async snapshot(sessionId) {
      const local = await localOf(sessionId);
      return local === undefined
        ? toSnapshotFrame(await loader.transcript(sessionId))
        : snapshotOf(local.session.transcript, local.log);
    },
    async page(sessionId, page) {
      const local = await localOf(sessionId);
      if (local !== undefined) return pageOf(local.session.transcript, local.log, page);
      await loader.settled(sessionId);
      return readPage(dataDir, sessionId, page);
    },
  };
}

async function withTimeout(clock: Clock, work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<void>();
  const cancel = clock.after(CLOSE_TIMEOUT_MS, () => late.resolve());
  await Promise.race([work, late.promise]);
  cancel();
}
