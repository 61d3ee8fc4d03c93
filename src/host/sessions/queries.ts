/**
 * Queries about sessions: facts, runs, open requests, blobs, exports. Answered from memory for a session that is open
 * here, else from its log without a lock.
 */
import { decodeTime } from "ulid";
import type { Clock } from "../../kit/clock.ts";
import { sniffType } from "../../kit/files/sniff-type.ts";
import { type BlobRef, RoundtableError, type SessionSummary } from "../../protocol/index.ts";
import type { MemberState, OpenRequest, Page, Totals, Transcript } from "../../transcript/index.ts";
import { putAtHolder } from "../connections/ask-holder.ts";
import { exportSession, type Exporter, type ExportOptions, type SessionExport } from "../export/export-session.ts";
import { createWorkspaceQueries, type WorkspaceQueries } from "../workspace/workspace.ts";
import type { SessionList } from "./list.ts";
import type { OpenSessions } from "./open-sessions.ts";
import { pageOf, readBlob, readPage } from "./read-session.ts";
import { type Run, runById, runsInFlight, type RunSource } from "./runs.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";

/** A message id is created shortly before its event, and clocks are inexact. */
const CLOCK_SLACK_MS = 60_000;

export type RequestOfSession = OpenRequest & { readonly sessionId: string };

export interface SessionQueries extends WorkspaceQueries {
  /** Members, open requests and usage. Rejects with "unknown_session"; takes no lock. */
  readFacts(sessionId: string): Promise<SessionFacts>;
  /**
   * Content that was too large for an event, by hash. Rejects with "unknown_message" when the session has no such blob.
   */
  readBlob(sessionId: string, sha256: string): Promise<Uint8Array>;
  /** Stores an attachment where the session is held; detects the type unless it is given. */
  putBlob(sessionId: string, bytes: Uint8Array, mime?: string): Promise<BlobRef>;
  /** The session as a file, in chunks. Rejects with "unknown_session"; takes no lock. */
  exportSession(
    sessionId: string,
    options: { readonly format: string } & Pick<ExportOptions, "redact">,
  ): Promise<SessionExport>;
  /** Runs in flight, oldest first: of one session, or of all that are open here or run elsewhere. */
  readRuns(sessionId?: string): Promise<Run[]>;
  /** Rejects with "unknown_message". Without a session, all sessions are searched for the message. */
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
  exporters: readonly Exporter[];
}

export function createSessionQueries(deps: SessionQueryDeps): SessionQueries {
  const { dataDir, open, list, loader, clock, exporters } = deps;

  async function sourceOf(sessionId: string): Promise<RunSource> {
    const local = open.get(sessionId);
    const transcript = await loader.current(sessionId);
    const page = (index: number) =>
      local === undefined ? readPage(dataDir, sessionId, index) : pageOf(transcript, local.log, index);
    // Written by our own fold.
    return { transcript, page: async (index) => (await page(index)) as unknown as Page };
  }

  /** Reads every session that may be busy; unreadable ones are skipped. */
  async function ofBusySessions<T>(read: (sessionId: string) => Promise<readonly T[]>): Promise<T[]> {
    const here = open.all().map((local) => local.session.sessionId);
    const running = (await list.read()).filter((one) => one.status === "running").map((one) => one.sessionId);
    const results = await Promise.all([...new Set([...here, ...running])].map((id) => read(id).catch(() => [])));
    return results.flat();
  }

  async function requestsOf(sessionId: string): Promise<RequestOfSession[]> {
    const { head } = await loader.current(sessionId);
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
    readFacts: async (sessionId) => factsOf(await loader.current(sessionId)),
    ...createSessionBlobs({ dataDir, open, clock }),
    ...createSessionExport({ dataDir, open, exporters }),
    ...createWorkspaceQueries(sourceOf),
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
          hint: "The id of a run is the message id in the answer to its command.",
        },
      );
    },
    async readRequests() {
      const requests = await ofBusySessions(requestsOf);
      return requests.sort((a, b) => a.ts - b.ts);
    },
  };
}

/** Creation time of a message id; undefined for an invalid id. */
function timeIn(messageId: string): number | undefined {
  try {
    return decodeTime(messageId);
  } catch {
    return undefined;
  }
}

/** Whether the session was in use when the message was created. */
function mayHold({ createdTs, updatedTs, problem }: SessionSummary, messageId: string): boolean {
  const madeTs = timeIn(messageId);
  if (madeTs === undefined) return false;
  return problem === undefined && createdTs <= madeTs + CLOCK_SLACK_MS && updatedTs >= madeTs - CLOCK_SLACK_MS;
}

function createSessionBlobs({
  dataDir,
  open,
  clock,
}: Pick<SessionQueryDeps, "dataDir" | "open" | "clock">): Pick<SessionQueries, "readBlob" | "putBlob"> {
  return {
    async readBlob(sessionId, sha256) {
      const bytes = await (open.get(sessionId)?.log.blobs.get(sha256) ?? readBlob(dataDir, sessionId, sha256));
      if (bytes !== undefined) return bytes;
      throw new RoundtableError("unknown_message", `Session ${sessionId} has no blob with the hash ${sha256}.`);
    },
    async putBlob(sessionId, bytes, mime = sniffType(bytes)) {
      const entry = await open.enter(sessionId);
      if (entry.kind === "elsewhere") return putAtHolder(entry.holder, sessionId, bytes, clock);
      try {
        return await entry.local.log.blobs.put(bytes, mime);
      } finally {
        entry.release();
      }
    },
  };
}

function createSessionExport({
  dataDir,
  open,
  exporters,
}: Pick<SessionQueryDeps, "dataDir" | "open" | "exporters">): Pick<SessionQueries, "exportSession"> {
  return {
    async exportSession(sessionId, { format, redact }) {
      const exporter = exporters.find(({ name }) => name === format);
      if (exporter === undefined)
        throw new RoundtableError("unsupported", `Sessions cannot be exported as ${format} here.`);
      // Flushed, so that unwritten events are exported too; if that fails, the export has the events on disk.
      await open
        .get(sessionId)
        ?.log.flush()
        .catch(() => {});
      return await exportSession({ dataDir, sessionId, exporter, ...(redact === undefined ? {} : { redact }) });
    },
  };
}

export interface SessionFacts {
  /** Oldest first. */
  readonly requests: readonly OpenRequest[];
  /** All members, including those that have left. */
  readonly members: readonly MemberFacts[];
  readonly usage: {
    readonly totals: Totals;
    readonly members: readonly { readonly name: string; readonly totals: Totals }[];
  };
}

type MemberFacts = Pick<
  MemberState,
  "name" | "seated" | "muted" | "state" | "turnId" | "lastOutcome" | "context" | "capabilities"
> & { readonly kind: MemberState["spec"]["kind"]; readonly model?: string };

export function factsOf({ head }: Transcript): SessionFacts {
  const members = Object.values(head.members);
  return {
    requests: head.requests,
    members: members.map(memberFactsOf),
    usage: { totals: head.totals, members: members.map(({ name, totals }) => ({ name, totals })) },
  };
}

function memberFactsOf(member: MemberState): MemberFacts {
  const { name, spec, seated, muted, state, turnId, lastOutcome, context, capabilities } = member;
  const model = member.model ?? spec.model;
  return {
    name,
    kind: spec.kind,
    ...(model === undefined ? {} : { model }),
    seated,
    muted,
    state,
    ...(turnId === undefined ? {} : { turnId }),
    ...(lastOutcome === undefined ? {} : { lastOutcome }),
    ...(context === undefined ? {} : { context }),
    capabilities,
  };
}
