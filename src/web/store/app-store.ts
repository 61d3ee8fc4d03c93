/**
 * The store of the page: the open session, sending, and incoming events. Everything rendered is the fold of the
 * session's events; views are notified at most once per frame.
 */
import {
  createPlanned,
  followSession,
  isSessionGone,
  planSession,
  type CommandBody,
  type FollowedSession,
  type LastingClient,
  type SessionDefaults,
} from "../../client/index.ts";
import { newId } from "../../kit/ids.ts";
import type { Json, SessionNews } from "../../protocol/index.ts";
import { addressed, isRunning, sessionTitle, type Transcript } from "../../transcript/index.ts";
import { ONLINE, type AppState, type NoteAction, type PanelState, type Viewing } from "./app-state.ts";
import { createBeginning } from "./begin-session.ts";
import { drawInSteps } from "./draw-in-steps.ts";
import { createFolderPlanner } from "./folder-plan.ts";
import { createPageLoader } from "./log-pages.ts";
import { createInboxReader, createSeenMarker } from "./inbox.ts";
import { createTeamReader, goneNotice } from "./team.ts";
import { readSeen } from "./local-storage.ts";
import { createSender, showPending } from "./send-in-order.ts";
import { createStopping } from "./stopping.ts";
import type { Enclosed } from "./upload.ts";
import { SILENT, type TextToSpeech } from "./text-to-speech.ts";
import { stateOfRoute, parseRoute, formatRoute, type Route } from "./route.ts";

const NOTE_MS = 6_000;
/** For a notice with an action. */
const NOTE_ACTION_MS = 15_000;

type AskOptions = Omit<RequestInit, "headers"> & { readonly headers?: Readonly<Record<string, string>> };

export type SendMode = "send" | "queue";

export class AppStore {
  readonly client: LastingClient;
  /** Reads answers aloud where supported. */
  speech: TextToSpeech = SILENT;
  readonly #token: () => Promise<string>;
  readonly #drawing = drawInSteps((transcript) => this.#patch({ transcript }));
  readonly #listeners = new Set<() => void>();
  readonly #pages = createPageLoader({
    session: () => this.#session,
    fetchPage: (page) => this.client.page(this.#state.sessionId ?? "", page),
  });
  readonly #planner: ReturnType<typeof createFolderPlanner>;
  readonly #sendTo = createSender({
    ask: (path, init) => this.ask(path, init),
    command: (body, sessionId, signal) => this.command(body, sessionId, signal),
  });
  #state: AppState;
  /** Aborted when the open session is left, even while it is still opening. */
  #leaving = new AbortController();
  /** The open session once followed; undefined when it cannot be. */
  #session: Promise<FollowedSession<Transcript> | undefined> = Promise.resolve(undefined);
  readonly #beginning = createBeginning({
    create: (text) => createPlanned(this.client, this.#state.planned, sessionTitle(text)),
    show: (sessionId, opening) => this.#showBegun(sessionId, opening),
    putAway: (sessionId) => this.client.deleteSession(sessionId, { ifEmpty: true }),
    onLeft: (why) => this.notify(`The session created for this message stays in the list: ${why}`),
  });
  readonly #stopping = createStopping({
    now: () => this.#state,
    session: () => this.#session,
    begun: () => this.#beginning.accepted(this.#state.opening),
    interrupt: (scope, sessionId) => this.command({ type: "interrupt", scope }, sessionId),
  });
  readonly #readInbox = createInboxReader({
    ask: () => this.ask("/v1/requests"),
    now: () => this.#state,
    setInbox: (inbox) => this.#patch({ inbox }),
  });
  readonly #readTeam = createTeamReader({
    ask: () => this.ask("/v1/team"),
    now: () => this.#state,
    setTeam: (team) => this.#patch({ team }),
  });
  readonly #seen = createSeenMarker({
    now: () => this.#state,
    setSeen: (seen) => this.#patch({ seen }),
  });
  #noteTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(client: LastingClient, { defaults, token }: { defaults: SessionDefaults; token: () => Promise<string> }) {
    this.client = client;
    this.#token = token;
    this.#state = {
      connection: ONLINE,
      storeProblem: "",
      sessions: [],
      planned: planSession(defaults),
      isPlanRemembered: true,
      inbox: [],
      seen: readSeen(),
      isCreatedHere: false,
      isUnopened: false,
      opening: 0,
      problem: "",
      note: "",
      sends: 0,
      pending: [],
    };
    this.#planner = createFolderPlanner({
      defaults,
      ask: this.ask,
      setPlan: (planned, isPlanRemembered) => this.#patch({ planned, isPlanRemembered }),
    });
  }

  /** For `useSyncExternalStore`; bound. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): AppState => this.#state;

  start(): void {
    this.client.onState((connection) => {
      // A new connection reports a failing store again, but never that it has recovered.
      this.#patch(connection.state === "online" ? { connection } : { connection, storeProblem: "" });
    });
    this.client.onStore(({ sessionId, state, message }) => {
      if (sessionId === this.#state.sessionId) this.#patch({ storeProblem: state === "ok" ? "" : message });
    });
    this.client.onClose((reason) => this.end(`The connection was closed: ${reason}`));
    addEventListener("hashchange", () => this.#follow(parseRoute(location.hash)));
    this.#follow(parseRoute(location.hash));
    void this.guarded(() => this.#planner.restart());
    void this.guarded(() => this.client.followList((news) => this.#applyNews(news)));
  }

  /** Ends the page: nothing arrives and nothing can be sent. The first reason is shown. */
  end(reason: string): void {
    if (this.#state.ended !== undefined) return;
    this.#patch({ ended: reason });
    this.client.close();
  }

  /** Synchronous: the next message is for the new route. */
  goTo(route: Route): void {
    const hash = formatRoute(route);
    if (location.hash !== hash) history.pushState(null, "", hash);
    this.#follow(route);
  }

  /** The message of the address is in view, or cannot be. */
  targetReached(): void {
    const { target: _done, ...rest } = this.#state;
    this.#replace(rest);
  }

  /** Opens the panel, or closes it. */
  setPanel(panel?: PanelState): void {
    this.#patch({ panel });
  }

  /** Shows a file of the session's workspace in the panel. */
  openFile(path: string, line?: number): void {
    this.setPanel({ tab: "files", path, ...(line === undefined ? {} : { line }) });
  }

  /** Folder of the next session; false when it cannot be used. */
  chooseFolder(cwd: string): Promise<boolean> {
    return this.guarded(() => this.#planner.choose(cwd));
  }

  /** Whether the choices of the next session are used for later ones in its folder. */
  rememberPlan(isOn: boolean): void {
    this.#planner.remember(this.#state.planned, isOn);
  }

  /** Shareable address of a message. */
  linkTo(seq: number): string {
    return `${location.origin}/${formatRoute({ ...this.#currentRoute(), seq })}`;
  }

  /** Updates the address for a view without opening anything. */
  replaceRoute(viewing: Viewing): void {
    const hash = formatRoute({ ...this.#currentRoute(), ...viewing });
    if (location.hash !== hash) history.replaceState(null, "", hash);
  }

  /** False when the message was rejected and must stay in the draft; the error is shown. */
  async send(text: string, mode: SendMode = "send", files: readonly Enclosed[] = []): Promise<boolean> {
    return await this.guarded(async () => {
      const { sessionId, transcript, opening } = this.#state;
      const isBusy = transcript !== undefined && isRunning(transcript.head);
      const type = mode === "queue" && sessionId !== undefined ? "queue_add" : isBusy ? "steer" : "send";
      const named = text === "" ? files.map(({ name }) => name).join(", ") : text;
      const body = { type, ...addressed(text, transcript), clientMessageId: newId() } as const;
      const givenUp = new AbortController();
      const sendTo = (session: string | Promise<string>): Promise<void> => {
        const sent = this.#sendTo(session, body, files, givenUp.signal);
        const message = { text: named, cancel: () => givenUp.abort(new Error("The message was not sent.")) };
        showPending(message, sent, (change) => this.#patch({ pending: change(this.#state.pending) }));
        return sent;
      };
      await (sessionId === undefined ? this.#beginning.send({ opening, text: named }, sendTo) : sendTo(sessionId));
      // Queued and steered messages appear where they go, and do not scroll the reader away.
      if (type === "send") this.#patch({ sends: this.#state.sends + 1 });
    });
  }

  /** Rejects with the host's message. */
  async command(body: CommandBody, sessionId = this.#state.sessionId, signal?: AbortSignal): Promise<Json | undefined> {
    if (sessionId === undefined) {
      this.#planner.change(this.#state.planned, body);
      return undefined;
    }
    const command = body.type === "interrupt" ? this.#withSpeechStopped(body) : body;
    const acked = this.client.command(sessionId, command, signal === undefined ? {} : { signal });
    if (sessionId === this.#state.sessionId) this.#stopping.noteCommand(acked);
    const ack = await acked;
    if (ack.ok) return ack.result;
    throw new Error([ack.error.message, ack.error.hint].filter(Boolean).join(" "));
  }

  /** Like `command`, but shows the error; true when accepted. */
  tryCommand(body: CommandBody, sessionId?: string): Promise<boolean> {
    return this.guarded(async () => {
      await this.command(body, sessionId ?? this.#state.sessionId);
    });
  }

  interrupt(): Promise<boolean> {
    return this.guarded(async () => {
      const stopped = await this.#stopping.stop();
      const again = { label: "Stop", run: () => void this.interrupt() };
      if (stopped === undefined) this.speech.stop();
      else if (stopped.message !== "") this.notify(stopped.message, stopped.hasOthers ? again : undefined);
    });
  }

  loadPage(page: number): Promise<void> {
    return this.#pages.load(page);
  }

  /** Position of the message with this seq; loads the pages needed. */
  positionOf(seq: number): Promise<number | undefined> {
    return this.#pages.positionOf(seq);
  }

  /** A request to the server beside the connection, with the token; bound. */
  readonly ask = async (path: string, { headers = {}, ...init }: AskOptions = {}): Promise<Response> =>
    await fetch(path, { ...init, headers: { ...headers, authorization: `Bearer ${await this.#token()}` } });

  /** Content too large for an event. */
  async readBlob(sha256: string): Promise<Blob> {
    const { sessionId } = this.#state;
    const answer = await this.ask(`/v1/sessions/${sessionId ?? ""}/blobs/${sha256}`);
    if (!answer.ok) throw new Error(`The full content could not be loaded (${answer.status}).`);
    return await answer.blob();
  }

  /** Marks visible messages as read, after a moment. */
  markSeen(): void {
    this.#seen.mark();
  }

  notify(note: string, action?: NoteAction): void {
    clearTimeout(this.#noteTimer);
    const { noteAction: _before, ...rest } = this.#state;
    this.#replace({ ...rest, note, ...(action === undefined ? {} : { noteAction: action }) });
    const ms = action === undefined ? NOTE_MS : NOTE_ACTION_MS;
    if (note !== "") this.#noteTimer = setTimeout(() => this.notify(""), ms);
  }

  showProblem(problem: string): void {
    this.#patch({ problem });
  }

  /** Shows an error to the user; true on success. */
  async guarded(work: () => Promise<void>): Promise<boolean> {
    const { problem } = this.#state;
    try {
      await work();
      // A newer error is about something else and was not read yet.
      if (problem !== "" && this.#state.problem === problem) this.#patch({ problem: "" });
      return true;
    } catch (error) {
      this.#patch({ problem: error instanceof Error ? error.message : String(error) });
      return false;
    }
  }

  #applyNews({ isWhole, changed, gone }: SessionNews): void {
    const { sessions } = this.#state;
    const without = new Set([...gone, ...changed.map(({ sessionId }) => sessionId)]);
    const unchanged = isWhole ? [] : sessions.filter(({ sessionId }) => !without.has(sessionId));
    this.#patch({ sessions: [...unchanged, ...changed] });
    this.#readInbox();
    this.#readTeam(changed);
  }

  #currentRoute(): Route {
    const { sessionId } = this.#state;
    return sessionId === undefined ? {} : { sessionId };
  }

  #follow(route: Route): void {
    const { sessionId, page, section } = route;
    if (page !== undefined)
      this.#replace({ ...this.#state, ownPage: { page, ...(section === undefined ? {} : { section }) } });
    else if (sessionId === undefined) this.#leave();
    else if (sessionId !== this.#state.sessionId) void this.guarded(() => this.#open({ ...route, sessionId }));
    else {
      const { viewing: _before, ownPage: _page, ...rest } = this.#state;
      this.#replace({ ...rest, ...stateOfRoute(route) });
    }
  }

  /** Stopping a turn stops its voice too, and reports how far it got. */
  #withSpeechStopped(body: Extract<CommandBody, { type: "interrupt" }>): CommandBody {
    const stopped = this.speech.stop();
    return stopped === undefined ? body : { ...body, audioTruncatedAtMs: stopped.ms, audioTurnId: stopped.turnId };
  }

  async #open(route: Route & { sessionId: string }, isCreatedHere = false): Promise<void> {
    const { sessionId } = route;
    const signal = this.#leave({ sessionId, isCreatedHere, ...stateOfRoute(route) });
    const onChange = (transcript: Transcript): void => {
      if (!signal.aborted) this.#update(transcript);
    };
    const followed = followSession(this.client, sessionId, {
      fold: this.#drawing.foldWith(onChange),
      onChange,
      onLost: (error) => {
        if (!isSessionGone(error)) return this.end(`This session can no longer be followed: ${error.message}`);
        this.#leaveGone();
      },
      signal,
    });
    // The opener gets the error.
    this.#session = followed.catch(() => undefined);
    await followed.catch((error: unknown) => {
      // Errors of a session that was left are ignored.
      if (signal.aborted) return;
      const isShown = this.#state.transcript !== undefined;
      // Deleted in between: it was shown, and can never be followed.
      if (isShown && isSessionGone(error)) return this.#leaveGone();
      this.#patch({ isUnopened: !isShown });
      throw error;
    });
  }

  #leaveGone(): void {
    this.goTo({});
    this.notify(goneNotice(this.#state.team));
  }

  /** Returns the signal of the next session: a slow opening that finishes late must not win. */
  #leave(next: Partial<Pick<AppState, "sessionId" | "target" | "viewing" | "isCreatedHere">> = {}): AbortSignal {
    this.#leaving.abort();
    this.#leaving = new AbortController();
    this.#session = Promise.resolve(undefined);
    this.#stopping.clear();
    this.#seen.flush();
    this.#pages.clear();
    this.#drawing.clear();
    const { sessionId, transcript: _old, target: _seq, ...others } = this.#state;
    const { viewing: _view, ownPage: _page, panel, ...rest } = others;
    // A file belongs to the session whose folder it is in.
    const nextPanel = panel === undefined || next.sessionId === sessionId ? panel : { tab: panel.tab };
    const reset = { isCreatedHere: false, isUnopened: false, storeProblem: "", problem: "", opening: rest.opening + 1 };
    const { signal } = this.#leaving;
    this.#replace({ ...rest, panel: nextPanel, ...reset, ...next });
    return signal;
  }

  #update(transcript: Transcript): void {
    // Opening marks a session read; later events when rendered.
    if (this.#state.transcript === undefined) this.#state = { ...this.#state, transcript };
    this.#drawing.push(transcript);
  }

  /** Unless the user went elsewhere meanwhile. */
  #showBegun(sessionId: string, opening: number): void {
    if (opening !== this.#state.opening) return;
    history.replaceState(null, "", formatRoute({ sessionId }));
    void this.#planner.restart();
    void this.guarded(() => this.#open({ sessionId }, true));
  }

  #patch(patch: Partial<AppState>): void {
    this.#replace({ ...this.#state, ...patch });
  }

  #replace(state: AppState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}
