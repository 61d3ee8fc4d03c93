/**
 * One process of the shared program: its connections, and the routing of lines.
 * Guarantees: a line goes only to the member it is about, decided by the parsed message and never by text; a line about
 * nobody goes to all; a request about a thread that nobody has is refused, so that the program does not wait.
 */
import { existsSync, rmSync } from "node:fs";
import path from "node:path";
import type { Clock } from "../../../../kit/clock.ts";
import {
  METHOD_NOT_FOUND,
  readRpc,
  writeCall,
  writeError,
  writeNotification,
  type RpcMessage,
} from "../../../json-rpc/messages.ts";
import type { TurnOver } from "../../../process/dialect.ts";
import * as turnErrors from "../../../process/turn-errors.ts";
import type { KillSequenceLimits } from "../../../process/limits.ts";
import type { Line } from "../../../process/pipes/output-pump.ts";
import type { ProcessList } from "../../../process/list/process-list.ts";
import type { StopReport } from "../../../process/terminate/kill-sequence.ts";
import type { ProcessEnd, SupervisedProcess } from "../../../process/supervised-process.ts";
import { within } from "../../../process/wait.ts";
import { fieldsOf, recordOf, textOf, type Fields } from "../../../json-rpc/fields.ts";
import { endMarked } from "../../../process/terminate/process-tree.ts";
import { makeOwnFolder } from "../../acp/private-directory.ts";
import { LOGIN_HINT } from "../turn/errors.ts";

export interface ConnectionReader {
  handleLine(line: Line): void;
  alive(): void;
}

const CLIENT = { name: "roundtable", title: "Roundtable", version: "1" };
/** Timeout of `initialize`. */
const GREETING_MS = 30_000;
const CLOSE_KILL_SEQUENCE: KillSequenceLimits = { interruptMs: 0, sigintMs: 0, sigtermMs: 2_500, sigkillMs: 1_000 };
const OWN_PREFIX = "server:";

/** The side of a member's connection that its server calls. */
interface ServerConnection {
  readonly idPrefix: string;
  readonly marker: string;
  itemBegan(type: string | undefined): void;
  outputHasEnded(): void;
  inputIsLost(why: string): void;
  programHasEnded(end: ProcessEnd): void;
}

export class RunningServer {
  readonly process: SupervisedProcess;
  readonly #processes: ProcessList;
  readonly #clock: Clock;
  readonly #connections = new Map<ServerConnection, ConnectionReader>();
  readonly #threads = new Map<string, ServerConnection>();
  readonly #calls = new Map<string, (answer: RpcMessage | undefined) => void>();
  /** Run markers of all members that were ever connected: their processes end with the program. */
  readonly #markers = new Set<string>();
  #nextNumber = 1;
  #isOpen = true;
  /** It has exited and its output was read: no answer can arrive any more. */
  #isDone = false;
  #ending: Promise<StopReport> | undefined;
  #ownSandbox: Promise<string | undefined> | undefined;

  constructor(process: SupervisedProcess, { processes, clock }: { processes: ProcessList; clock: Clock }) {
    this.process = process;
    this.#processes = processes;
    this.#clock = clock;
    void process.exited.then(() => this.#shut());
    void process.outputEnded.then(() => this.#each((connection) => connection.outputHasEnded()));
    void process.inputLost.then((why) => this.#each((connection) => connection.inputIsLost(why)));
    void process.done.then((end) => {
      this.#each((connection) => connection.programHasEnded(end));
      this.#isDone = true;
      this.#answerNobody();
    });
  }

  /** Whether a member can still connect. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Handshake. Undefined when the program is ready, otherwise why no member can connect. */
  async initialize(): Promise<((member: string) => TurnOver) | undefined> {
    const params = { clientInfo: CLIENT, capabilities: { experimentalApi: true } };
    const answer = await this.call("initialize", params, GREETING_MS);
    if (answer?.kind === "result") {
      void this.process.write(writeNotification("initialized"));
      return undefined;
    }
    const end = this.process.hasExited ? await this.process.done : undefined;
    await this.end();
    if (end !== undefined)
      return (member) => turnErrors.crashed(member, end, { command: "codex", loginHint: LOGIN_HINT });
    const why = answer?.kind === "error" ? answer.error.message : "it did not answer initialize";
    const hint = "Check that this is Codex 0.166 or later.";
    const detail = this.process.stderr;
    return (member) => {
      const message = `${member} did not start: ${why} (codex app-server).`;
      return turnErrors.errored({ code: "not_started", message, hint, detail });
    };
  }

  /** Undefined when Codex's own sandbox works here, else why not; probed once. */
  whyNoOwnSandbox(): Promise<string | undefined> {
    this.#ownSandbox ??= tryOwnSandbox((method, params, limitMs) => this.call(method, params, limitMs));
    return this.#ownSandbox;
  }

  add(connection: ServerConnection, reader: ConnectionReader): void {
    this.#connections.set(connection, reader);
    this.#markers.add(connection.marker);
    // It may have exited since its start.
    if (this.process.hasExited) void this.process.done.then((end) => connection.programHasEnded(end));
  }

  /** The last member to leave ends the program; after its exit all members wait for its descendants. */
  async remove(connection: ServerConnection): Promise<StopReport> {
    this.#connections.delete(connection);
    for (const [threadId, owner] of this.#threads) if (owner === connection) this.#threads.delete(threadId);
    if (this.#isOpen && this.#connections.size > 0) return { how: "left", left: [] };
    return this.end({ isGraceful: true });
  }

  isLast(connection: ServerConnection): boolean {
    return this.#connections.size === 1 && this.#connections.has(connection);
  }

  /** Threads of a member, its own first. */
  threadsOf(connection: ServerConnection): string[] {
    return [...this.#threads].flatMap(([threadId, owner]) => (owner === connection ? [threadId] : []));
  }

  /** Call outside of any member's turn. Undefined when no answer arrives in time. */
  async call(method: string, params: object, limitMs: number): Promise<RpcMessage | undefined> {
    if (this.#isDone) return undefined;
    const id = `${OWN_PREFIX}${this.#nextNumber++}`;
    const answer = Promise.withResolvers<RpcMessage | undefined>();
    this.#calls.set(id, answer.resolve);
    void this.process.write(writeCall(id, method, params));
    await within(this.#clock, limitMs, answer.promise);
    this.#calls.delete(id);
    answer.resolve(undefined);
    return answer.promise;
  }

  /** Ends the program, its descendants, and what carries a marker of its members. */
  end({ isGraceful = false }: { isGraceful?: boolean } = {}): Promise<StopReport> {
    this.#shut();
    this.#ending ??= this.#stop(isGraceful);
    return this.#ending;
  }

  handleLine(line: Line): void {
    if (line.kind !== "line") return this.#each((_connection, reader) => reader.handleLine(line));
    const message = readRpc(line.text);
    if (message.kind === "result" || message.kind === "error") return this.#handleAnswer(message, line);
    if (message.kind === "unreadable") return this.#each((_connection, reader) => reader.handleLine(line));
    const threadId = textOf(message.params, "threadId");
    if (message.method === "thread/started") this.#adopt(recordOf(message.params, "thread"));
    if (threadId === undefined && message.kind === "notification")
      return this.#each((_connection, reader) => reader.handleLine(line));
    const connection = threadId === undefined ? undefined : this.#threads.get(threadId);
    if (connection !== undefined && message.method === "item/started") {
      this.#itemBegan(connection, recordOf(message.params, "item"));
    }
    if (connection !== undefined) return this.#hand(connection, line);
    if (message.kind !== "request") return;
    const error = { code: METHOD_NOT_FOUND, message: `Method not supported: ${message.method}.` };
    void this.process.write(writeError(message.id, error));
  }

  #handleAnswer(message: Extract<RpcMessage, { kind: "result" | "error" }>, line: Line): void {
    const id = String(message.id);
    if (id.startsWith(OWN_PREFIX)) return this.#calls.get(id)?.(message);
    const connection = [...this.#connections.keys()].find((one) => id.startsWith(one.idPrefix));
    if (connection === undefined) return;
    // Answer to opening a thread: from here on its lines belong to this member.
    const thread = recordOf(fieldsOf(message.kind === "result" ? message.result : undefined), "thread");
    const threadId = textOf(thread, "id");
    if (threadId !== undefined) this.#threads.set(threadId, connection);
    this.#hand(connection, line);
  }

  /** A thread that a member's thread has started for a subagent belongs to that member too. */
  #adopt(thread: Fields): void {
    const threadId = textOf(thread, "id");
    const parent = this.#threads.get(textOf(thread, "parentThreadId") ?? "");
    if (threadId !== undefined && parent !== undefined && !this.#threads.has(threadId))
      this.#threads.set(threadId, parent);
  }

  /** Not every server reports a subagent's thread when it starts; the call that started it names it. */
  #itemBegan(connection: ServerConnection, item: Fields): void {
    const type = textOf(item, "type");
    connection.itemBegan(type);
    const threadId = type === "subAgentActivity" ? textOf(item, "agentThreadId") : undefined;
    if (threadId !== undefined && !this.#threads.has(threadId)) this.#threads.set(threadId, connection);
  }

  #hand(connection: ServerConnection, line: Line): void {
    const reader = this.#connections.get(connection);
    reader?.alive();
    return reader?.handleLine(line);
  }

  #each(notify: (connection: ServerConnection, reader: ConnectionReader) => void): void {
    for (const [connection, reader] of this.#connections) notify(connection, reader);
  }

  #shut(): void {
    this.#isOpen = false;
  }

  #answerNobody(): void {
    for (const resolve of this.#calls.values()) resolve(undefined);
    this.#calls.clear();
  }

  async #stop(isGraceful: boolean): Promise<StopReport> {
    if (isGraceful) this.process.endInput();
    const report = await this.process.stop(isGraceful ? { isFinal: true, limits: CLOSE_KILL_SEQUENCE } : {});
    const left = await endMarked(this.#processes, this.#markers);
    return { ...report, left: [...report.left, ...left] };
  }
}

const LIMIT_MS = 10_000;
const RAN = "inside";

type Call = (method: string, params: object, limitMs: number) => Promise<RpcMessage | undefined>;

/**
 * Tests whether Codex's own sandbox works on this machine: a command that tries to write runs in it and must fail.
 * Undefined when it does, else why not. Never rejects.
 */
async function tryOwnSandbox(call: Call): Promise<string | undefined> {
  let folder: string;
  try {
    folder = makeOwnFolder("codex");
  } catch {
    return "it could not be tested";
  }
  try {
    const file = path.join(folder, "written");
    const params = {
      command: ["/bin/sh", "-c", `echo ${RAN}; : > "$0"`, file],
      cwd: path.parse(folder).root,
      timeoutMs: LIMIT_MS,
      sandboxPolicy: { type: "readOnly", networkAccess: false },
    };
    const answer = await call("command/exec", params, LIMIT_MS);
    if (existsSync(file)) return "a command could write inside it";
    if (answer?.kind === "error") return answer.error.message;
    const result = fieldsOf(answer?.kind === "result" ? answer.result : undefined);
    if ((textOf(result, "stdout") ?? "").trim() === RAN) return undefined;
    const [printed = ""] = (textOf(result, "stderr") ?? "").split("\n");
    return printed === "" ? "no command runs inside it" : printed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
