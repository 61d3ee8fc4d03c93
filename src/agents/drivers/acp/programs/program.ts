/** Facts about an agent program beyond the protocol. */
import path from "node:path";
import type { AcpExtensions, GuardReport, OfferedCommand } from "../options.ts";
import type { StartGate } from "./start-gate.ts";

export interface AcpProgram {
  /** Owner of its state and configuration directories, for the sandbox; absent: the program's own name. */
  readonly stateOf?: string;
  /** Fixed environment variables. */
  readonly setEnv?: Readonly<Record<string, string>>;
  /** Arguments, mode and environment by which its own settings cannot widen what the session allows. */
  readonly restrain?: (session: ProgramSession) => Restraint;
  /** Login method that fits the variables which the member's configuration passes through. */
  readonly authMethod?: (hasVariable: (name: string) => boolean) => string | undefined;
  readonly loginHint?: string;
  /** Accepts a second prompt during a turn. */
  readonly canSteer: boolean;
  /** See `Launch`; unknown for unknown programs. */
  readonly doToolsLeadGroups?: boolean;
  /** Command that compacts its context, where known; absent to use what it lists. */
  readonly compactCommand?: OfferedCommand | "none";
  /** It opens sessions before it has listed the tools of its MCP servers; the first prompt waits this long for ours. */
  readonly toolsMs?: number;
  /** Hint when it has not listed them by then. */
  readonly toolsHint?: string;
  /** It retries silently: after this much silence a retry is reported. */
  readonly silenceWarnMs?: number;
  readonly extensions?: AcpExtensions;
  /** Delay before it may be started to load this session. */
  readonly waitMs?: (sessionId: string, nowMs: number, environment: Environment) => number;
  /** Repairs its files of a session, before and after loading it. Must not throw. */
  readonly cleanUpSession?: (sessionId: string, environment: Environment) => void;
  /** Serializes its first starts in a home directory. */
  readonly startGate?: StartGate;
}

type Environment = Readonly<Record<string, string>>;

export interface ProgramSession {
  readonly cwd: string;
  readonly isWritable: boolean;
  /** The process runs in our sandbox. */
  readonly isSandboxed: boolean;
  /** Name of the server with the host tools; random, so that no configuration can name it beforehand. */
  readonly hostToolServer: string;
  /** Environment of the program. */
  readonly environment: Environment;
  /** Stores a file that the program can read, and returns its path. */
  readonly writeFile: (name: string, text: string) => string;
}

export interface Restraint {
  /** Appended to its own arguments. */
  readonly args?: () => readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Required mode. */
  readonly mode?: string;
  /** What restrains it then without our sandbox; absent: its own modes tell. */
  readonly guard?: GuardReport;
  /** File of the checkout that its program would run by itself. */
  readonly startsUnasked?: string | undefined;
}

/** An unknown agent. */
export const genericProgram: AcpProgram = { canSteer: false };

/** Launchers, behind which the first argument names the program. */
const STARTERS = /^(?:node|nodejs|bun|bunx|npx|pnpx|deno|tsx)$/;

export function programName({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  const name = bareName(command);
  const started = args.find((arg) => !arg.startsWith("-"));
  return STARTERS.test(name) && started !== undefined ? bareName(started) : name;
}

/** Without folder, extension and version. */
function bareName(file: string): string {
  return path
    .basename(file)
    .replace(/\.(exe|com|cmd|[cm]?js|ts)$/i, "")
    .replace(/@[^@]*$/, "");
}
