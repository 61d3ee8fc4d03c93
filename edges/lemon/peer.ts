/**
 * Our end of the stdio conversation: reads and writes lines. Commands run in order. Whatever a line contains, the next
 * one is processed.
 */
import { basename, join } from "node:path";
import type { Client } from "../../src/client/index.ts";
import { isUlid } from "../../src/kit/ids.ts";
import { toAnswerError } from "../../src/protocol/index.ts";
import * as lemon from "./format/lemon.ts";
import { formatLeftOut, type LineLeftOut } from "../../src/kit/io/stdin-lines.ts";
import { sessionDirectory } from "../../src/kit/files/session-directory.ts";
import type { SessionTemplate, TemplateRequest } from "../../src/edge/index.ts";
import { RunningSession } from "./running-session.ts";

const RUNNING_SESSIONS_MAX = 64;
/** Limit of queued commands; beyond it reading pauses. */
const WAITING_CHARS_MAX = 16 * 1024 * 1024;
/** Time for turns to end after the client disconnected; then they are interrupted. */
const END_OF_INPUT_GRACE_MS = 3000;
/** Refusals of an answer to a request that nobody needs to answer any more. */
const CLOSED: ReadonlySet<string> = new Set(["conflict", "unknown_request"]);
/** Switches of the format; none can be on here. */
const CONFIG = { claude_skip_permissions: false, codex_auto_approve: false };

export interface PeerOptions {
  readonly client: Client;
  readonly dataDir: string;
  readonly cwd: string;
  readonly template: SessionTemplate;
  /** Members of a session that differ from the first one's. */
  readonly createTemplate: (request: TemplateRequest) => Promise<SessionTemplate>;
  readonly hasUi: boolean;
  readonly isDebugging: boolean;
  readonly argv: readonly string[];
  readonly write: (line: lemon.Line) => void;
  /** Undefined while the client keeps up, else a promise for when it has caught up. */
  readonly room?: () => Promise<unknown> | undefined;
}

export class RpcPeer {
  readonly #options: PeerOptions;
  readonly #sessions = new Map<string, RunningSession>();
  readonly #overlays = new lemon.OverlayController();
  readonly #over = Promise.withResolvers<void>();
  #active: string | undefined;
  #work: Promise<void> = Promise.resolve();
  #waitingChars = 0;
  #isEnding = false;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  /** Resolves when everything has settled and the last line is written. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  async start(sessionFile: string | undefined): Promise<void> {
    const { cwd, template, hasUi, isDebugging, argv } = this.#options;
    let first: RunningSession | undefined;
    let problem: unknown;
    try {
      if (sessionFile !== undefined) first = await this.#attach(await this.#sessionOfFile(sessionFile), false);
    } catch (error) {
      problem = error;
    }
    this.#active = first?.sessionId;
    const model =
      first === undefined
        ? lemon.roundtableModel(template.members.map((one) => one.name))
        : lemon.modelOf(first.attached.head);
    this.#write(
      lemon.readyLine({
        cwd: first?.attached.head.cwd ?? cwd,
        model,
        isDebugging,
        hasUi,
        sessionId: this.#active ?? null,
      }),
    );
    if (isDebugging) this.#write({ type: "debug", message: "debug mode enabled", argv });
    if (problem !== undefined) this.#fail(problem);
    await first?.begin();
  }

  handleLine(line: string): void {
    const parsed = lemon.readLine(line);
    if (parsed.kind === "nothing" || this.#isEnding) return;
    if (parsed.kind === "wrong") return this.#write(lemon.errorLine(parsed.message));
    if (parsed.kind === "response") return this.#respond(parsed.frame);
    if (parsed.command.type === "ping") return this.#write({ type: "pong" });
    if (parsed.command.type === "quit") return this.end("quit");
    this.#queue(parsed.command, line.length);
  }

  leaveOut(line: LineLeftOut): void {
    this.#write(lemon.errorLine(formatLeftOut(line)));
  }

  /** Undefined while the queue has room, else a promise for when it has. */
  get fullUntil(): Promise<void> | undefined {
    return this.#waitingChars > WAITING_CHARS_MAX ? this.#work : undefined;
  }

  /** Cancels every request, settles the turns and writes the last line. */
  end(why: "quit" | "stdin closed" | "signal"): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    const graceMs = why === "stdin closed" ? END_OF_INPUT_GRACE_MS : 0;
    this.#work = this.#work
      .then(async () => {
        await Promise.all([...this.#sessions.values()].map((session) => session.settle(graceMs)));
      })
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        for (const session of this.#sessions.values()) session.close();
        if (why === "stdin closed") this.#write(lemon.errorLine("stdin closed"));
        else this.#write({ type: "event", event: { type: "quit" } });
        this.#over.resolve();
      });
  }

  #queue(command: lemon.WireCommand, chars: number): void {
    this.#waitingChars += chars;
    this.#work = this.#work.then(async () => {
      this.#waitingChars -= chars;
      try {
        await this.#run(command);
      } catch (error) {
        this.#fail(error, "session_id" in command ? (command.session_id ?? this.#active) : undefined);
      }
    });
  }

  async #run(command: lemon.WireCommand): Promise<void> {
    switch (command.type) {
      case "prompt":
        return await (await this.#at(command.session_id))?.prompt(command.text);
      case "stats":
        return this.#writeStats(await this.#at(command.session_id));
      case "save":
        return this.#writeSaved(await this.#at(command.session_id));
      case "abort":
        return await this.#known(command.session_id)?.abort();
      case "reset":
        return await this.#reset(this.#known(command.session_id));
      case "debug":
        return this.#write({ type: "debug", message: "debug command received" });
      case "start_session":
        await this.#startSession(command);
        return;
      case "close_session":
        return await this.#closeSession(command.session_id ?? undefined);
      case "set_active_session":
        return this.#setActive(command.session_id ?? undefined);
      default:
        return await this.#runRest(command);
    }
  }

  async #runRest(command: lemon.WireCommand): Promise<void> {
    switch (command.type) {
      case "list_sessions":
        return await this.#listSessions();
      case "list_running_sessions":
        return this.#listRunning();
      case "list_models":
        return this.#write({ type: "models_list", providers: lemon.providersOf(this.#options.template) });
      case "set_config":
        return this.#setConfig(command.key, command.value);
      case "get_config":
        return this.#writeConfig();
      case "goal":
        return this.#write(lemon.errorLine("goals are not supported"));
      default:
        return this.#write(lemon.errorLine("unknown command"));
    }
  }

  /** The named session, else the active one, else a new first one. */
  async #at(sessionId: string | null | undefined): Promise<RunningSession | undefined> {
    const known = this.#known(sessionId);
    if (known !== undefined || (sessionId ?? undefined) !== undefined) return known;
    return await this.#startSession({ type: "start_session" });
  }

  #known(sessionId: string | null | undefined): RunningSession | undefined {
    const id = sessionId ?? this.#active;
    const session = id === undefined ? undefined : this.#sessions.get(id);
    if (session === undefined && typeof sessionId === "string") {
      this.#write(lemon.errorLine("session not found", sessionId));
    }
    return session;
  }

  async #startSession(request: lemon.StartSession): Promise<RunningSession | undefined> {
    const { cwd, system_prompt: systemPrompt, session_file: file, model } = request;
    let session: RunningSession;
    try {
      const existing = file === null || file === undefined ? undefined : await this.#sessionOfFile(file);
      const open = existing === undefined ? undefined : this.#sessions.get(existing);
      if (open !== undefined) return this.#showAgain(open);
      if (this.#sessions.size >= RUNNING_SESSIONS_MAX) {
        throw new Error(`${RUNNING_SESSIONS_MAX} sessions are running; close one first`);
      }
      session = await this.#attach(
        existing ?? (await this.#create({ cwd, systemPrompt, model })),
        existing === undefined,
      );
    } catch (error) {
      this.#fail(error, undefined, "failed to start session: ");
      return undefined;
    }
    this.#write(lemon.startedLine(session.attached.head));
    if (this.#active === undefined) this.#activate(session.sessionId);
    await session.begin();
    return session;
  }

  #showAgain(session: RunningSession): RunningSession {
    this.#write(lemon.startedLine(session.attached.head));
    if (this.#active === undefined) this.#activate(session.sessionId);
    session.recall();
    return session;
  }

  /** Late lines of stopped turns may reach a cleared screen: it is told to clear again. */
  async #reset(session: RunningSession | undefined): Promise<void> {
    if (session === undefined) return;
    // An idle screen has already cleared itself; it only needs the confirmation.
    if (!(await session.reset())) return this.#writeStats(session);
    this.#write(lemon.startedLine(session.attached.head));
    if (this.#active === session.sessionId) this.#activate(session.sessionId);
    session.recall();
  }

  #setConfig(key: string, isRequested: boolean): void {
    if (!Object.hasOwn(CONFIG, key)) return this.#write(lemon.errorLine(`unknown config key: ${key}`));
    if (isRequested) this.#write(lemon.errorLine(`${key} cannot be set here: approvals are always requested`));
    this.#writeConfig();
  }

  async #create(requested: Record<"cwd" | "systemPrompt" | "model", string | null | undefined>): Promise<string> {
    const { client, cwd, template, createTemplate } = this.#options;
    const isUsual = [requested.cwd, requested.systemPrompt, requested.model].every(
      (one) => one === null || one === undefined,
    );
    const request = isUsual
      ? template
      : await createTemplate({
          cwd: sessionDirectory(requested.cwd ?? cwd, cwd),
          systemPrompt: requested.systemPrompt ?? template.settings.prompt,
          model: requested.model ?? undefined,
        });
    const { title, settings, members } = request;
    return (await client.create({ cwd: request.cwd, title, settings, members })).sessionId;
  }

  async #attach(sessionId: string, isNew: boolean): Promise<RunningSession> {
    const { client, hasUi, room } = this.#options;
    const session = await RunningSession.open({
      client,
      sessionId,
      isNew,
      hasUi,
      room,
      overlays: this.#overlays,
      write: (lines) => lines.forEach((line) => this.#write(line)),
      onLost: (error) => this.#lost(sessionId, error),
    });
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** Sessions are found by file name only; the rest of the path is ignored and never read. */
  async #sessionOfFile(file: string): Promise<string> {
    const sessionId = basename(file)
      .replace(/\.jsonl$/, "")
      .toUpperCase();
    const sessions = isUlid(sessionId) ? await this.#options.client.list() : [];
    if (sessions.some((one) => one.sessionId === sessionId)) return sessionId;
    throw new Error(`no session for the file ${JSON.stringify(file.slice(0, 200))}`);
  }

  async #closeSession(sessionId: string | undefined): Promise<void> {
    if (sessionId === undefined) return this.#write(lemon.errorLine("session_id required for close_session"));
    const session = this.#sessions.get(sessionId);
    if (session === undefined) {
      return this.#write({ type: "session_closed", session_id: sessionId, reason: "not_found" });
    }
    await session.settle(0);
    this.#forget(session, "normal");
  }

  #lost(sessionId: string, error: Error): void {
    const session = this.#sessions.get(sessionId);
    this.#fail(error, sessionId);
    if (session !== undefined) this.#forget(session, "error");
  }

  #forget(session: RunningSession, reason: "normal" | "error"): void {
    const { sessionId } = session;
    session.close();
    this.#sessions.delete(sessionId);
    this.#write({ type: "session_closed", session_id: sessionId, reason });
    if (this.#active === sessionId) this.#activate(undefined);
  }

  #setActive(sessionId: string | undefined): void {
    if (sessionId === undefined) return this.#write(lemon.errorLine("session_id required for set_active_session"));
    if (!this.#sessions.has(sessionId)) return this.#write(lemon.errorLine("session not found", sessionId));
    this.#activate(sessionId);
  }

  #activate(sessionId: string | undefined): void {
    this.#active = sessionId;
    this.#write({ type: "active_session", session_id: sessionId ?? null });
  }

  #respond(frame: Parameters<lemon.OverlayController["respond"]>[0]): void {
    const { lines, answer, problem } = this.#overlays.respond(frame);
    for (const line of lines) this.#write(line);
    if (problem !== undefined) this.#write(lemon.errorLine(problem));
    if (answer === undefined) return;
    const session = this.#sessions.get(answer.sessionId);
    session?.answer(answer).catch((error: unknown) => {
      this.#fail(error, answer.sessionId);
      if (!CLOSED.has(toAnswerError(error).code)) session.askAgain(answer.requestId);
    });
  }

  #writeStats(session: RunningSession | undefined): void {
    if (session !== undefined) this.#write(session.stats);
  }

  /** Everything is on disk before it is shown; there is nothing left to save. */
  #writeSaved(session: RunningSession | undefined): void {
    if (session === undefined) return;
    const { sessionId } = session;
    this.#write({ type: "save_result", ok: true, path: this.#pathOf(sessionId), session_id: sessionId });
  }

  async #listSessions(): Promise<void> {
    const { client, cwd } = this.#options;
    try {
      const sessions = (await client.list()).filter((one) => one.cwd === cwd && !one.archived);
      this.#write(lemon.sessionsListLine(sessions, (id) => this.#pathOf(id)));
    } catch (error) {
      this.#write({ type: "sessions_list", sessions: [], error: toAnswerError(error).message });
    }
  }

  #listRunning(): void {
    const sessions = [...this.#sessions.values()].map((session) => ({
      session_id: session.sessionId,
      cwd: session.attached.head.cwd,
      is_streaming: session.isStreaming,
      model: lemon.modelOf(session.attached.head),
    }));
    this.#write({ type: "running_sessions", sessions, error: null });
  }

  #writeConfig(): void {
    this.#write({ type: "config_state", config: CONFIG });
  }

  #pathOf(sessionId: string): string {
    return join(this.#options.dataDir, "logs", `${sessionId}.jsonl`);
  }

  #fail(error: unknown, sessionId?: string, what = ""): void {
    const { message, hint } = toAnswerError(error);
    this.#write(lemon.errorLine(`${what}${hint === undefined ? message : `${message} ${hint}`}`, sessionId));
  }

  #write(line: lemon.Line): void {
    this.#options.write(line);
  }
}
