/**
 * One `codex app-server` for all members of a host with the same environment and sandbox; each has a thread of its own.
 * Guarantees: started with the first member that needs it and ended with the last; its crash is reported to every turn
 * that runs there; the next turn starts it again, within one budget for all.
 */
import type { Clock } from "../../../../kit/clock.ts";
import { AgentRun } from "../../../process/agent-run.ts";
import { programEnvironment, type ProgramEnvironment } from "../../../process/launch/environment.ts";
import * as turnErrors from "../../../process/turn-errors.ts";
import type { ProgramLookup } from "../../../process/launch/find-program.ts";
import type { Launched, LaunchOptions } from "../../../process/launch/launch.ts";
import type { TurnOver } from "../../../process/dialect.ts";
import type { ProcessRecords } from "../../../process/tracking/process-records.ts";
import { createRestartBudget, type CountedStart, type RestartBudget } from "../../../process/launch/restart-budget.ts";
import { spawnSupervised } from "../../../process/supervised-process.ts";
import type { SandboxRequest } from "../../../sandbox/sandbox.ts";
import { prepareSandbox, type Prepared, type Wrapped } from "../../../sandbox/wrap-command.ts";
import { learnFacts, type CodexKnown } from "../config/member-facts.ts";
import { RunningServer } from "./running-server.ts";
import { MemberConnection } from "./member-connection.ts";

export interface ServerLaunch {
  readonly command: string;
  readonly args: readonly string[];
  /** Names of variables that the configuration passes through. */
  readonly env: readonly string[];
  readonly environment: ProgramEnvironment;
  /** Resolved before it is shared: members of other checkouts must not run it from there. */
  readonly program: ProgramLookup;
  /** Its working directory; its threads name their own. */
  readonly cwd: string;
  readonly isWritable: boolean;
  readonly sandbox: SandboxRequest | undefined;
}

export interface ConnectionIdentity {
  readonly idPrefix: string;
  readonly marker: string;
  /** Directory of its thread, with links resolved. */
  readonly cwd: string;
}

interface Running {
  readonly ok: true;
  readonly server: RunningServer;
  /** This process runs in our sandbox, verified. */
  readonly isSandboxed: boolean;
  readonly start: CountedStart;
}

/** Every member that waited for the start gets the error under its own name. */
interface NotStarted {
  readonly ok: false;
  readonly why: (member: string) => TurnOver;
}

type StartOptions = Pick<LaunchOptions<unknown>, "limits" | "clock">;

/** Its name in messages and records: it is no member. */
const NAME = "codex";

/** Last start of each host. */
const starts = new WeakMap<ProcessRecords, Promise<void>>();

export class SharedServer {
  readonly #launch: ServerLaunch;
  readonly #records: ProcessRecords;
  #budget: RestartBudget | undefined;
  #running: Running | undefined;
  #starting: Promise<Running | NotStarted> | undefined;

  constructor(launch: ServerLaunch, records: ProcessRecords) {
    this.#launch = launch;
    this.#records = records;
  }

  /** Connects a member; starts the program when none runs. Never rejects. */
  async join<State>(options: LaunchOptions<State>, identity: ConnectionIdentity): Promise<Launched<State>> {
    const started = await this.#ensure(options);
    if (!started.ok) return { ok: false, over: started.why(options.member) };
    const { server, start, isSandboxed } = started;
    const connection = new MemberConnection(server, {
      ...identity,
      processes: this.#records.processes,
      clock: options.clock,
      limits: options.limits,
    });
    const run = new AgentRun(options.dialect, connection, options.listener);
    let isBegun = false;
    // Before any wait: the last one to leave ends the program.
    server.add(connection, {
      handleLine: (line) => {
        if (isBegun) run.handleLine(line);
      },
      alive: () => options.listener.activity(),
    });
    const { isWritable } = this.#launch;
    const context = { cwd: identity.cwd, isWritable, isSandboxed, env: this.#environment("") };
    const known: CodexKnown = { ...options.known, isSandboxed, facts: await learnFacts(server, context) };
    isBegun = true;
    run.begin(known);
    return { ok: true, run, start };
  }

  /** Members that arrive while it is being started share that start, also its failure. */
  async #ensure(options: StartOptions): Promise<Running | NotStarted> {
    if (this.#running?.server.isOpen === true) return this.#running;
    this.#starting ??= this.#beginInTurn(options).finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Serialized: two first starts in one home conflict over Codex's databases. */
  #beginInTurn(options: StartOptions): Promise<Running | NotStarted> {
    const before = starts.get(this.#records) ?? Promise.resolve();
    const begun = before.then(() => this.#begin(options));
    starts.set(
      this.#records,
      begun.then(
        () => undefined,
        () => undefined,
      ),
    );
    return begun;
  }

  async #begin({ limits, clock }: StartOptions): Promise<Running | NotStarted> {
    await this.#running?.server.end();
    this.#running = undefined;
    const program = this.#launch.program;
    if (!program.ok) {
      const hint = `See "roundtable agents" for available agents.`;
      return refuse((member) => ({ code: "not_found", message: `${member} did not start: ${program.message}`, hint }));
    }
    const attempt = this.#budgetOf(clock, limits).acquire();
    if (!attempt.ok) return refuse(() => ({ code: "crash_loop", message: attempt.message }));
    const marker = this.#records.marker(NAME);
    const sandbox = await this.#prepare(program.path, marker);
    if (sandbox.kind === "refused") {
      const { reason, kind: _kind, ...hint } = sandbox;
      return refuse((member) => ({ code: "no_sandbox", message: `${member} did not start: ${reason}`, ...hint }));
    }
    const wrapped = sandbox.kind === "sandboxed" ? sandbox.wrap(this.#launch.args) : undefined;
    const server = await this.#spawn(program.path, { marker, wrapped }, { limits, clock });
    if (!(server instanceof RunningServer)) return server;
    const why = await server.initialize();
    if (why !== undefined) return { ok: false, why };
    this.#running = { ok: true, server, start: attempt.start, isSandboxed: wrapped !== undefined };
    return this.#running;
  }

  async #prepare(program: string, marker: string): Promise<Prepared> {
    const { sandbox, cwd } = this.#launch;
    if (sandbox === undefined) return { kind: "none", reason: "" };
    return prepareSandbox(sandbox, { program, cwd, env: this.#environment(marker), dataDir: this.#records.dataDir });
  }

  #environment(marker: string): Record<string, string> {
    return programEnvironment(this.#launch.environment, { named: this.#launch.env, marker });
  }

  async #spawn(
    program: string,
    { marker, wrapped }: { marker: string; wrapped: Wrapped | undefined },
    { limits, clock }: StartOptions,
  ): Promise<RunningServer | NotStarted> {
    const begun = Promise.withResolvers<RunningServer>();
    let server: RunningServer | undefined;
    const spawned = await spawnSupervised({
      member: NAME,
      program,
      args: this.#launch.args,
      cwd: this.#launch.cwd,
      env: this.#environment(marker),
      wrapped,
      marker,
      processes: this.#records.processes,
      records: this.#records,
      limits,
      clock,
      // Lines that arrive before there is a reader wait.
      onLine: (line) =>
        server === undefined ? begun.promise.then((one) => one.handleLine(line)) : server.handleLine(line),
    });
    if (!spawned.ok) return refuse(() => ({ code: "not_started", message: spawned.message }));
    server = new RunningServer(spawned.process, { processes: this.#records.processes, clock });
    begun.resolve(server);
    return server;
  }

  #budgetOf(clock: Clock, { startsMax, startsWindowMs: windowMs }: LaunchOptions<unknown>["limits"]): RestartBudget {
    this.#budget ??= createRestartBudget({ member: NAME, clock, startsMax, windowMs });
    return this.#budget;
  }
}

function refuse(toError: (member: string) => Parameters<typeof turnErrors.errored>[0]): NotStarted {
  return { ok: false, why: (member) => turnErrors.errored(toError(member)) };
}
