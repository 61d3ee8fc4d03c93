/** What has to be known of an agent program, beyond the protocol, to drive it well. */
import type { AcpExtensions, GuardReport, OfferedCommand } from "../options.ts";
import type { StartGate } from "./start-gate.ts";
import path from "node:path";

export interface AcpProgram {
  /** Whose state and configuration it uses, for the sandbox; absent: the program's own name. */
  readonly stateOf?: string;
  /** Fixed variables it needs. */
  readonly setEnv?: Readonly<Record<string, string>>;
  /** How it is started and kept, so that its own settings cannot widen what the session allows. */
  readonly restrain?: (session: ProgramSession) => Restraint;
  /** The way to log in that fits what the member's configuration lets through. */
  readonly authMethod?: (hasVariable: (name: string) => boolean) => string | undefined;
  readonly loginHint?: string;
  /** Takes a second prompt into the running turn. */
  readonly canSteer: boolean;
  /** See `Launch`; of a program that is not known nobody can say it. */
  readonly doToolsLeadGroups?: boolean;
  /** The command that compacts its context where that is known: null when there is none, absent to go by what it offers. */
  readonly compactCommand?: OfferedCommand | null;
  /** It opens sessions before it knows the tools of its tool servers; the first prompt waits this long for ours. */
  readonly toolsMs?: number;
  /** What may be done when it has not asked for them by then. */
  readonly toolsHint?: string;
  /** It asks its model again without saying so: after this much silence that is what is said. */
  readonly silenceWarnMs?: number;
  readonly extensions?: AcpExtensions;
  /** How long it must not be started yet, when it is to take up this session. */
  readonly waitMs?: (sessionId: string, nowMs: number, environment: Environment) => number;
  /** Puts what it keeps of a session in order, before it is to take it up and when it has. Must not throw. */
  readonly cleanUpSession?: (sessionId: string, environment: Environment) => void;
  /** Its first start in a home must not meet another one. */
  readonly startGate?: StartGate;
}

type Environment = Readonly<Record<string, string>>;

export interface ProgramSession {
  readonly cwd: string;
  readonly isWritable: boolean;
  /** Our sandbox stands around the process. */
  readonly isSandboxed: boolean;
  /** The name of the table's own tool server: nobody could write it into a configuration beforehand. */
  readonly hostToolServer: string;
  /** What the program is given of the environment. */
  readonly environment: Environment;
  /** Keeps a file that the program can read, and returns its path. */
  readonly writeFile: (name: string, text: string) => string;
}

export interface Restraint {
  /** After its own arguments. */
  readonly args?: () => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The mode that it must work in. */
  readonly mode?: string;
  /** What holds it back then, without our sandbox; absent: its own modes tell. */
  readonly guard?: GuardReport;
}

/** An agent of which nothing is known. */
export const genericProgram: AcpProgram = { canSteer: false };

// By which name an agent's program is known, whatever starts it.

const STARTERS = /^(?:node|nodejs|bun|bunx|npx|pnpx|deno|tsx)$/;

export function programName({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  const name = bareName(command);
  const started = args.find((arg) => !arg.startsWith("-"));
  return STARTERS.test(name) && started !== undefined ? bareName(started) : name;
}

/** Without folder, ending and version. */
function bareName(file: string): string {
  return path
    .basename(file)
    .replace(/\.(exe|com|cmd|[cm]?js|ts)$/i, "")
    .replace(/@[^@]*$/, "");
}
