/**
 * One random life of a session: commands of two clients, agents of every kind, crashes at any place, and after each
 * step the promises checked on the raw log. The same seed gives the same life on a log in memory.
 */
import { isDeepStrictEqual } from "node:util";
import { newId } from "../../src/kit/ids.ts";
import type { EventLog } from "../../src/log/index.ts";
import type { Ack, Command, SessionEvent } from "../../src/protocol/index.ts";
import { createSession, openSession, type Session } from "../../src/session/index.ts";
import { empty, fold } from "../../src/transcript/index.ts";
import type { FakeClock } from "./fake-clock.ts";
import { createRandom, type Random } from "./random.ts";
import { createScriptedAgents, type Behaviour, type ScriptedAgents, type Step } from "./scripted-agent.ts";
import { SETTINGS, specOf, type CommandBody } from "./session-run.ts";
import { judgeCouncil } from "./council-judge.ts";
import { checkLog, lastDeliveries } from "./session-checker.ts";

/** Where a random session lives: something that can be opened, watched and crashed. */
export interface Home {
  readonly log: EventLog;
  readonly clock: FakeClock;
  events(): Promise<readonly SessionEvent[]>;
  settle(): Promise<void>;
  /** Nothing is acknowledged any more until the commits are released. */
  holdCommits(): void;
  releaseCommits(): void;
  /** The home as a crash at this moment leaves it, opened again. */
  crash(random: Random): Promise<Home>;
  close(): Promise<void>;
}

const MEMBERS = ["ada", "bob", "cyd"];
const NEWCOMER = "dan";
/** Commands that may start something that waited. */
const LIFTING = new Set<Command["type"]>(["send", "steer", "queue_add", "queue_promote", "retry", "continue", "round"]);

interface Sent {
  readonly command: Extract<CommandBody, { clientMessageId: string }>;
  readonly clientId: string;
  readonly ack: Extract<Ack, { ok: true }>;
}

export async function liveRandomly(seed: number, createHome: () => Promise<Home>, steps: number): Promise<number> {
  const random = createRandom(seed);
  const home = await createHome();
  const life = new Life(random, home);
  try {
    await life.begin();
    for (let step = 0; step < steps; step += 1) await life.step();
    await life.drain();
  } catch (cause) {
    const lines = life.story.slice(-40).join("\n");
    throw new Error(`seed ${seed}: ${cause instanceof Error ? cause.message : String(cause)}\n${lines}`, { cause });
  } finally {
    await life.home.close();
  }
  return life.checks;
}

class Life {
  readonly random: Random;
  readonly story: string[] = [];
  checks = 0;
  home: Home;
  #session: Session | undefined;
  #agents: ScriptedAgents;
  readonly #sent: Sent[] = [];
  readonly #removed = new Set<string>();
  /** Set while nothing may start by itself: the seq from which that holds. */
  #quietFrom: number | undefined;
  #isWild = true;
  #isHeld = false;
  #crashes = 0;
  readonly #unacknowledged: Promise<void>[] = [];

  constructor(random: Random, home: Home) {
    this.random = random;
    this.home = home;
    this.#agents = this.#startAgents();
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error("no session");
    return this.#session;
  }

  async begin(): Promise<void> {
    const { log, clock } = this.home;
    const mode = this.random.chance(0.25) ? "sequential" : "broadcast";
    const auto_rounds = this.random.pick([0, 0, 1, 2]);
    const settings = { ...SETTINGS, mode, auto_rounds, timeout: 20, request_timeout: 10 } as const;
    const options = { log, clock, agentFactory: this.#agents.factory, cwd: "/project", title: "random", settings };
    this.#session = await createSession({ ...options, members: MEMBERS.map(specOf) });
  }

  async step(): Promise<void> {
    const kind = this.random.pick(STEPS);
    if (kind === "crash") await this.#crash();
    else if (kind === "time") {
      const ms = this.random.pick([5, 40, 400, 4_000, 25_000]);
      this.story.push(`time ${ms}`);
      await this.home.clock.advance(ms);
    } else if (kind === "snapshot") {
      this.story.push("snapshot");
      const saved = this.session.saveSnapshot();
      if (!this.#isHeld) await saved;
    } else if (kind === "hold") this.#hold();
    else await this.#command(kind);
    if (this.random.chance(0.8)) await this.home.settle();
    if (this.#isHeld && this.random.chance(0.2)) await this.#release();
    if (this.random.chance(0.3)) await this.#check({ settled: false });
  }

  #hold(): void {
    this.story.push("hold commits");
    this.#isHeld = true;
    this.home.holdCommits();
  }

  async #release(): Promise<void> {
    this.story.push("release commits");
    this.#isHeld = false;
    this.home.releaseCommits();
    await Promise.all(this.#unacknowledged.splice(0));
  }

  /** Everything that waits is called, all agents behave, and then nothing may be left. */
  async drain(): Promise<void> {
    this.#isWild = false;
    await this.#release();
    for (const member of MEMBERS) await this.#send({ type: "unmute", member }, "one");
    await this.#send({ type: "interrupt", scope: "all" }, "one");
    await this.home.clock.advance(30_000);
    await this.#send({ type: "send", text: "the last word", clientMessageId: newId() }, "one");
    for (let turn = 0; turn < 130 && !this.#isAtRest(); turn += 1) {
      await this.home.settle();
      await this.home.clock.advance(1_000);
    }
    await this.home.settle();
    await this.#check({ settled: true });
    const events = await this.home.events();
    const { queue } = this.session.transcript.head;
    const unsettled = [...lastDeliveries(events)].filter(([, state]) => state !== "answered" && state !== "dropped");
    if (unsettled.length > 0) throw new Error(`never settled: ${unsettled.join("; ")}`);
    const members = Object.values(this.session.transcript.head.members).filter((member) => member.seated);
    const stuck = queue.filter((item) => item.to.includes("all") || members.some(({ name }) => item.to.includes(name)));
    if (stuck.length > 0) throw new Error(`stuck in the queue: ${JSON.stringify(stuck)}`);
    await this.#checkSends(events);
    await this.#close();
    await this.#check({ settled: true });
  }

  /** Some agents do not let themselves be closed; closing gives them up after a while. */
  async #close(): Promise<void> {
    const closed = this.session.close();
    await this.home.clock.advance(20_000);
    await closed;
  }

  #isAtRest(): boolean {
    return this.session.isIdle && this.session.transcript.head.queue.length === 0;
  }

  async #crash(): Promise<void> {
    this.story.push("crash");
    if (this.random.chance(0.3)) {
      await this.#release();
      await this.#close();
    }
    this.#isHeld = false;
    this.#unacknowledged.length = 0;
    // What is acknowledged from here on was not on the disk that the next program finds.
    this.#crashes += 1;
    this.home = await this.home.crash(this.random);
    this.#agents = this.#startAgents();
    const { log, clock } = this.home;
    this.#session = await openSession({ log, clock, agentFactory: this.#agents.factory });
    await this.#check({ settled: true });
    this.#quietFrom = this.session.transcript.head.seq;
  }

  async #command(kind: Command["type"]): Promise<void> {
    const command = this.#commandBody(kind);
    if (command === undefined) return;
    const clientId = this.random.pick(["one", "two"]);
    await this.#send(command, clientId);
  }

  async #send(command: CommandBody, clientId: string): Promise<void> {
    this.story.push(`${clientId} ${JSON.stringify(command).slice(0, 200)}`);
    // One that was never acknowledged may have been kept all the same.
    if (command.type === "queue_remove") this.#removed.add(command.messageId);
    if (LIFTING.has(command.type)) this.#quietFrom = undefined;
    const { session } = this;
    const acked = session.command({ ...command, commandId: newId() }, clientId);
    const quietFrom = command.type === "interrupt" && command.scope === "all" ? session.transcript.head.seq : undefined;
    // A message that was still being stored is said after the interrupt, and may then start a turn.
    if (quietFrom !== undefined && this.#unacknowledged.length === 0) this.#quietFrom = quietFrom;
    const epoch = this.#crashes;
    const noted = acked.then((ack) => {
      if (this.#crashes === epoch) this.#note(command, clientId, ack);
    });
    if (this.#isHeld) this.#unacknowledged.push(noted);
    else await noted;
  }

  #note(command: CommandBody, clientId: string, ack: Ack): void {
    this.story.push(
      `  ${ack.ok ? `ok ${ack.seq} ${JSON.stringify(ack.result)}` : `${ack.error.code}: ${ack.error.message}`}`,
    );
    if (!ack.ok && ack.error.code === "internal") throw new Error(`a bug: ${ack.error.message}`);
    if (ack.ok && "clientMessageId" in command) this.#noteSent({ command, clientId, ack });
  }

  #noteSent(sent: Sent): void {
    const first = this.#sent.find((one) => one.command.clientMessageId === sent.command.clientMessageId);
    if (first === undefined) {
      this.#sent.push(sent);
      return;
    }
    const messageIdOf = (one: Sent): unknown => (one.ack.result as { messageId: string }).messageId;
    if (first.ack.seq !== sent.ack.seq || messageIdOf(first) !== messageIdOf(sent)) {
      throw new Error(`a repeated send had another answer: ${JSON.stringify([first.ack, sent.ack])}`);
    }
  }

  #commandBody(kind: Command["type"]): CommandBody | undefined {
    const { random } = this;
    const { head } = this.session.transcript;
    const member = random.pick([...MEMBERS, NEWCOMER]);
    switch (kind) {
      case "send":
      case "steer":
      case "queue_add": {
        const old = random.pick(this.#sent);
        if (old !== undefined && random.chance(0.1)) return old.command;
        const to = random.pick(["", "", "@ada ", "@bob ", "@ada @cyd ", "@all "]);
        const text = `${to}word ${random.integer(1000)}${random.chance(0.05) ? "x".repeat(20_000) : ""}`;
        return { type: kind, text, clientMessageId: newId() };
      }
      case "queue_edit":
      case "queue_remove":
      case "queue_promote": {
        const messageId = random.pick(head.queue)?.messageId;
        if (messageId === undefined) return undefined;
        return kind === "queue_edit" ? { type: kind, messageId, text: "edited" } : { type: kind, messageId };
      }
      case "queue_reorder":
        return { type: kind, messageIds: head.queue.map((item) => item.messageId).toReversed() };
      case "interrupt": {
        const scope = random.pick(["own", "member", "all"] as const);
        return { type: kind, scope, ...(scope === "member" ? { member } : {}) };
      }
      case "retry":
        return { type: kind, ...(random.chance(0.5) ? { member } : {}) };
      case "mute":
      case "unmute":
        return { type: kind, member };
      case "continue":
      case "round":
        return { type: kind };
      case "add_member":
        return { type: kind, spec: specOf(NEWCOMER) };
      case "remove_member":
        return { type: kind, member: NEWCOMER };
      case "answer": {
        const requestId = random.pick(head.requests)?.requestId;
        return requestId === undefined ? undefined : { type: kind, requestId, result: true };
      }
      case "switch_model":
        return { type: kind, member, model: `m${random.integer(9)}` };
      case "clear":
        return { type: kind };
      case "set_settings":
        return { type: kind, settings: { mode: random.pick(["broadcast", "sequential"] as const) } };
      default:
        return undefined;
    }
  }

  async #check(options: { settled: boolean }): Promise<void> {
    this.checks += 1;
    const events = await this.#eventsAtRest();
    checkLog(events, options);
    judgeCouncil(events, { empties: new Set(), isAtRest: false });
    const replayed = fold(empty(this.home.log.sessionId), structuredClone(events));
    const { head, live, frozen } = this.session.transcript;
    if (head.seq !== replayed.head.seq)
      throw new Error(`the picture is at ${head.seq}, the log at ${replayed.head.seq}`);
    if (!isDeepStrictEqual(head, replayed.head)) {
      throw new Error(`heads differ: ${JSON.stringify(head)}\n${JSON.stringify(replayed.head)}`);
    }
    if (!isDeepStrictEqual(live, replayed.live) || frozen.length !== replayed.frozen.length)
      throw new Error("pages differ");
    const quietFrom = this.#quietFrom;
    const started = events.find(
      (event) => event.type === "turn_start" && quietFrom !== undefined && event.seq > quietFrom,
    );
    if (started !== undefined) throw new Error(`a turn started by itself: ${JSON.stringify(started)}`);
  }

  /** A real disk may finish something while it is being read; then it is read again. */
  async #eventsAtRest(): Promise<readonly SessionEvent[]> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const events = await this.home.events();
      if (events.length === this.session.transcript.head.seq) return events;
      await this.home.settle();
    }
    return this.home.events();
  }

  /** What was acknowledged is there once: said, or still in the queue, or taken out by hand. */
  async #checkSends(events: readonly SessionEvent[]): Promise<void> {
    const said = new Set(events.filter((event) => event.type === "user_message").map((event) => event.messageId));
    const queued = new Set(this.session.transcript.head.queue.map((item) => item.messageId));
    for (const { ack } of this.#sent) {
      const { messageId } = ack.result as { messageId: string };
      if (!said.has(messageId) && !queued.has(messageId) && !this.#removed.has(messageId)) {
        throw new Error(`message ${messageId}, acknowledged at ${ack.seq}, is lost`);
      }
    }
  }

  #startAgents(): ScriptedAgents {
    const behaviours = Object.fromEntries([...MEMBERS, NEWCOMER].map((name) => [name, this.#behaviour()]));
    return createScriptedAgents(this.home.clock, behaviours);
  }

  #behaviour(): Behaviour {
    const { random } = this;
    const rarely = <T>(fault: T, usual: T): T => (random.chance(0.08) ? fault : usual);
    const behaviour: Behaviour = {
      capabilities: { steer: random.chance(0.5), switchModel: random.chance(0.5) },
      start: rarely(random.pick(["throws", "rejects", "hangs"] as const), "ok"),
      interrupt: random.pick(["obeys", "obeys", "deaf", "throws"] as const),
      steer: random.pick(["takes", "takes", "ignores", "throws"] as const),
      send: rarely("throws", "ok"),
      close: random.pick(["ok", "ok", "hangs", "rejects"] as const),
      afterInterrupt: random.chance(0.3) ? [{ type: "text_delta", text: "late" }] : [],
      script: ({ turnId }) => (this.#isWild ? this.#script(turnId) : [{ type: "text_delta", text: "well" }]),
    };
    return random.chance(0.03) ? { ...behaviour, factory: "throws" } : behaviour;
  }

  /** What is said names its turn, so that words in the wrong turn are seen. */
  #script(turnId: string): Step[] {
    const steps: Step[] = [{ type: "text_delta", text: `<${turnId}>` }];
    for (let count = this.random.integer(8); count >= 0; count -= 1)
      steps.push(...this.random.pick(SCENES)(this.random));
    return steps.flatMap((step): Step[] =>
      "wait" in step ? [step, { type: "thinking_delta", text: `<${turnId}>` }] : [step],
    );
  }
}

const STEPS: readonly (Command["type"] | "crash" | "time" | "snapshot" | "hold")[] = [
  ...Array<"send">(8).fill("send"),
  ...Array<"time">(8).fill("time"),
  ...Array<"queue_add">(3).fill("queue_add"),
  ...Array<"interrupt">(3).fill("interrupt"),
  ...Array<"answer">(3).fill("answer"),
  ...(["steer", "steer", "queue_edit", "queue_remove", "queue_promote", "queue_reorder", "retry", "retry"] as const),
  ...(["mute", "unmute", "unmute", "add_member", "remove_member", "switch_model", "clear", "set_settings"] as const),
  ...(["continue", "round", "crash", "crash", "snapshot", "hold", "hold"] as const),
];

const SCENES: readonly ((random: Random) => Step[])[] = [
  (random) => [{ type: "text_delta", text: `say ${random.integer(99)} ` }],
  (random) => [{ type: "text_delta", text: "a" }, { type: "text_delta", text: "b" }, { wait: random.integer(50) }],
  () => [{ type: "thinking_delta", text: "hm " }, { wait: 10 }, { type: "thinking_delta", text: "hm" }],
  (random) => [{ wait: random.integer(8_000) }],
  () => [{ type: "text_delta", text: "done." }, { type: "text_done" }],
  () => [{ type: "text_delta", text: "wrong" }, { type: "text_retracted" }],
  (random) => {
    const [a, b] = [`t${random.integer(1e6)}`, `t${random.integer(1e6)}`];
    return [
      { type: "tool_call_start", nativeId: a, name: "read", args: { path: "a" } },
      { type: "tool_call_start", nativeId: b, name: "read", args: { path: "b" } },
      { wait: random.integer(100) },
      { type: "tool_output_delta", nativeId: b, text: "line\n" },
      { type: "tool_result", nativeId: b, ok: true, result: "x".repeat(random.chance(0.3) ? 70_000 : 10) },
      { type: "tool_result", nativeId: a, ok: false, error: { code: "tool_error", message: "no" } },
    ];
  },
  () => [{ type: "tool_call_start", nativeId: "open", name: "run", args: null }],
  () => [{ type: "tool_result", nativeId: "nobody", ok: true, result: "?" }],
  (random) => {
    const callId = `c${random.integer(1e6)}`;
    const request = { method: "confirm", title: "Go on?", message: "Really?" } as const;
    return [{ type: "request", callId, request }, { untilAnswer: callId }];
  },
  () => [{ type: "status", state: "working" }],
  () => [{ type: "host_call", callId: "h", tool: "nothing", args: null }, { untilAnswer: "h" }],
  (random) => {
    const callId = `m${random.integer(1e6)}`;
    const args = { to: random.pick(MEMBERS), text: "What is it?", wait: random.chance(0.5) };
    return [{ type: "host_call", callId, tool: "agents_message", args }, { untilAnswer: callId }];
  },
  (random) => (random.chance(0.5) ? [{ hang: true }] : []),
  (random) => (random.chance(0.4) ? [{ end: random.pick(["errored", "interrupted"] as const), reason: "tired" }] : []),
];
