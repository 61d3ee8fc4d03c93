/**
 * A host that exposes only marked sessions: any other does not exist, whichever way it is requested. A session created
 * through it is marked before its id is sent.
 */
import { fieldOf } from "../../kit/fields.ts";
import { RoundtableError, type ClientFrame, type HostConnection, type HostFrame } from "../../protocol/index.ts";
import type { ServedHost } from "../routes/policies.ts";
import type { MarkedSessions } from "./marked-sessions.ts";

/** Scope under which missions set through this port are stored. */
const SCOPE = "compat";

export function createScopedHost(host: ServedHost, marked: MarkedSessions): ServedHost {
  function check(sessionId: string): void {
    if (!marked.has(sessionId)) throw unknownSession(sessionId);
  }

  async function ofMarked<T extends { readonly sessionId: string }>(read: Promise<readonly T[]>): Promise<T[]> {
    return (await read).filter((one) => marked.has(one.sessionId));
  }

  return {
    ...host,
    serve: (connection) => host.serve(scopeConnection(connection, marked)),
    listSessions: () => ofMarked(host.listSessions()),
    followSessions: (listener) =>
      host.followSessions(({ isWhole, changed, gone }) =>
        listener({
          isWhole,
          changed: changed.filter((one) => marked.has(one.sessionId)),
          gone: gone.filter((id) => marked.has(id)),
        }),
      ),
    async readFacts(sessionId) {
      check(sessionId);
      return host.readFacts(sessionId);
    },
    async readBlob(sessionId, sha256) {
      check(sessionId);
      return host.readBlob(sessionId, sha256);
    },
    async putBlob(sessionId, bytes, mime) {
      check(sessionId);
      return host.putBlob(sessionId, bytes, mime);
    },
    async exportSession(sessionId, options) {
      check(sessionId);
      return host.exportSession(sessionId, options);
    },
    openIdlePrompts: async () => (await host.openIdlePrompts()).scoped(SCOPE, (id) => marked.has(id)),
    async readRuns(sessionId) {
      if (sessionId !== undefined) check(sessionId);
      return ofMarked(host.readRuns(sessionId));
    },
    async readRun(runId, sessionId) {
      if (sessionId !== undefined) check(sessionId);
      const run = await host.readRun(runId, sessionId);
      if (marked.has(run.sessionId)) return run;
      throw new RoundtableError("unknown_message", `No session has a run ${runId}.`);
    },
    readRequests: () => ofMarked(host.readRequests()),
  };
}

/** Session id of a summary in the reply to `list`, or of the reply to `create`. */
function sessionIdOf(result: unknown): string {
  return fieldOf(result, "sessionId") ?? "";
}

/** The same connection; frames that name an unmarked session are refused on the way in and dropped on the way out. */
function scopeConnection(connection: HostConnection, marked: MarkedSessions): HostConnection {
  const lists = new Set<string>();
  const creates = new Set<string>();

  function receive(frame: ClientFrame, pass: (frame: ClientFrame) => void): void {
    // Invalid frames are refused by the host.
    const sessionId = (frame as { sessionId?: unknown } | null)?.sessionId;
    if (typeof sessionId === "string" && !marked.has(sessionId)) return refuse(frame, sessionId);
    if (frame?.frame === "list") lists.add(frame.id);
    if (frame?.frame === "create") creates.add(frame.id);
    pass(frame);
  }

  function refuse(frame: ClientFrame, sessionId: string): void {
    const { code, message } = unknownSession(sessionId);
    const error = { code, message };
    if (frame.frame === "command") {
      const { commandId } = frame.command;
      connection.send({ frame: "ack", sessionId, ack: { commandId, ok: false, error } });
    } else if ("id" in frame) connection.send({ frame: "reply", id: frame.id, ok: false, error });
  }

  function sendScoped(frame: HostFrame): void {
    if (frame.frame !== "reply") return connection.send(frame);
    const isList = lists.delete(frame.id);
    const isCreate = creates.delete(frame.id);
    if (!frame.ok || (!isList && !isCreate)) return connection.send(frame);
    if (isList) {
      const sessions = Array.isArray(frame.result) ? frame.result : [];
      const result = sessions.filter((one) => marked.has(sessionIdOf(one)));
      return connection.send({ ...frame, result });
    }
    // A mark that cannot be written still holds until the server exits.
    void marked.add(sessionIdOf(frame.result)).then(
      () => connection.send(frame),
      () => connection.send(frame),
    );
  }

  return {
    send: sendScoped,
    onFrame: (listener) => connection.onFrame((frame) => receive(frame, listener)),
    onClose: (listener) => connection.onClose(listener),
    close: (reason) => connection.close(reason),
    get backlogBytes() {
      return connection.backlogBytes;
    },
  };
}

function unknownSession(sessionId: string): RoundtableError {
  return new RoundtableError("unknown_session", `Session ${sessionId} does not exist or is not exposed on this port.`);
}
