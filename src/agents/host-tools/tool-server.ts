/**
 * Host tools for one member whose program takes tools from an MCP server only. The program starts ours (program.ts),
 * which connects back to a private socket and presents the member's token.
 * Nothing is read without the token; input is bounded and excess is reported once; a call is answered exactly once or
 * withdrawn; after `close` neither socket nor connection remains.
 */
import path from "node:path";
import { systemClock, type Clock } from "../../kit/clock.ts";
import { listenLineSocket, type LineServer, type LineSocket } from "../../kit/io/line-socket.ts";
import type { Json } from "../../protocol/index.ts";
import { isRecord } from "../json-rpc/messages.ts";
import type { AnswerResult } from "../port.ts";
import { programPath, SOCKET_VARIABLE, TOKEN_VARIABLE } from "./program-path.ts";
import { createToolSocket, type ToolSocket } from "./tool-socket.ts";
import { createMcpSession, type McpSession } from "./mcp-session.ts";
import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

export interface HostToolsOptions {
  readonly name: string;
  readonly clock?: Clock;
  readonly onCall: (call: HostToolCall) => void;
  /** Nobody waits for the answer any more. */
  readonly onWithdrawn: (callId: string) => void;
  /** The agent has read the tool list. */
  readonly onListed?: () => void;
  /** Called at most `ERRORS_MAX` times. */
  readonly onError: (message: string) => void;
}

export interface HostToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly args: Json;
}

/** Start command of our tool server, in ACP form. */
export interface HostToolServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

export interface HostTools {
  readonly server: HostToolServer;
  /** Directory of its socket. */
  readonly folder: string;
  answer(callId: string, result: AnswerResult): void;
  /** Answers all open calls with this reason and resets the call count. */
  endTurn(reason: string): void;
  close(): Promise<void>;
}

/** Programs start a tool server per session, and again after it died. */
const CONNECTIONS_MAX = 8;
const OPEN_CALLS_MAX = 32;
const TURN_CALLS_MAX = 1_000;
const LINE_BYTES_MAX = 1024 * 1024;
const BACKLOG_BYTES_MAX = 16 * 1024 * 1024;
const HELLO_MS = 10_000;
const BAD_LINES_MAX = 20;
const ERRORS_MAX = 5;

/** Rejects when the socket cannot be created. */
export async function openHostTools(options: HostToolsOptions): Promise<HostTools> {
  const toolSocket = createToolSocket();
  const tools = new MemberTools(options, toolSocket);
  try {
    await tools.listen();
  } catch (error) {
    toolSocket.remove();
    throw error;
  }
  return tools;
}

class MemberTools implements HostTools {
  readonly server: HostToolServer;
  readonly folder: string;
  readonly #options: HostToolsOptions;
  readonly #clock: Clock;
  readonly #toolSocket: ToolSocket;
  readonly #token: MemberToken = createMemberToken();
  readonly #sessions = new Map<LineSocket, McpSession | undefined>();
  /** Open calls by id. */
  readonly #calls = new Map<string, McpSession>();
  #listening: LineServer | undefined;
  #nextCall = 1;
  #turnCalls = 0;
  #errors = 0;
  #isClosed = false;

  constructor(options: HostToolsOptions, toolSocket: ToolSocket) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#toolSocket = toolSocket;
    this.folder = path.dirname(toolSocket.path);
    this.server = {
      name: options.name,
      command: process.execPath,
      args: [programPath()],
      env: [
        { name: SOCKET_VARIABLE, value: toolSocket.path },
        { name: TOKEN_VARIABLE, value: this.#token.text },
      ],
    };
  }

  async listen(): Promise<void> {
    const limits = { lineBytesMax: LINE_BYTES_MAX };
    this.#listening = await listenLineSocket(this.#toolSocket.path, (socket) => this.#welcome(socket), limits);
    this.#toolSocket.protect();
  }

  answer(callId: string, result: AnswerResult): void {
    const session = this.#calls.get(callId);
    this.#calls.delete(callId);
    session?.answer(callId, result);
  }

  endTurn(reason: string): void {
    this.#turnCalls = 0;
    for (const callId of this.#calls.keys()) this.answer(callId, { result: null, error: reason });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.endTurn("The member has left the session.");
    for (const socket of this.#sessions.keys()) socket.close("the member has left");
    this.#sessions.clear();
    await this.#listening?.close();
    this.#toolSocket.remove();
  }

  #welcome(socket: LineSocket): void {
    if (this.#isClosed || this.#sessions.size >= CONNECTIONS_MAX) {
      if (!this.#isClosed) this.#reportError(`more than ${CONNECTIONS_MAX} tool servers connected at once`);
      return socket.close("too many connections");
    }
    this.#sessions.set(socket, undefined);
    const cancelHello = this.#clock.after(HELLO_MS, () => this.#turnAway(socket, "a connection sent no token in time"));
    let badLines = 0;
    socket.onClose(() => {
      cancelHello();
      this.#sessions.get(socket)?.end();
      this.#sessions.delete(socket);
    });
    socket.onBad((line) => {
      const session = this.#sessions.get(socket);
      if (session === undefined) return this.#turnAway(socket, "a connection sent something other than a token");
      badLines += 1;
      if (badLines > BAD_LINES_MAX) return this.#turnAway(socket, "a tool server sent too many invalid lines");
      session.complain(line, LINE_BYTES_MAX);
    });
    socket.onValue((value) => {
      const session = this.#sessions.get(socket);
      if (session !== undefined) return session.receive(value);
      if (!this.#sessions.has(socket)) return undefined;
      cancelHello();
      if (!isRecord(value) || !this.#token.isSame(value["token"])) {
        return this.#turnAway(socket, "a connection presented a wrong token");
      }
      this.#sessions.set(socket, this.#openSession(socket));
    });
  }

  #openSession(socket: LineSocket): McpSession {
    const session: McpSession = createMcpSession({
      clock: this.#clock,
      send: (message) => {
        if (socket.backlogBytes <= BACKLOG_BYTES_MAX) return socket.send(message);
        this.#turnAway(socket, "a tool server does not read its answers");
        return true;
      },
      call: (tool, args) => this.#call(session, tool, args),
      listed: () => this.#options.onListed?.(),
      withdraw: (callId) => {
        if (this.#calls.delete(callId)) this.#options.onWithdrawn(callId);
      },
    });
    return session;
  }

  #call(session: McpSession, tool: string, args: Json): { callId: string } | string {
    if (this.#calls.size >= OPEN_CALLS_MAX)
      return `${OPEN_CALLS_MAX} calls are already pending. Wait for their answers.`;
    if (this.#turnCalls >= TURN_CALLS_MAX) return `This turn has used its ${TURN_CALLS_MAX} host tool calls.`;
    this.#turnCalls += 1;
    const callId = `table:${this.#nextCall}`;
    this.#nextCall += 1;
    this.#calls.set(callId, session);
    // Deferred, so that the session knows the call before it can be answered.
    queueMicrotask(() => {
      if (this.#calls.has(callId)) this.#options.onCall({ callId, tool, args });
    });
    return { callId };
  }

  #turnAway(socket: LineSocket, why: string): void {
    this.#reportError(why);
    socket.close(why);
  }

  #reportError(why: string): void {
    this.#errors += 1;
    if (this.#errors <= ERRORS_MAX) this.#options.onError(why);
  }
}

// Secret that a tool server presents. Never an argument, never logged.
interface MemberToken {
  readonly text: string;
  /** Constant time. */
  isSame(given: unknown): boolean;
}

function createMemberToken(): MemberToken {
  const text = randomBytes(32).toString("base64url");
  const expected = digest(text);
  return {
    text,
    isSame: (given) => typeof given === "string" && timingSafeEqual(digest(given), expected),
  };
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
