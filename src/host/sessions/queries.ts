/**
 * What is asked about sessions: facts, runs and open requests. A session that is open here answers from memory, any
 * other from its log, without its lock.
 */
import { decodeTime } from "ulid";
import type { Clock } from "../../kit/clock.ts";
import { RoundtableError, type BlobRef, type SessionSummary } from "../../protocol/index.ts";
import type { OpenRequest, Page, Transcript } from "../../transcript/index.ts";
import type { ExportOptions, SessionExport } from "../export/export-session.ts";
import { createSessionExport } from "../export/session-export.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { pageOf, readPage } from "./read-session.ts";
import { createSessionBlobs } from "./blobs.ts";
import { factsOf, type SessionFacts } from "./facts.ts";
import type { SessionList } from "./list.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";
import { runById, runsInFlight, type Run, type RunSource } from "./runs.ts";

/** A message's id is made a moment before its event, and clocks are not exact. */
const CLOCK_SLACK_MS = 60_000;

export type RequestOfSession = OpenRequest & { readonly sessionId: string };

export interface SessionQueries {
  /** Members, open requests and what was used. Rejects with "unknown_session"; takes no lock. */
  readFacts(sessionId: string): Promise<SessionFacts>;
  /** What was too large for an event, by its hash. Rejects with "unknown_message" when the session has no such thing. */
  readBlob(sessionId: string, sha256: string): Promise<Uint8Array>;
  /** Stores what a message will name, where the session is held; what it is is looked for unless it is said. */
  putBlob(sessionId: string, bytes: Uint8Array, mime?: string): Promise<BlobRef>;
  /** The session as a file, in pieces. Rejects with "unknown_session"; takes no lock. */
  exportSession(sessionId: string, options: Pick<ExportOptions, "format" | "redact">): Promise<SessionExport>;
  /** In flight, oldest first: of one session, or of all that are open here or run elsewhere. */
  readRuns(sessionId?: string): Promise<Run[]>;
  /** Rejects with "unknown_message". Without a session, whichever has the message is looked for. */
  readRun(runId: string, sessionId?: string): Promise<Run>;
  /** Open requests of all sessions that are open here or run elsewhere, oldest first. */
  readRequests(): Promise<RequestOfSession[]>;
}

export interface SessionQueryDeps {
  dataDir: string;
  open: OpenSessions;
  list: SessionList;
  loader: TranscriptLoader;
  clock: Clock;
}

export function createSessionQueries({ dataDir, open, list, loader, clock }: SessionQueryDeps): SessionQueries {
  async function transcriptOf(sessionId: string): Promise<Transcript> {
    return open.get(sessionId)?.session.transcript ?? (await loader.transcript(sessionId));
  }

  async function sourceOf(sessionId: string): Promise<RunSource> {
    const local = open.get(sessionId);
    const transcript = await transcriptOf(sessionId);
    const page = (index: number) =>
      local === undefined ? readPage(dataDir, sessionId, index) : pageOf(transcript, local.log, index);
    // Our own fold wrote it.
    return { transcript, page: async (index) => (await page(index)) as unknown as Page };
  }

  /** Of every session that may have something under way. One that cannot be read has nothing to say. */
  async function ofBusySessions<T>(read: (sessionId: string) => Promise<readonly T[]>): Promise<T[]> {
    const here = open.all().map((local) => local.session.sessionId);
    const running = (await list.read()).filter((one) => one.status === "running").map((one) => one.sessionId);
    const results = await Promise.all([...new Set([...here, ...running])].map((id) => read(id).catch(() => [])));
    return results.flat();
  }

  async function requestsOf(sessionId: string): Promise<RequestOfSession[]> {
    const { head } = await transcriptOf(sessionId);
    return head.requests.map((request) => Object.assign({ sessionId }, request));
  }

  async function findRun(runId: string): Promise<Run | undefined> {
    for (const local of open.all()) {
      const run = await runById(await sourceOf(local.session.sessionId), runId);
      if (run !== undefined) return run;
    }
    for (const { sessionId } of (await list.read()).filter((one) => mayHold(one, runId))) {
      const run = await runById(await sourceOf(sessionId), runId);
      if (run !== undefined) return run;
    }
    return undefined;
  }

  return {
    readFacts: async (sessionId) => factsOf(await transcriptOf(sessionId)),
    ...createSessionBlobs({ dataDir, open, clock }),
    ...createSessionExport({ dataDir, open }),
    async readRuns(sessionId) {
      const inFlight = async (id: string) => runsInFlight(await sourceOf(id));
      if (sessionId !== undefined) return inFlight(sessionId);
      return (await ofBusySessions(inFlight)).sort((a, b) => a.startedTs - b.startedTs);
    },
    async readRun(runId, sessionId) {
      const run = sessionId === undefined ? await findRun(runId) : await runById(await sourceOf(sessionId), runId);
      if (run !== undefined) return run;
      const where = sessionId === undefined ? "No session" : `Session ${sessionId}`;
      throw new RoundtableError(
        "unknown_message",
        `${where} has ${sessionId === undefined ? "a" : "no"} run ${runId}.`,
        {
          hint: "A run has the id of its message, as the answer to the command said it.",
        },
      );
    },
    async readRequests() {
      const requests = await ofBusySessions(requestsOf);
      return requests.sort((a, b) => a.ts - b.ts);
    },
  };
}

/** When a message with this id was made. Undefined for an id that no clock has given: whoever asks may have made it up. */
function timeIn(messageId: string): number | undefined {
  try {
    return decodeTime(messageId);
  } catch {
    return undefined;
  }
}

/** A message is written while its session is in use. */
function mayHold({ createdTs, updatedTs, problem }: SessionSummary, messageId: string): boolean {
  const madeTs = timeIn(messageId);
  if (madeTs === undefined) return false;
  return problem === undefined && createdTs <= madeTs + CLOCK_SLACK_MS && updatedTs >= madeTs - CLOCK_SLACK_MS;
}
