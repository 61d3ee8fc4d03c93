/**
 * Starts the program of a member: resolves it, sets its environment and run marker, and enforces the restart budget.
 * User text reaches a program through stdin only, never through its arguments.
 */
import type { Clock } from "../../../kit/clock.ts";
import { openRun, type AgentRun, type RunListener } from "../agent-run.ts";
import type { Dialect, TurnOver } from "../dialect.ts";
import { programEnvironment, type ProgramEnvironment } from "./environment.ts";
import { errored, SANDBOX_HINT } from "../turn-errors.ts";
import { withCheckoutLast } from "./checkout.ts";
import { findProgram } from "./find-program.ts";
import type { ProcessLimits } from "../limits.ts";
import type { ProcessRecords } from "../tracking/process-records.ts";
import type { CountedStart, RestartBudget } from "./restart-budget.ts";
import type { SandboxRequest } from "../../sandbox/sandbox.ts";
import { whyNotStart } from "../../sandbox/governed/workspace-checks.ts";
import { prepareSandbox } from "../../sandbox/wrap-command.ts";
import type { Defect } from "../supervised-process.ts";

export interface Launch {
  /** Name on PATH or absolute path. */
  readonly command: string;
  /** Fixed flags and validated ids only. */
  readonly args: (known: LaunchKnown) => readonly string[];
  readonly cwd: string;
  /** Names of variables that the member's configuration passes through. */
  readonly env: readonly string[];
  readonly setEnv?: Readonly<Record<string, string>>;
  /** Variables that depend on the launch. */
  readonly envFor?: (known: LaunchKnown) => Readonly<Record<string, string>>;
  /** Why it must not be started; undefined when it may. */
  readonly refusal?: (known: LaunchKnown) => { readonly message: string; readonly hint: string } | undefined;
  /** Inherited environment; absent: our own. */
  readonly environment?: ProgramEnvironment | undefined;
  /** Absent: no sandbox. */
  readonly sandbox?: SandboxRequest | undefined;
  /** Whether a process serves all turns of its member, or one turn only. */
  readonly lifetime: "member" | "turn";
  /** Starts the program with the agent instead of with its first turn. */
  readonly isEager?: boolean;
  /** Recognizes the agent's own helpers (its tool servers) by command line; the cleanup after a turn spares them. */
  readonly isHelper?: (commandLine: string) => boolean;
  /**
   * Tool commands lead process groups of their own, so members of the program's own group are helpers: tool servers
   * that the user has configured there, which may start at any time and must live as long as the program.
   */
  readonly doToolsLeadGroups?: boolean;
  /** How to log in to the program, as a sentence. */
  readonly loginHint?: string | undefined;
}

interface LaunchKnown {
  /** True only when these arguments reach a process inside the sandbox, or none. */
  readonly isSandboxed: boolean;
  /** Validated: safe as one argument. */
  readonly nativeSessionId: string | undefined;
  readonly model: string | undefined;
}

export interface LaunchOptions<State> {
  readonly member: string;
  readonly dialect: Dialect<State>;
  readonly launch: Launch;
  readonly known: Omit<LaunchKnown, "isSandboxed">;
  readonly records: ProcessRecords;
  readonly budget: RestartBudget;
  readonly listener: RunListener;
  readonly limits: ProcessLimits;
  readonly clock: Clock;
  readonly defect?: Defect;
}

export type Launched<State> =
  | { readonly ok: true; readonly run: AgentRun<State>; readonly start: CountedStart }
  | { readonly ok: false; readonly over: TurnOver };

export async function launchProgram<State>(options: LaunchOptions<State>): Promise<Launched<State>> {
  const { launch, member, records, limits, clock, defect } = options;
  const given = launch.environment ?? { variables: process.env };
  const environment = { ...given, variables: withCheckoutLast(given.variables, launch.cwd) };
  const { PATH, PATHEXT } = environment.variables;
  const program = findProgram(launch.command, { PATH, PATHEXT, cwd: launch.cwd });
  if (!program.ok) {
    const message = `${member} did not start: ${program.message}`;
    return refuse({ code: "not_found", message, hint: `See "roundtable agents" for available agents.` });
  }
  const attempt = options.budget.acquire();
  if (!attempt.ok) return refuse({ code: "crash_loop", message: attempt.message });
  const marker = records.marker(member);
  const set = launch.setEnv === undefined ? {} : { set: launch.setEnv };
  const own = programEnvironment(environment, { named: launch.env, marker, ...set });
  const env = defect === "inherit-environment" ? { ...(process.env as Record<string, string>), ...own } : own;
  const command = { program: program.path, cwd: launch.cwd, env, dataDir: records.dataDir };
  const sandbox = launch.sandbox === undefined ? undefined : await prepareSandbox(launch.sandbox, command);
  if (sandbox?.kind === "refused") {
    const { reason, hint } = sandbox;
    const message = `${member} did not start: ${reason}`;
    return refuse({ code: "no_sandbox", message, ...(hint === undefined ? {} : { hint }) });
  }
  const stuck = whyNotStart(launch.cwd, member);
  if (stuck !== undefined) {
    const message = `${member} did not start: ${stuck}`;
    return refuse({ code: "not_started", message, hint: "Move it elsewhere and ask again." });
  }
  const known: LaunchKnown = { ...options.known, isSandboxed: sandbox?.kind === "sandboxed" };
  const refusal = launch.refusal?.(known);
  if (refusal !== undefined) return refuse({ code: "unguarded", ...refusal });
  const args = launch.args(known);
  const late = launch.envFor?.(known) ?? {};
  const open = () => {
    const inside = sandbox?.kind === "sandboxed" ? sandbox.wrap(args) : undefined;
    const wrapped = inside === undefined ? undefined : { ...inside, env: { ...inside.env, ...late } };
    return openRun(options.dialect, known, options.listener, {
      member,
      program: program.path,
      args,
      cwd: launch.cwd,
      env: { ...env, ...late },
      wrapped,
      marker,
      processes: records.processes,
      records,
      limits,
      clock,
      defect,
    });
  };
  const first = await open();
  // A mount source is gone: another host has just removed its placeholder.
  const isGone = !first.ok && first.code === "sandbox" && first.message.includes("No such file or directory");
  const opened = isGone ? await open() : first;
  if (!opened.ok) {
    const hint = opened.code === "sandbox" ? { hint: SANDBOX_HINT } : {};
    return refuse({ code: "not_started", message: opened.message, ...hint });
  }
  return { ok: true, run: opened.run, start: attempt.start };
}

function refuse(error: Parameters<typeof errored>[0]): { ok: false; over: TurnOver } {
  return { ok: false, over: errored(error) };
}
