/**
 * Environment of an agent program: that of the terminal that started the session without secrets of others, or an allow
 * list where it has to be clean.
 * Guarantees: our own variables, variables that make a program load code, and markers of other agents reach no program,
 * even if configured; a model vendor's key reaches only the programs of that vendor and those whose configuration names
 * it.
 */
import path from "node:path";
import { MARKER_VARIABLE } from "../tracking/run-marker.ts";
import type { MemberSpec } from "../../../protocol/index.ts";

export type Variables = Readonly<Record<string, string | undefined>>;

/** What a member's program inherits, from its session and its configuration. */
export interface ProgramEnvironment {
  /** Variables of the terminal that started or opened the session. */
  readonly variables: Variables;
  /** Passes only the allow list and configured names. */
  readonly isClean?: boolean;
  /** Variables to set, or to remove with null. */
  readonly changes?: Readonly<Record<string, string | null>>;
  /** Secrets that the configuration names for other members only. */
  readonly withheld?: readonly string[];
  /** Vendors whose keys are passed without being configured. */
  readonly vendors?: readonly string[] | "all";
}

export interface ChildEnvironment {
  readonly parent: Variables;
  /** Names that the configuration passes through. */
  readonly named: readonly string[];
  /** Absent: only the allow list and configured names. */
  readonly inherited?: Omit<ProgramEnvironment, "variables">;
  /** Fixed values of the agent kind. */
  readonly set?: Readonly<Record<string, string>>;
  readonly marker: string;
}

export function childEnvironment(options: ChildEnvironment): Record<string, string> {
  const { parent, named, inherited, set = {}, marker } = options;
  const wanted = new Set(named.map(comparable));
  const isInherited = inherited === undefined || inherited.isClean === true ? isAllowed : inheritance(inherited);
  const passed = Object.entries(parent).flatMap(([name, value]) =>
    value !== undefined && (isInherited(name) || wanted.has(comparable(name))) && !isNeverPassed(name)
      ? [[name, value] as const]
      : [],
  );
  const changed = withChanges(Object.fromEntries(passed), inherited?.changes ?? {});
  return { ...changed, ...set, AI_AGENT: "roundtable", [MARKER_VARIABLE]: marker };
}

/** Environment of a member's program, before the additions of its kind. */
export function programEnvironment(
  { variables, ...inherited }: ProgramEnvironment,
  rest: Pick<ChildEnvironment, "named" | "set" | "marker">,
): Record<string, string> {
  return childEnvironment({ parent: variables, inherited, ...rest });
}

/** All variables that one of our own members may look up; nothing is filtered. */
export function variablesOf({ variables, changes = {} }: ProgramEnvironment): Variables {
  const given = Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return withChanges(Object.fromEntries(given) as Record<string, string>, changes);
}

const ALLOWED = names(`
  PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TMPDIR TZ
  HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY http_proxy https_proxy all_proxy no_proxy
  SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS`);

/** Programs do not start on Windows without these. */
const ALLOWED_ON_WINDOWS = names(`
  SystemRoot SystemDrive windir ComSpec PATHEXT TEMP TMP OS NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE
  USERNAME USERPROFILE HOMEDRIVE HOMEPATH APPDATA LOCALAPPDATA PROGRAMDATA
  ProgramFiles ProgramFiles(x86) ProgramW6432`);

const ALLOWED_PREFIXES = ["LC_", "XDG_"];

/**
 * Never passed, even if configured: our own variables (including a token), variables that make a program load code, and
 * markers by which an agent CLI detects that it runs inside another one.
 */
const NEVER =
  /^(ROUNDTABLE_.*|NODE_OPTIONS|NODE_CHANNEL_.*|ELECTRON_RUN_AS_NODE|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|CLAUDECODE|CLAUDE_CODE_(ENTRYPOINT|SSE_PORT|SESSION_ID|EXECPATH)|CODEX_(SANDBOX|THREAD|SESSION|CI|INTERNAL|MANAGED)\w*|AI_AGENT|GEMINI_CLI|OPENCODE|CURSOR_AGENT)$/i;

/** Not inherited, but configurable: variables that decide which code a program loads. */
const NOT_INHERITED = /^(LD_|DYLD_)/i;
/** Git variables are passed only if they name no program, no configuration and no other repository. */
const GIT = /^GIT_/i;
const HARMLESS_GIT =
  /^GIT_((AUTHOR|COMMITTER)_(NAME|EMAIL|DATE)|CEILING_DIRECTORIES|TERMINAL_PROMPT|OPTIONAL_LOCKS|SSL_CAINFO|SSL_CAPATH|DEFAULT_HASH|MERGE_AUTOEDIT)$/i;
/** State of the parent shell, wrong in another directory. */
const SHELL_OWN = /^(PWD|OLDPWD|SHLVL|_)$/;

function inheritance({ withheld = [], vendors = [] }: Omit<ProgramEnvironment, "variables">) {
  const hidden = new Set(withheld.map(comparable));
  return (name: string): boolean =>
    !NOT_INHERITED.test(name) &&
    !(GIT.test(name) && !HARMLESS_GIT.test(name)) &&
    !SHELL_OWN.test(name) &&
    !hidden.has(comparable(name)) &&
    !isVendorKey(name, vendors);
}

function withChanges(
  variables: Record<string, string>,
  changes: NonNullable<ProgramEnvironment["changes"]>,
): Record<string, string> {
  const changed = new Set(Object.keys(changes).map(comparable));
  const unchanged = Object.entries(variables).filter(([name]) => !changed.has(comparable(name)));
  const set = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
  return Object.fromEntries([...unchanged, ...set]);
}

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

/** Windows treats `Path` and `PATH` as the same variable. */
function comparable(name: string): string {
  return process.platform === "win32" ? name.toUpperCase() : name;
}

/** Variables that hold keys of model vendors. */
const VENDORS: Readonly<Record<string, RegExp>> = {
  anthropic: /^(ANTHROPIC_(API_KEY|AUTH_TOKEN|FOUNDRY_API_KEY)|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_API_KEY)$/,
  openai: /^(OPENAI_(API_KEY|ADMIN_KEY)|CODEX_(API_KEY|ACCESS_TOKEN)|AZURE_OPENAI_API_KEY)$/,
  google: /^(GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GENERATIVE_AI_API_KEY|ANTIGRAVITY_API_KEY)$/,
  cursor: /^CURSOR_(API_KEY|AUTH_TOKEN)$/,
  github: /^(COPILOT_GITHUB_TOKEN|GITHUB_COPILOT_TOKEN)$/,
  moonshot: /^(MOONSHOT|KIMI)_API_KEY$/,
  alibaba: /^(DASHSCOPE|QWEN|BAILIAN)_API_KEY$/,
  augment: /^AUGMENT_(API_TOKEN|SESSION_AUTH)$/,
  amp: /^AMP_API_KEY$/,
  others:
    /^(OPENROUTER|MISTRAL|GROQ|XAI|DEEPSEEK|TOGETHER|FIREWORKS|CEREBRAS|PERPLEXITY|COHERE|ZAI|ZHIPU|MINIMAX|AI_GATEWAY|OPENCODE|NVIDIA|SAMBANOVA|DEEPINFRA)_API_KEY$/,
};

/** True for a key of any vendor that is not in `except`. */
function isVendorKey(name: string, except: readonly string[] | "all"): boolean {
  if (except === "all") return false;
  return Object.entries(VENDORS).some(([vendor, keys]) => !except.includes(vendor) && keys.test(name));
}

const BY_KIND: Readonly<Partial<Record<MemberSpec["kind"], readonly string[] | "all">>> = {
  claude: ["anthropic"],
  codex: ["openai"],
  cursor: ["cursor"],
  // Both use whichever provider has a key.
  pi: "all",
  opencode: "all",
};

/** Vendors of ACP agents, by file name. */
const BY_NAME: readonly (readonly [RegExp, readonly string[] | "all"])[] = [
  [/claude/, ["anthropic"]],
  [/codex/, ["openai"]],
  [/gemini|antigravity|^agy$/, ["google"]],
  [/cursor/, ["cursor"]],
  [/copilot/, ["github"]],
  [/kimi/, ["moonshot"]],
  [/qwen/, ["alibaba", "openai"]],
  [/auggie|augment/, ["augment"]],
  [/^amp/, ["amp"]],
  [/^(opencode|pi|pi-acp|goose|crush|cline|kilo)$/, "all"],
];

/** Vendors whose keys a member's program may see. An unknown ACP agent sees only the keys that its `env` names. */
export function vendorsOf({ kind, command = [] }: Pick<MemberSpec, "kind" | "command">): readonly string[] | "all" {
  if (kind !== "acp") return BY_KIND[kind] ?? [];
  const name = path.basename(command[0] ?? "").replace(/\.(exe|com|cmd)$/i, "");
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? [];
}
