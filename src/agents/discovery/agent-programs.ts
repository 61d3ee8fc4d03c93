/**
 * Known agent programs: how to find them on PATH, install them and log in. Discovery by name does not start any of
 * them.
 */
import { constants } from "node:fs";
import { access, realpath, stat } from "node:fs/promises";
import path from "node:path";
import type { MemberSpec } from "../../protocol/index.ts";
import { checkoutTest } from "../process/launch/checkout.ts";
import { programCandidates } from "../process/launch/find-program.ts";
import { isKeySet } from "./api-keys.ts";

export interface AgentProgram {
  readonly spec: MemberSpec;
  /** Names it may have, the most specific first. */
  readonly commands: readonly string[];
  /** Tells it from other programs of the same name by the real path of its file. */
  readonly isIt?: (realPath: string) => boolean;
  /**
   * Names of variables that hold its login or the server its key is for. A key without its server would be sent to the
   * wrong one.
   */
  readonly variables: readonly string[];
}

const ANTHROPIC = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"];
const OPENAI = ["OPENAI_API_KEY", "OPENAI_BASE_URL"];
/** For programs without a model of their own. */
const ANY_PROVIDER = [...ANTHROPIC, ...OPENAI, "GEMINI_API_KEY", "OPENROUTER_API_KEY"];

export const agentPrograms: readonly AgentProgram[] = [
  {
    spec: { name: "claude", kind: "claude" },
    commands: ["claude"],
    variables: [...ANTHROPIC, "CLAUDE_CODE_OAUTH_TOKEN"],
  },
  { spec: { name: "codex", kind: "codex" }, commands: ["codex"], variables: [...OPENAI, "CODEX_API_KEY"] },
  {
    spec: { name: "cursor", kind: "cursor" },
    commands: ["cursor-agent", "agent"],
    isIt: isCursor,
    variables: ["CURSOR_API_KEY", "CURSOR_AUTH_TOKEN"],
  },
  { spec: { name: "pi", kind: "pi" }, commands: ["pi"], variables: ANY_PROVIDER },
  { spec: { name: "opencode", kind: "opencode" }, commands: ["opencode"], variables: ANY_PROVIDER },
  {
    spec: { name: "gemini", kind: "acp", command: ["gemini", "--acp"] },
    commands: ["gemini"],
    variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_GEMINI_BASE_URL"],
  },
];

/** Member for an unconfigured program, with the variables that are set and that it may see. */
export function discoveredSpec(program: AgentProgram, env: Readonly<Record<string, string | undefined>>): MemberSpec {
  const named = program.variables.filter((variable) => isKeySet(variable, env));
  return named.length === 0 ? program.spec : { ...program.spec, env: named };
}

/** Undefined for members without a program, and for unknown ACP agents. */
export function programOf(spec: MemberSpec): AgentProgram | undefined {
  if (spec.kind !== "acp") return agentPrograms.find((program) => program.spec.kind === spec.kind);
  return agentPrograms.find((program) => isNameOf(program, spec.command?.[0] ?? ""));
}

export function isNameOf(program: AgentProgram, command: string): boolean {
  return program.commands.includes(path.basename(command).replace(/\.(exe|com)$/i, ""));
}

/** `agent` is a common name, and the npm package `cursor-agent` is an unrelated project. */
function isCursor(realPath: string): boolean {
  return /cursor/i.test(realPath) && !/[\\/]node_modules[\\/]/.test(realPath);
}

/**
 * Undefined when not found or when it lies in the checkout around `cwd`. Never rejects; an unresponsive file system
 * delays it.
 */
export async function findAgentProgram(
  program: AgentProgram,
  env: Readonly<Record<string, string | undefined>>,
  cwd?: string,
): Promise<string | undefined> {
  const searchPath = { PATH: env["PATH"], PATHEXT: env["PATHEXT"] };
  const isInCheckout = cwd === undefined ? () => false : checkoutTest(cwd);
  const candidates = program.commands.flatMap((command) => programCandidates(command, searchPath));
  // In parallel: one by one they could use up the time limit on a busy machine.
  const checks = candidates.map((candidate) => isRunnable(candidate, program.isIt));
  for (const [at, candidate] of candidates.entries()) {
    if ((await checks[at]) && !isInCheckout(candidate)) return candidate;
  }
  return undefined;
}

async function isRunnable(candidate: string, isIt: AgentProgram["isIt"]): Promise<boolean> {
  try {
    await access(candidate, constants.X_OK);
    return (await stat(candidate)).isFile() && (isIt === undefined || isIt(await realpath(candidate)));
  } catch {
    // Missing or not executable: try the next directory.
    return false;
  }
}

// Installing, updating and logging in to an agent program.
export interface ProgramFacts {
  /** Installs or updates it. */
  readonly install: string;
  readonly logIn: string;
  /** Oldest version known to support the mode in which it is driven. */
  readonly oldest?: { readonly version: string; readonly mode: string };
  /** Files that hold its login. */
  readonly credentials: readonly CredentialFile[];
  /** Settings files that may hold a key, and the pattern of one. */
  readonly settings?: readonly (CredentialFile & { readonly holds: RegExp })[];
  /** Variables that select another provider, whose login cannot be checked. */
  readonly otherWays?: readonly string[];
  /** It may be logged in although none of these is found. */
  readonly mayHideLogin?: "everywhere" | "on macOS";
  /** Same, only when this file exists: it may configure another login. */
  readonly hidesLogin?: CredentialFile;
  /** For a program that takes no key from a variable: how to store one. */
  readonly keyLogin?: { readonly variable: string; readonly command: string };
  /** Keeps `--version` from updating or using the network. */
  readonly quiet: Readonly<Record<string, string>>;
}

export interface CredentialFile {
  /** Variable that overrides the folder. */
  readonly movedBy?: string;
  /** Default folder, below the home directory. */
  readonly folder: string;
  readonly file: string;
}

const CLAUDE_KEY =
  /"(?:ANTHROPIC_API_KEY|ANTHROPIC_AUTH_TOKEN|CLAUDE_CODE_OAUTH_TOKEN|apiKeyHelper|CLAUDE_CODE_USE_(?:BEDROCK|VERTEX|FOUNDRY))"\s*:\s*"\S/;
const GEMINI_KEY = /^\s*(?:export\s+)?(?:GEMINI_API_KEY|GOOGLE_API_KEY|GOOGLE_GENAI_USE_VERTEXAI)\s*=\s*\S/m;

/** By program name in `agentPrograms`. */
export const programFacts: Readonly<Record<string, ProgramFacts>> = {
  claude: {
    install: "npm install -g @anthropic-ai/claude-code",
    logIn: "claude auth login",
    oldest: { version: "2.1.325", mode: "stream-json with its control protocol" },
    credentials: [{ movedBy: "CLAUDE_CONFIG_DIR", folder: ".claude", file: ".credentials.json" }],
    settings: [{ movedBy: "CLAUDE_CONFIG_DIR", folder: ".claude", file: "settings.json", holds: CLAUDE_KEY }],
    otherWays: ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"],
    mayHideLogin: "on macOS",
    quiet: { DISABLE_AUTOUPDATER: "1", CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" },
  },
  codex: {
    install: "npm install -g @openai/codex",
    logIn: "codex login",
    oldest: { version: "0.166.0", mode: "app-server" },
    credentials: [{ movedBy: "CODEX_HOME", folder: ".codex", file: "auth.json" }],
    hidesLogin: { movedBy: "CODEX_HOME", folder: ".codex", file: "config.toml" },
    keyLogin: { variable: "OPENAI_API_KEY", command: "printenv OPENAI_API_KEY | codex login --with-api-key" },
    quiet: {},
  },
  cursor: {
    install: "curl https://cursor.com/install -fsS | bash",
    logIn: "cursor-agent login",
    credentials: [{ movedBy: "XDG_CONFIG_HOME", folder: ".config", file: "cursor/auth.json" }],
    mayHideLogin: "everywhere",
    quiet: {},
  },
  pi: {
    install: "npm install -g @earendil-works/pi-coding-agent",
    logIn: "pi, then /login",
    oldest: { version: "0.87.1", mode: "rpc" },
    credentials: [{ movedBy: "PI_CODING_AGENT_DIR", folder: ".pi/agent", file: "auth.json" }],
    mayHideLogin: "everywhere",
    quiet: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
  },
  opencode: {
    install: "npm install -g opencode-ai",
    logIn: "opencode auth login",
    oldest: { version: "1.18.18", mode: "acp" },
    credentials: [{ movedBy: "XDG_DATA_HOME", folder: ".local/share", file: "opencode/auth.json" }],
    // Some of its models need no login.
    mayHideLogin: "everywhere",
    quiet: { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" },
  },
  gemini: {
    install: "npm install -g @google/gemini-cli",
    logIn: "gemini, then /auth",
    oldest: { version: "0.61.0", mode: "acp" },
    credentials: [
      { folder: ".gemini", file: "oauth_creds.json" },
      { folder: ".gemini", file: "gemini-credentials.json" },
    ],
    settings: [
      { folder: ".gemini", file: ".env", holds: GEMINI_KEY },
      { folder: "", file: ".env", holds: GEMINI_KEY },
    ],
    otherWays: ["GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA", "CLOUD_SHELL"],
    mayHideLogin: "on macOS",
    quiet: { GEMINI_CLI_NO_RELAUNCH: "true" },
  },
};

/** How to start an installed model server; by name in `modelServers`. */
export const serverStarts: Readonly<Record<string, string>> = {
  ollama: "ollama serve",
  lmstudio: "lms server start",
  llamacpp: "llama-server -m MODEL.gguf --port 8080",
  vllm: "vllm serve MODEL --port 8000",
};
