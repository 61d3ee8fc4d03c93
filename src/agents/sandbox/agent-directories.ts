/**
 * Directories that each agent writes in the home directory, and what of them stays read-only: a hook, a tool server or
 * a program planted there would run outside the sandbox the next time. One table; drivers only name their agent.
 */
import path from "node:path";
import { governsBy, namesCommand, namesUnknownPackage, namesRemoteConfiguration, type Governs } from "./mixed-files.ts";
import { readText } from "./read-existing.ts";

type Variables = Readonly<Record<string, string | undefined>>;

export interface StateDirectory {
  /** Relative to the home directory. */
  readonly folder: string;
  /** Variable that moves it, and the path below its value. */
  readonly movedBy?: readonly [variable: string, below?: string];
  /** Directories that stay read-only. */
  readonly closed?: readonly string[];
  /** Files that stay read-only, with the content of a placeholder for a missing one. */
  readonly files?: Readonly<Record<string, string>>;
  /** Names of which the agent reads the first that exists: an empty one would shadow another. */
  readonly firstOf?: readonly (readonly string[])[];
  /** Read-only if they exist; otherwise they must not appear, and an empty one would change what the agent does. */
  readonly absent?: readonly string[];
  /** JSON files that are state, with entries that are configuration: those are put back. */
  readonly mixed?: Readonly<Record<string, Governs>>;
  /** Directories of git repositories in which the agent runs git. */
  readonly repositories?: readonly string[];
  /** Empty and read-only: settings that would let the agent act unasked, and that nothing else turns off. */
  readonly hidden?: readonly string[];
  /** Empty and private to this process: what other processes of the agent read or listen to. */
  readonly own?: readonly string[];
}

export interface AgentDirectories {
  readonly names: RegExp;
  readonly state: readonly StateDirectory[];
  /** Files that the agent writes when they are missing, and fails if it cannot. */
  readonly needed?: readonly (Pick<StateDirectory, "folder" | "movedBy"> & { readonly file: string })[];
  /** The same in a folder of the project, if that exists; removed again. */
  readonly neededInProject?: { readonly folder: string; readonly file: string; readonly content: string };
}

const list = (text: string): string[] => text.trim().split(/\s+/);
const EXTENSIONS = list("hooks commands agents skills plugins extensions rules prompts themes");
const NOTES = list("AGENTS.md AGENTS.override.md CLAUDE.md GEMINI.md");
const NO_SERVERS = '{ "mcpServers": {} }\n';

const AGENTS: readonly AgentDirectories[] = [
  {
    names: /^claude/,
    state: [
      {
        folder: ".claude",
        movedBy: ["CLAUDE_CONFIG_DIR"],
        closed: [...EXTENSIONS, "output-styles", "workflows", "local"],
        files: {
          "settings.json": "{}\n",
          "settings.local.json": "{}\n",
          ".claude.json": "{}\n",
          "CLAUDE.md": "",
          ".mcp.json": NO_SERVERS,
          "keybindings.json": '{ "bindings": [] }\n',
        },
        absent: list(".config.json remote-settings.json daemon.json loop.md cowork_plugins"),
        own: ["shell-snapshots", "session-env", "ide"],
      },
    ],
  },
  {
    names: /^codex/,
    state: [
      {
        folder: ".codex",
        movedBy: ["CODEX_HOME"],
        closed: [...EXTENSIONS.filter((folder) => folder !== "rules"), "memories"],
        hidden: ["rules"],
        files: { "config.toml": "", "hooks.json": "{}\n", "managed_config.toml": "", ".env": "" },
        firstOf: [["AGENTS.override.md", "AGENTS.md"]],
        absent: list("requirements.toml mcp.json packages bin"),
        repositories: [".tmp"],
        own: ["app-server-control", "app-server-daemon", "shell_snapshots"],
      },
    ],
  },
  {
    names: /^pi(?:-acp)?$/,
    state: [
      {
        folder: ".pi/agent",
        movedBy: ["PI_CODING_AGENT_DIR"],
        // Without hooks: it reads none and complains about the directory.
        closed: [...EXTENSIONS.filter((folder) => folder !== "hooks"), ...list("tools bin npm git")],
        files: {
          "settings.json": "{}\n",
          "models.json": '{ "providers": {} }\n',
          "mcp.json": NO_SERVERS,
          "keybindings.json": "{}\n",
          "trust.json": "{}\n",
        },
        firstOf: [["AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD"]],
        absent: ["SYSTEM.md", "APPEND_SYSTEM.md"],
        mixed: { "auth.json": namesCommand, "models-store.json": namesCommand },
      },
      { folder: ".pi/pi-acp" },
    ],
  },
  {
    names: /^gemini/,
    state: [
      {
        folder: ".gemini",
        movedBy: ["GEMINI_CLI_HOME", ".gemini"],
        closed: [...EXTENSIONS, "policies", "acknowledgments", "tmp/bin"],
        files: {
          "settings.json": "{}\n",
          "trustedFolders.json": "{}\n",
          "trusted_hooks.json": "{}\n",
          "mcp-server-enablement.json": "{}\n",
          "keybindings.json": "[]\n",
          "GEMINI.md": "",
        },
        firstOf: [[".env", "../.env"]],
        absent: [...NOTES, "system.md", "policy_integrity.json"],
        repositories: ["history"],
      },
    ],
  },
  {
    names: /^qwen/,
    state: [
      {
        folder: ".qwen",
        closed: [...EXTENSIONS, "locales", "channels", "bin", "tmp/bin"],
        files: { "settings.json": "{}\n", "trustedFolders.json": "{}\n", "QWEN.md": "" },
        firstOf: [[".env", "../.env"]],
        absent: [...NOTES, "system.md", "output-language.md", "memory.md"],
        repositories: ["history"],
      },
    ],
  },
  {
    names: /^opencode/,
    state: [
      {
        folder: ".local/share/opencode",
        movedBy: ["XDG_DATA_HOME", "opencode"],
        closed: ["bin"],
        mixed: { "auth.json": namesRemoteConfiguration },
        repositories: ["snapshot", "worktree"],
      },
      { folder: ".local/state/opencode", movedBy: ["XDG_STATE_HOME", "opencode"] },
      {
        folder: ".cache/opencode",
        movedBy: ["XDG_CACHE_HOME", "opencode"],
        closed: ["bin", "node_modules", "packages"],
        absent: ["package.json"],
        mixed: { "models.json": namesUnknownPackage },
      },
    ],
    needed: [{ folder: ".config/opencode", movedBy: ["XDG_CONFIG_HOME", "opencode"], file: ".gitignore" }],
    neededInProject: {
      folder: ".opencode",
      file: ".gitignore",
      content: "node_modules\npackage.json\npackage-lock.json\nbun.lock\n.gitignore\n",
    },
  },
  {
    names: /^cursor/,
    state: [
      {
        folder: ".cursor",
        closed: EXTENSIONS,
        absent: [...NOTES, ...list("cli-config.json mcp.json hooks.json argv.json permissions.json")],
      },
      { folder: ".config/cursor", movedBy: ["XDG_CONFIG_HOME", "cursor"] },
    ],
  },
  {
    names: /^copilot/,
    state: [
      {
        folder: ".copilot",
        movedBy: ["COPILOT_HOME"],
        closed: [...EXTENSIONS, "installed-plugins"],
        files: { "mcp-config.json": NO_SERVERS, "settings.json": "{}\n", "copilot-instructions.md": "" },
        absent: [...NOTES, "lsp-config.json", "permissions-config.json", "pkg"],
        mixed: { "config.json": governsBy(/trust|allow|den[iy]|hook|mcp|plugin|market|command|shell|instruct/i) },
      },
      { folder: ".cache/copilot", movedBy: ["XDG_CACHE_HOME", "copilot"], absent: ["pkg"] },
    ],
  },
  // Commands of the built-in agent have no state.
  { names: /^roundtable$/, state: [] },
];

const NOTHING_NEEDED = { folder: "", file: "", content: "" };

/** Possible locations for an agent that is not in the table; only existing ones. */
const USUAL = [".", ".config/", ".local/share/", ".local/state/", ".cache/"];
const USUALLY_ABSENT = [
  ...NOTES,
  ...list("bin settings.json config.json config.toml config.yaml mcp.json mcp-config.json hooks.json .env"),
];
/** Launchers of other programs, and folders that belong to no agent. */
const NOBODY = /^(?:ssh|docker|config|local|cache|npm|npx|node|bun|deno|python\d*|uvx?|bash|sh|env|git|roundtable)$/;

export interface UserEnvironment {
  readonly home: string;
  readonly env: Variables;
}

export interface KnownDirectory extends StateDirectory {
  readonly directory: string;
  /** Used only if it exists. */
  readonly isGuess?: boolean;
}

/** With absolute paths; guesses for an agent that is not in the table. */
export function directoriesOf(agent: string, userEnv: UserEnvironment): KnownDirectory[] {
  const name = path.basename(agent).toLowerCase();
  const known = entryOf(agent);
  if (known !== undefined) {
    return known.state.map((one) => Object.assign({ directory: statePath(one, userEnv) }, one));
  }
  if (!/^[a-z0-9][\w.-]*$/.test(name) || NOBODY.test(name)) return [];
  return USUAL.map((prefix) => {
    const folder = `${prefix}${name}`;
    const directory = path.join(userEnv.home, folder);
    return { folder, directory, isGuess: true, closed: EXTENSIONS, absent: USUALLY_ABSENT };
  });
}

/** Files that must exist outside of its state, with their directories; and in the project. */
export function neededBy(agent: string, userEnv: UserEnvironment): { directory: string; file: string }[] {
  return (entryOf(agent)?.needed ?? []).map((one) => ({ directory: statePath(one, userEnv), file: one.file }));
}

export function neededInProjectBy(agent: string): AgentDirectories["neededInProject"] {
  return entryOf(agent)?.neededInProject;
}

/** Whether a directory of a project holds nothing, or only what was made there for an agent. */
export function holdsOnlyNeeded(directory: string, names: readonly string[]): boolean {
  return names.every((name) =>
    AGENTS.some(({ neededInProject: { folder, file, content } = NOTHING_NEEDED }) => {
      const isIt = path.basename(directory) === folder && name === file;
      return isIt && readText(path.join(directory, file)) === content;
    }),
  );
}

/** Content of its main settings files. */
export function configurationOf(agent: string, userEnv: UserEnvironment): string {
  const files = (entryOf(agent)?.state ?? []).flatMap((one) =>
    Object.keys(one.files ?? {}).map((file) => path.join(statePath(one, userEnv), file)),
  );
  return files.map(readText).join("\n");
}

/** State directories of all known agents, existing or not. */
export function knownStateDirectories(userEnv: UserEnvironment): { names: RegExp; directory: string }[] {
  return AGENTS.flatMap(({ names, state, needed = [] }) =>
    [...state, ...needed].map((one) => ({ names, directory: statePath(one, userEnv) })),
  );
}

function entryOf(agent: string): AgentDirectories | undefined {
  return AGENTS.find(({ names }) => names.test(path.basename(agent).toLowerCase()));
}

function statePath(
  { folder, movedBy }: Pick<StateDirectory, "folder" | "movedBy">,
  { home, env }: UserEnvironment,
): string {
  const moved = movedBy === undefined ? undefined : env[movedBy[0]];
  if (moved !== undefined && path.isAbsolute(moved)) return path.join(moved, movedBy?.[1] ?? "");
  return path.join(home, folder);
}
