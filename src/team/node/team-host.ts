/**
 * The host that a node serves to one signed-in device: sessions of all runners that the person may see, read from the
 * store. What only the machine with the files can answer is refused with a sentence that says so.
 */
import { createHash } from "node:crypto";
import {
  exportLog,
  factsOf,
  foldTail,
  pageFrom,
  runById,
  runsInFlight,
  ServedConnection,
  toSnapshotFrame,
  type Exporter,
  type ServingHost,
} from "../../host/index.ts";
import type { Clock } from "../../kit/clock.ts";
import { sniffType } from "../../kit/files/sniff-type.ts";
import { RoundtableError, type Json, type SessionSummary } from "../../protocol/index.ts";
import type { LogReader } from "../../log/index.ts";
import type { ServedHost } from "../../server/index.ts";
import type { Page } from "../../transcript/index.ts";
import type { PostgresStore } from "../store/postgres/open-store.ts";
import { asAnswer } from "../store/team-store.ts";
import type { Rights } from "./rights.ts";
import type { SessionDirectory } from "./session-directory.ts";
import { startSession } from "./start-session.ts";
import { openStoredLog } from "./stored-log.ts";
import { StoredSession } from "./stored-session.ts";

export interface TeamHostDeps {
  readonly nodeId: string;
  readonly version: string;
  readonly store: PostgresStore;
  readonly exporters: readonly Exporter[];
  readonly clock: Clock;
  /** Connections of this node, to be told when it stops. */
  readonly connections: Set<ServedConnection>;
  readonly directory: SessionDirectory;
}

export function createTeamHost(deps: TeamHostDeps, rights: Rights): ServedHost {
  const serving = createServing(deps, rights);
  return {
    serve(connection) {
      const served = new ServedConnection(connection, serving, () => deps.connections.delete(served));
      deps.connections.add(served);
    },
    listSessions: async () => rights.visible(),
    search: (query) => serving.search(query),
    followSessions: (listener) => rights.follow(listener),
    maintenance: serving.maintenance,
    ...createQueries(deps, rights),
    readChanges: elsewhere,
    readPatch: elsewhere,
    readTouched: elsewhere,
    readTree: elsewhere,
    readFile: elsewhere,
    findNamed: async () => ({ paths: [] }),
    listFiles: async () => [],
    openIdlePrompts: elsewhere,
    resumeMirrors: async () => {},
    isServing: () => false,
  };
}

/** Every read of a session begins here. */
async function openLog({ store }: Pick<TeamHostDeps, "store">, rights: Rights, sessionId: string): Promise<LogReader> {
  await rights.expect("read", sessionId);
  return await openStoredLog(store, sessionId, () => rights.expectStill(sessionId));
}

function createServing(deps: TeamHostDeps, rights: Rights): ServingHost {
  const { nodeId, version, store, clock } = deps;
  return {
    hostId: nodeId,
    version,
    clock,
    async enter(sessionId) {
      await rights.expect("read", sessionId);
      return { kind: "served", open: ({ sink }) => new StoredSession({ sessionId, store, rights, clock, sink }) };
    },
    create: ({ cwd, title, settings, members }) => startSession({ ...deps, rights }, { cwd, title, settings, members }),
    list: async () => rights.visible() as unknown as Json,
    async search(query) {
      const sessionIds = rights.visible().map(({ sessionId }) => sessionId);
      const answer = await asAnswer(store.search(query, { sessionIds }));
      return { ...answer, hits: answer.hits.map((hit) => rights.asSeen(hit)) };
    },
    followSessions: (listener) => rights.follow(listener),
    snapshot: async (sessionId) => toSnapshotFrame(await foldTail(await openLog(deps, rights, sessionId), [])),
    page: async (sessionId, page) => await pageFrom(await openLog(deps, rights, sessionId), page),
    maintenance: { delete: elsewhere, restore: elsewhere, compress: elsewhere, trash: async () => [] },
    putBlob: createPutBlob(deps, rights),
  };
}

function createPutBlob({ store }: TeamHostDeps, rights: Rights): ServedHost["putBlob"] {
  return async (sessionId, bytes, mime = sniffType(bytes)) => {
    await rights.expect("upload", sessionId);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const blob = { sha256, bytes: bytes.length, ...(mime === undefined ? {} : { mime }) };
    await asAnswer(store.blobs.put(sessionId, blob, bytes));
    return blob;
  };
}

type Query = "readFacts" | "readBlob" | "putBlob" | "exportSession" | "readRuns" | "readRun" | "readRequests";

function createQueries(deps: TeamHostDeps, rights: Rights): Pick<ServedHost, Query> {
  const { store, exporters } = deps;
  const transcriptOf = async (sessionId: string) => await foldTail(await openLog(deps, rights, sessionId), []);
  const sourceOf = async (sessionId: string) => ({
    transcript: await transcriptOf(sessionId),
    // Written by our own fold.
    page: async (index: number) => (await pageFrom(await openLog(deps, rights, sessionId), index)) as unknown as Page,
  });
  const idsWhere = (isWanted: (one: SessionSummary) => boolean): string[] => {
    const wanted = rights.visible().filter(isWanted);
    return wanted.map(({ sessionId }) => sessionId);
  };
  return {
    putBlob: createPutBlob(deps, rights),
    readFacts: async (sessionId) => factsOf(await transcriptOf(sessionId)),
    async readBlob(sessionId, sha256) {
      await rights.expect("read", sessionId);
      const bytes = await asAnswer(store.blobs.get(sessionId, sha256));
      if (bytes !== undefined) return bytes;
      throw new RoundtableError("unknown_message", `Session ${sessionId} has no blob with the hash ${sha256}.`);
    },
    async exportSession(sessionId, { format, redact }) {
      const exporter = exporters.find(({ name }) => name === format);
      if (exporter === undefined)
        throw new RoundtableError("unsupported", `Sessions cannot be exported as ${format} here.`);
      const log = await openLog(deps, rights, sessionId);
      const seenAs = rights.seenAs(sessionId);
      return await exportLog(log, { exporter, seenAs, ...(redact === undefined ? {} : { redact }) });
    },
    async readRuns(sessionId) {
      if (sessionId !== undefined) return await runsInFlight(await sourceOf(sessionId));
      const runs = await ofEach(
        idsWhere(({ status }) => status === "running"),
        async (id) => runsInFlight(await sourceOf(id)),
      );
      return runs.sort((a, b) => a.startedTs - b.startedTs);
    },
    async readRun(runId, sessionId) {
      const run = sessionId === undefined ? undefined : await runById(await sourceOf(sessionId), runId);
      if (run !== undefined) return run;
      throw new RoundtableError("unknown_message", `There is no run ${runId}.`, {
        hint: "Include the id of its session.",
      });
    },
    async readRequests() {
      const asking = idsWhere(({ waiting = 0 }) => waiting > 0);
      const requests = await ofEach(asking, async (sessionId) => {
        const { head } = await transcriptOf(sessionId);
        return head.requests.map((request) => Object.assign({ sessionId }, request));
      });
      return requests.sort((a, b) => a.ts - b.ts);
    },
  };
}

/** One after the other: a team may have hundreds of busy sessions. One that cannot be read hides no other. */
async function ofEach<Result>(
  sessionIds: readonly string[],
  read: (sessionId: string) => Promise<readonly Result[]>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const sessionId of sessionIds) {
    const part = await read(sessionId).catch((error: unknown) => {
      if (error instanceof RoundtableError && error.code === "store_unavailable") throw error;
      return [];
    });
    results.push(...part);
  }
  return results;
}

async function elsewhere(): Promise<never> {
  throw new RoundtableError("unsupported", "This is only possible on the machine that has the session.", {
    hint: "Open the session there.",
  });
}

/** For requests of nobody: every route with sessions asks for a person first. */
export function createClosedHost(): ServedHost {
  const refuse = (): never => {
    throw new RoundtableError("unsupported", "Sign in first.");
  };
  return new Proxy({} as ServedHost, { get: (_, name) => (name === "maintenance" ? {} : refuse) });
}
