/**
 * Sandbox of a member's programs: the driver's request and its result. A driver only names its agent and the directory;
 * which directories that agent needs is in one table.
 */
/** From the configuration, globally and per member. */
export interface SandboxSettings {
  /** auto: where the system has one; require: the member does not start without; off: never. */
  readonly mode: "auto" | "require" | "off";
  /** Further paths that are writable in writable sessions. */
  readonly write: readonly string[];
  /** Sockets of services that act for others, opened by name: "docker", "ssh-agent", … or a path. */
  readonly sockets: readonly string[];
}

/** For a sandboxed member: nothing outside can be changed, but rules about commands may not apply to it. */
export const ACTS_UNASKED = "inside it may act without asking";

/** Request of a driver for a program that it starts. */
export interface SandboxRequest {
  readonly settings: SandboxSettings;
  /** Program whose state and configuration directories it needs, such as "claude" or "codex-acp". */
  readonly agent: string;
  /** Directory of the session. */
  readonly workspace: string;
  readonly isWritable: boolean;
  /** Files, directories and sockets of ours that must be visible inside hidden directories; read-only. */
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

/** Sandbox of a `Launch`; undefined where the session has none. `agent` is the program's name. */
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
