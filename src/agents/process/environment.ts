/**
 * The environment of a foreign program: an allow list, never the parent's.
 * Promise: a variable reaches a child because it is named here or in the member's own `env`, and for no other reason.
 */
import { MARKER_VARIABLE } from "./run-marker.ts";

export interface ChildEnvironment {
  readonly parent: Readonly<Record<string, string | undefined>>;
  /** Names the member's configuration lets through. */
  readonly named: readonly string[];
  /** Fixed values the agent kind needs. */
  readonly set?: Readonly<Record<string, string>>;
  readonly marker: string;
}

export function childEnvironment({ parent, named, set = {}, marker }: ChildEnvironment): Record<string, string> {
  const wanted = new Set(named.map(comparable));
  const passed = Object.entries(parent).flatMap(([name, value]) =>
    value !== undefined && (isAllowed(name) || wanted.has(comparable(name))) && !isNeverPassed(name)
      ? [[name, value] as const]
      : [],
  );
  return { ...Object.fromEntries(passed), ...set, AI_AGENT: "roundtable", [MARKER_VARIABLE]: marker };
}

const ALLOWED = names(`
  PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TMPDIR TZ
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS`);

/** Without these a program does not even start there. */
const ALLOWED_ON_WINDOWS = names(`
  SystemRoot SystemDrive windir ComSpec PATHEXT TEMP TMP OS NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
  USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA
  ProgramFiles ProgramFiles(x86) ProgramW6432`);

const ALLOWED_PREFIXES = ["LC_", "XDG_"];

/**
 * Not passed even when a configuration names them: our own variables (a token among them), what makes a program load
 * foreign code, and the marks by which an agent CLI would believe that it runs inside another one.
 */
const NEVER =
  /^(ROUNDTABLE_.*|NODE_OPTIONS|NODE_CHANNEL_.*|ELECTRON_RUN_AS_NODE|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|EXECPATH)|CODEX_(SANDBOX|THREAD|SESSION|CI|INTERNAL|MANAGED)\w*|AI_AGENT|GEMINI_CLI|OPENCODE|CURSOR_AGENT)$/i;

function isAllowed(name: string): boolean {
  return (
    ALLOWED.has(comparable(name)) ||
    ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
    (process.platform === "win32" && ALLOWED_ON_WINDOWS.has(comparable(name)))
  );
}

function isNeverPassed(name: string): boolean {
  return NEVER.test(name);
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/).map(comparable));
}

/** Windows does not tell `Path` from `PATH`. */
function comparable(name: string): string {
  return process.platform === "win32" ? name.toUpperCase() : name;
}
