/**
 * All sessions of one data directory, for clients in this process and, over the local socket, in others. Sessions are
 * opened on demand and closed when idle. Reading takes no lock and writes nothing, except for the missing snapshot of a
 * long log.
 */
import type { AgentFactory, Agents, ApprovalSource } from "../agents/index.ts";
import type { CarriedEnvironment } from "../kit/carried-environment.ts";
import { systemClock, type Clock } from "../kit/clock.ts";
import { newId } from "../kit/ids.ts";
import type {
  HostConnection,
  Json,
  RoundtableError,
  SearchAnswer,
  SearchQuery,
  SessionSummary,
} from "../protocol/index.ts";
import type { ListFiles, WhyNotWritable } from "../session/index.ts";
import { openDataDir } from "./open-data-dir.ts";
import type { Exporter } from "./export/export-session.ts";
import { createIdlePromptService } from "./missions/service.ts";
import type { IdlePrompts } from "./missions/scheduler.ts";
import { listFiles as listFilesOnDisk } from "./sessions/list-files.ts";
import { SESSION_IDLE_MS } from "./sessions/local-session.ts";
import { resumeMirrors, type LoadMirror } from "./sessions/session-mirror.ts";
import type { LogFiles } from "./sessions/log-files.ts";
import { OpenSessions } from "./sessions/open-sessions.ts";
import { pageOf, readPage, snapshotOf, toSnapshotFrame } from "./sessions/read-session.ts";
import { createHostSearch, type HostSearch } from "./search/host-search.ts";
import { ServedConnection, type ServingHost } from "./connections/served-connection.ts";
import { createSessionMaintenance, type SessionMaintenance } from "./maintenance/session-maintenance.ts";
import { recoverOrWarn } from "./maintenance/startup-recovery.ts";
import { SessionList } from "./sessions/list.ts";
import { createSessionQueries, type SessionQueries } from "./sessions/queries.ts";
import { TranscriptLoader } from "./sessions/transcript-loader.ts";
import { SessionWatch, type NewsListener } from "./sessions/watch.ts";
import { startOrphanSweep } from "./maintenance/startup-recovery.ts";

/** A session that cannot be closed within this time keeps its lock until the process ends. */
const CLOSE_TIMEOUT_MS = 10_000;
const CONNECTIONS_MAX = 1024;

export interface HostOptions {
  dataDir: string;
  agentFactory: AgentFactory;
  version: string;
  /** Ends orphaned processes of dead hosts of this data directory; called once, in the background. */
  endOrphans?: Agents["endOrphans"];
  /** Shows a warning of one sentence to the user. */
  warn?: (sentence: string) => void;
  clock?: Clock;
  /** Approval rules and permanent approvals. */
  approvals?: ApprovalSource;
  listFiles?: ListFiles;
  /** Why a session in this directory must stay read-only; undefined when it may be writable. */
  whyNotWritable?: WhyNotWritable;
  /** How long an unused session stays open. */
  idleMs?: number;
  /** File operations of logs; tests inject failing ones. */
  files?: LogFiles;
  /** For programs of sessions that no terminal has opened; by default that of this process at its start. */
  environment?: CarriedEnvironment;
  /** The formats that `exportSession` knows. */
  exporters?: readonly Exporter[];
  /** Keeps files of another system beside sessions whose settings have a mirror. */
  loadMirror?: LoadMirror;
  /** Where the data directory cannot be written, start all the same: sessions can be read, and none is opened. */
  isReader?: boolean;
  /** Maximum age of a batch for the search index. */
  searchBatchMs?: number;
}

export interface ServeOptions {
  readonly environment?: CarriedEnvironment | undefined;
  /** Accept the environment of the hello frame: only on the local socket, which belongs to the same user. */
  readonly mayBringEnvironment?: boolean;
}

export interface Host extends SessionQueries {
  /** Deleting, restoring and compressing. */
  readonly maintenance: SessionMaintenance;
  readonly hostId: string;
  /** Local socket for other processes of this user. */
  readonly socketPath: string;
  /** `environment` is that of the terminal at the other end, if any. */
  serve(connection: HostConnection, about?: ServeOptions): void;
  listSessions(): Promise<SessionSummary[]>;
  /** For a session that is not created yet; existing ones have the command `list_files`. */
  readonly listFiles: ListFiles;
  /** Searches all sessions, newest match first. Rejects with "bad_command" when the query is empty. */
  search(query: SearchQuery): Promise<SearchAnswer>;
  /** All sessions, then their changes, also in other processes, until the returned function is called. */
  followSessions(listener: NewsListener): () => void;
  /** Missions of this data directory. From the first call on, members that are idle are prompted by this process. */
  openIdlePrompts(): Promise<IdlePrompts>;
  /** Opens all mirrored sessions, so that their mirrors continue. Never rejects. */
  resumeMirrors(): Promise<void>;
  /**
   * Whether a client is connected, the session list is followed, a mission is active, or a session here has a turn,
   * queued message or request.
   */
  isNeeded(): boolean;
  /** Whether a session here has a turn, queued message or request while a client is connected. */
  isServing(): boolean;
  /** Notifies every client, closes every session, releases every lock. */
  close(): Promise<void>;
}

export async function createHost(options: HostOptions): Promise<Host> {
  const { dataDir, agentFactory, version, clock = systemClock, listFiles = listFilesOnDisk, exporters = [] } = options;
  const hostId = newId();
  const connections = new Set<ServedConnection>();
  const ready = Promise.withResolvers<void>();
  let closing: Promise<void> | undefined;

  // Clients may connect as soon as the socket exists; they wait until the host is ready.
  const onConnection = (connection: HostConnection) =>
    void ready.promise.then(() => serve(connection, { mayBringEnvironment: true }));
  const { socket, refusal } = await openDataDir(options, { hostId, onConnection });
  const holder = { pid: process.pid, socket: socket?.path ?? "", hostId };
  if (socket !== undefined) await recoverOrWarn(dataDir, holder, options.warn);
  const { idleMs = SESSION_IDLE_MS, endOrphans, warn = () => {} } = options;
  const search = createHostSearch({ dataDir, batchMs: options.searchBatchMs });
  const deps = { dataDir, version, holder, agentFactory, clock, listFiles, idleMs, ...pickSessionOptions(options) };
  const open = new OpenSessions({ ...deps, onChange: (id) => watch.touch(id), indexLog: (log) => search.follow(log) });
  const loader = new TranscriptLoader(dataDir, open);
  const list = new SessionList(dataDir, open, loader);
  const watch = new SessionWatch({ dataDir, list, clock });
  const maintenance = createSessionMaintenance({ dataDir, open, clock });
  const queries = createSessionQueries({ dataDir, open, list, loader, clock, exporters });
  const serving = createServingHost({ ...deps, open, list, loader, watch, maintenance, search, queries, refusal });
  const isSweeping = endOrphans !== undefined && refusal === undefined;
  const sweep = isSweeping ? startOrphanSweep({ endOrphans, warn, clock }) : undefined;
  const transcriptOf = (id: string) => loader.current(id);
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
    await socket?.close();
  }

  return {
    hostId,
    socketPath: holder.socket,
    serve,
    maintenance,
    listSessions: () => list.read(),
    listFiles,
    search: (query) => search.search(query),
    followSessions: (listener) => watch.follow(listener),
    openIdlePrompts: () => idle.open(),
    resumeMirrors: () => resumeMirrors({ enter: (id) => open.enter(id), listSessions: () => list.read(), warn }),
    isNeeded: () => connections.size > 0 || watch.isFollowed || open.hasWork || idle.isWaiting,
    isServing: () => connections.size > 0 && open.isAtWork,
    ...queries,
    close: () => (closing ??= closeAll()),
  };
}

function pickSessionOptions({ approvals, whyNotWritable, files, environment, loadMirror }: HostOptions) {
  return { approvals, whyNotWritable, files, environment, loadMirror };
}

function trackConnection(all: Set<ServedConnection>, connection: HostConnection, host: ServingHost): void {
  const served: ServedConnection = new ServedConnection(connection, host, () => all.delete(served));
  all.add(served);
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
  /** Why no session can be opened. */
  refusal: RoundtableError | undefined;
}

function createServingHost(deps: ServingDeps): ServingHost {
  const { dataDir, holder, version, clock, open, list, loader, watch, maintenance, search, queries, refusal } = deps;
  /** Waits for a pending open: it saves a snapshot, so folding a long log twice would be wasted. */
  const localOf = async (sessionId: string) => {
    await open.settled(sessionId);
    return open.get(sessionId);
  };
  return {
    hostId: holder.hostId,
    version,
    clock,
    async enter(sessionId) {
      if (refusal !== undefined) throw refusal;
      await loader.settled(sessionId);
      return open.enter(sessionId);
    },
    create: async (frame, environment) => {
      if (refusal !== undefined) throw refusal;
      return await open.create(frame, environment);
    },
    // A summary is JSON by its schema; the compiler objects only to its optional fields.
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
