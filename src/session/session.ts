/** Opens a session on its log: folds it, recovers interrupted work, then accepts commands. */
import type { AgentFactory, ApprovalSource, AgentSetup } from "../agents/index.ts";
import type { Clock } from "../kit/clock.ts";
import type { EventLog } from "../log/index.ts";
import { RoundtableError, type Ack, type Command, type MemberSpec, type Settings } from "../protocol/index.ts";
import type { Transcript } from "../transcript/index.ts";
import { createAgentEvents } from "./turn/agent-events.ts";
import { Approvals } from "./approvals/approvals.ts";
import { stopCompactions } from "./context/compactions.ts";
import { createController, type ListFiles } from "./controller.ts";
import type { Fork } from "./fork/command.ts";
import { createFileTouches } from "./turn/file-touches.ts";
import { schedule } from "./delivery/delivery.ts";
import { recoverExchanges } from "./council/exchanges/messages.ts";
import { createExchangeState } from "./council/exchanges/state.ts";
import { createExternalTurns, type ExternalTurns } from "./turn/external-turns.ts";
import { stopAll } from "./turn/interrupt.ts";
import { Ledger } from "./ledger.ts";
import { addMember, checkEffort, checkJoining, unmuteOnOpen, createScreenMutes } from "./members.ts";
import { pinnedTexts } from "./context/missed-messages.ts";
import { recover } from "./recovery/recover.ts";
import { Requests } from "./approvals/requests.ts";
import { reopenedFrom } from "./recovery/resume.ts";
import { MemberRuntime } from "./turn/member-runtime.ts";
import { createSnapshotWriter, loadFold, type SnapshotWriter } from "./recovery/snapshots.ts";
import { stopOnLoss, whileStoreWorks } from "./recovery/store-watch.ts";
import { checkWritable, type WhyNotWritable } from "./check-writable.ts";
import { memberOf, joinedMembers, settingsOf, type SessionState } from "./state.ts";

export interface SessionOptions {
  readonly log: EventLog;
  readonly agentFactory: AgentFactory;
  readonly clock: Clock;
  /** Configured rules and permanent grants. Absent: every approval is asked for. */
  readonly approvals?: ApprovalSource | undefined;
  readonly listFiles?: ListFiles | undefined;
  /** Absent: every session may be writable. */
  readonly whyNotWritable?: WhyNotWritable | undefined;
  /** Creates a session from a part of this one. Absent: unsupported. */
  readonly fork?: Fork | undefined;
  /** Called after every change of the transcript. */
  readonly onChange?: (() => void) | undefined;
}

export interface NewSession {
  readonly cwd: string;
  readonly title: string;
  readonly settings: Settings;
  readonly members: readonly MemberSpec[];
  /** Source of an imported session. */
  readonly imported?: { readonly source: string; readonly from: string };
}

export interface Session {
  readonly sessionId: string;
  /** Never rejects. A positive acknowledgement comes when its seq is durable. */
  command(command: Command, clientId: string): Promise<Ack>;
  /** Latest state; ahead of the disk only by writes in flight. */
  readonly transcript: Transcript;
  clientJoined(clientId: string): void;
  clientLeft(clientId: string): void;
  /** Connected clients, each once however many connections it has. */
  readonly clients: readonly string[];
  /** No turn runs and no command executes; the queue may hold messages. */
  readonly isIdle: boolean;
  /** For what other programs wrote in files beside this session; not for clients. */
  readonly externalTurns: ExternalTurns;
  /** From the next turn on every member has a new agent, which resumes its session. */
  renewAgents(): void;
  saveSnapshot(): Promise<void>;
  /** Stops turns, closes agents and saves. The log stays open: it belongs to the caller. */
  close(): Promise<void>;
}

/** For an empty log. */
export async function createSession(options: SessionOptions & NewSession): Promise<Session> {
  const { log, cwd, title, settings, members, imported } = options;
  if (log.committedSeq > 0) {
    throw new RoundtableError("conflict", `Session ${log.sessionId} already exists; open it instead of creating it.`);
  }
  checkJoining(members, []);
  if (settings.writable) checkWritable(cwd, options.whyNotWritable);
  const { session, state } = await build(options);
  await checkEfforts(options);
  const memberCount = members.length;
  const origin = imported === undefined ? {} : { imported };
  state.ledger.append([{ type: "session_created", format: 1, cwd, title, settings, memberCount, ...origin }]);
  if (state.ledger.refused.count > 0) throw state.ledger.refused.why;
  for (const spec of members) addMember(state, spec);
  await state.ledger.committed();
  return session;
}

/** Before anything is written: a session that cannot start as described leaves nothing behind. */
async function checkEfforts({ agentFactory, log, cwd, settings, members }: SessionOptions & NewSession): Promise<void> {
  for (const spec of members.filter(({ effort }) => effort !== undefined)) {
    const agent = agentFactory(spec, { sessionId: log.sessionId, cwd, writable: settings.writable });
    await agent.close();
    checkEffort(spec.name, agent.capabilities, spec.effort);
  }
}

/** For an existing log. Nothing starts automatically: pending work waits for a message. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { session, state, snapshotWriter } = await build(options);
  const { ledger, clock } = state;
  if (ledger.transcript.head.settings === undefined) {
    throw new RoundtableError("unknown_session", `Session ${options.log.sessionId} has an empty log.`);
  }
  state.reopened = reopenedFrom(ledger.transcript);
  recoverExchanges(ledger);
  recover(ledger, clock);
  ledger.append(unmuteOnOpen(state));
  for (const { name } of joinedMembers(state)) state.held.add(name);
  await ledger.committed();
  snapshotWriter.saveWhenDue();
  return session;
}

async function build(
  options: SessionOptions,
): Promise<{ session: Session; state: SessionState; snapshotWriter: SnapshotWriter }> {
  const loaded = await loadFold(options.log);
  const { log, onChange } = options;
  const ledger = new Ledger({ log, transcript: loaded.transcript, memory: loaded.memory, onChange });
  const state = createState(options, ledger);
  const snapshotWriter = createSnapshotWriter(ledger, loaded);
  return { session: createFacade(options, state, snapshotWriter), state, snapshotWriter };
}

function createState(options: SessionOptions, ledger: Ledger): SessionState {
  const { clock } = options;
  const runtimes = new Map<string, MemberRuntime>();
  const approvals = new Approvals({
    source: options.approvals,
    remembered: () => ledger.memory.approvals,
    workspace: () => ({ cwd: ledger.transcript.head.cwd, writable: settingsOf(state).writable }),
    kindOf: (member) => memberOf(state, member)?.spec.kind,
  });
  const state: SessionState = {
    ledger,
    clock,
    approvals,
    requests: new Requests({
      ledger,
      clock,
      approvals,
      answerAgent: (turn, callId, result) => runtimes.get(turn.identity.member)?.answer(callId, result),
    }),
    ...emptyState(options),
    runtimeOf(member) {
      const existing = runtimes.get(member);
      if (existing !== undefined) return existing;
      const runtime = createRuntime(member);
      runtimes.set(member, runtime);
      return runtime;
    },
    async removeRuntime(member) {
      const runtime = runtimes.get(member);
      runtimes.delete(member);
      await runtime?.close();
    },
    allRuntimes: () => [...runtimes.values()],
    capabilitiesOf(spec) {
      const runtime = createRuntime(spec.name, spec);
      runtimes.set(spec.name, runtime);
      return runtime.capabilities();
    },
    reopened: undefined,
    schedule: () => schedule(state),
    isClosed: false,
  };
  const events = createAgentEvents(state);

  function createRuntime(member: string, newSpec?: MemberSpec): MemberRuntime {
    return new MemberRuntime({
      member,
      clock,
      events,
      makeAgent: () =>
        options.agentFactory(presentSpec(state, member) ?? (newSpec as MemberSpec), {
          ...setupFor(state, member),
          pinned: () => pinnedTexts(state),
          judge: (call) => approvals.judge(call),
          hasAgreed: () => ledger.memory.consents.has(member),
        }),
    });
  }
  return state;
}

function emptyState({ whyNotWritable }: Pick<SessionOptions, "whyNotWritable">) {
  return {
    whyNotWritable,
    turns: new Map(),
    retries: new Map(),
    exchanges: createExchangeState(),
    minutes: new Map(),
    touches: createFileTouches(),
    compactions: new Map(),
    staleContexts: new Set<string>(),
    held: new Set<string>(),
    unpriced: new Set<string>(),
  } satisfies Partial<SessionState>;
}

/** The member's spec with its current model and effort. */
function presentSpec(state: SessionState, name: string): MemberSpec | undefined {
  const member = memberOf(state, name);
  if (member?.seated !== true) return undefined;
  const { effort: _first, ...spec } = member.spec;
  const { model, effort } = member;
  return { ...spec, ...(model === undefined ? {} : { model }), ...(effort === undefined ? {} : { effort }) };
}

function setupFor(state: SessionState, member: string): AgentSetup {
  const { sessionId, cwd } = state.ledger.transcript.head;
  const nativeSessionId = memberOf(state, member)?.nativeSessionId;
  return {
    sessionId,
    cwd,
    writable: settingsOf(state).writable,
    ...(nativeSessionId === undefined ? {} : { nativeSessionId }),
  };
}

function createFacade(options: SessionOptions, state: SessionState, snapshotWriter: SnapshotWriter): Session {
  const { ledger } = state;
  const controller = createController(state, { listFiles: options.listFiles, fork: options.fork });
  stopOnLoss(state);
  const externalTurns = createExternalTurns(state);
  const clients = new Map<string, number>();
  const mutes = createScreenMutes(state, clients);
  let closing: Promise<void> | undefined;
  const isAtRest = (): boolean =>
    state.turns.size === 0 && state.retries.size === 0 && state.compactions.size === 0 && !controller.isAccepting;

  async function close(): Promise<void> {
    mutes.close();
    externalTurns.endAll("mirror_closed");
    stopAll(state, "closed");
    state.isClosed = true;
    stopCompactions(state, {}, "the session was closed");
    await Promise.all(state.allRuntimes().map((runtime) => runtime.close()));
    await whileStoreWorks(state, () => snapshotWriter.save());
    ledger.close();
  }

  state.schedule = () => {
    schedule(state);
    // Also in the middle of a command that streams.
    if (isAtRest()) snapshotWriter.saveWhenDue();
  };

  return {
    sessionId: options.log.sessionId,
    async command(command, clientId) {
      const ack = await controller.command(command, clientId);
      if (ack.ok) mutes.note(command, clientId);
      return ack;
    },
    get transcript() {
      return ledger.transcript;
    },
    clientJoined: (clientId) => void clients.set(clientId, (clients.get(clientId) ?? 0) + 1),
    clientLeft(clientId) {
      const left = (clients.get(clientId) ?? 0) - 1;
      if (left > 0) clients.set(clientId, left);
      else clients.delete(clientId);
      mutes.clientLeft();
    },
    get clients() {
      return [...clients.keys()];
    },
    get isIdle() {
      return isAtRest() && !controller.isBusy;
    },
    externalTurns,
    renewAgents() {
      for (const runtime of state.allRuntimes()) runtime.replaceAtNextTurn();
    },
    saveSnapshot: () => snapshotWriter.save(),
    close: () => (closing ??= close()),
  };
}
