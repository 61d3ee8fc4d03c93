/**
 * The wall around a member's programs: what a driver asks for, and what it gets.
 * A driver only says which agent it starts and where; which directories that agent needs is in one table.
 */
/** From the configuration, globally and per member. */
export interface SandboxSettings {
  /** auto: where the system has one; require: the member does not start without; off: never. */
  readonly mode: "auto" | "require" | "off";
  /** Further paths that may be written in writable sessions. */
  readonly write: readonly string[];
  /** Sockets that act for others and are opened by name: "docker", "ssh-agent", … or a path. */
  readonly sockets: readonly string[];
}

/** Of a sandboxed member: nothing outside can be changed, but rules about commands may not hold for it. */
export const ACTS_UNASKED = "inside it may act without asking";

/** What a driver says about a program that it wants to start. */
export interface SandboxRequest {
  readonly settings: SandboxSettings;
  /** Whose state and configuration directories it needs: the program's name, such as "claude" or "codex-acp". */
  readonly agent: string;
  /** The directory of the session. */
  readonly workspace: string;
  readonly isWritable: boolean;
  /** Files, directories and sockets of ours that it must see though they are in a hidden place; read-only. */
  readonly shown?: readonly string[];
  /** Existing paths that a deny rule names: read-only. */
  readonly denied?: readonly string[];
}

/** The part of a member's setup that shapes its sandbox. */
interface SandboxedSetup {
  readonly sandbox?: SandboxSettings | undefined;
  readonly cwd: string;
  readonly writable: boolean;
  readonly deniedPaths?: () => readonly string[];
}

/** What a driver puts into its `Launch`; undefined where the session has no sandbox. `agent` is the program's name. */
export function sandboxRequest(
  { sandbox, cwd, writable, deniedPaths }: SandboxedSetup,
  agent: string,
  shown: readonly string[] = [],
): SandboxRequest | undefined {
  if (sandbox === undefined) return undefined;
  return {
    settings: sandbox,
    agent,
    workspace: cwd,
    isWritable: writable,
    shown,
    denied: deniedPaths?.() ?? [],
  };
}
