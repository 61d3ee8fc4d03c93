/**
 * Directories that each agent writes in the home directory, and what of them stays read-only: a hook, a tool server or
 * a program planted there would run outside the sandbox the next time. One table; drivers only name their agent.
 */
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import type { AccessMap } from "./access-map.ts";

type Variables = Readonly<Record<string, string | undefined>>;

interface StateDirectory {
  /** Relative to the home directory. */
  readonly folder: string;
  /** Variable that moves it, and the path below its value. */
  readonly movedBy?: readonly [variable: string, below?: string];
  /** Directories that stay read-only; created when missing. */
  readonly closed?: readonly string[];
  /** Files that stay read-only; created with this content when missing. */
  readonly closedFiles?: Readonly<Record<string, string>>;
  /** Files that stay read-only if they exist. */
  readonly closedIfThere?: readonly string[];
  /** Empty and read-only: settings that would let the agent act unasked, and that nothing else turns off. */
  readonly hidden?: readonly string[];
  /** Empty and private to this process: what other processes of the agent read or listen to. */
  readonly own?: readonly string[];
}

interface AgentDirectories {
  readonly names: RegExp;
  readonly state: readonly StateDirectory[];
  /** Files that the agent writes when they are missing, and fails if it cannot. */
  readonly needed?: readonly (Pick<StateDirectory, "folder" | "movedBy"> & { readonly file: string })[];
  /** The same in a folder of the project, if that exists; removed again. */
  readonly neededInProject?: { readonly folder: string; readonly file: string; readonly content: string };
}

const list = (text: string): string[] => text.trim().split(/\s+/);
const EXTENSIONS = list("hooks commands agents skills plugins extensions rules prompts");
const NOTES = list("AGENTS.md AGENTS.override.md CLAUDE.md GEMINI.md");

const AGENTS: readonly AgentDirectories[] = [
  {
    names: /^claude/,
    state: [
      {
        folder: ".claude",
        movedBy: ["CLAUDE_CONFIG_DIR"],
        closed: [...EXTENSIONS, "output-styles", "workflows"],
        closedFiles: { "settings.json": "{}\n", "CLAUDE.md": "" },
        closedIfThere: ["settings.local.json", ".claude.json", ".mcp.json", "keybindings.json", "local"],
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
        closedFiles: { "config.toml": "", "AGENTS.md": "", "hooks.json": "{}\n" },
        closedIfThere: ["AGENTS.override.md", "managed_config.toml", "requirements.toml", "packages", "bin"],
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
        closed: [...EXTENSIONS, "themes", "tools", "bin"],
        closedFiles: { "settings.json": "{}\n", "models.json": '{ "providers": {} }\n', "AGENTS.md": "" },
        closedIfThere: ["CLAUDE.md", "mcp.json", "keybindings.json", "SYSTEM.md", "APPEND_SYSTEM.md", "npm", "git"],
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
        closed: [...EXTENSIONS, "policies"],
        closedFiles: { "settings.json": "{}\n", "trustedFolders.json": "{}\n", "GEMINI.md": "" },
        closedIfThere: [...NOTES, ".env", "trusted_hooks.json", "system.md", "tmp/bin"],
      },
    ],
  },
  {
    names: /^qwen/,
    state: [
      {
        folder: ".qwen",
        closed: EXTENSIONS,
        closedFiles: { "settings.json": "{}\n" },
        closedIfThere: [...NOTES, "QWEN.md", ".env", "trustedFolders.json", "tmp/bin"],
      },
    ],
  },
  {
    names: /^opencode/,
    state: [
      { folder: ".local/share/opencode", movedBy: ["XDG_DATA_HOME", "opencode"], closed: ["bin"] },
      { folder: ".local/state/opencode", movedBy: ["XDG_STATE_HOME", "opencode"] },
      {
        folder: ".cache/opencode",
        movedBy: ["XDG_CACHE_HOME", "opencode"],
        closed: ["bin", "node_modules", "packages"],
        closedIfThere: ["package.json"],
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
        closedIfThere: [...NOTES, "cli-config.json", "mcp.json", "hooks.json", "argv.json", "permissions.json"],
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
        closedIfThere: [
          ...NOTES,
          "mcp-config.json",
          "lsp-config.json",
          "settings.json",
          "copilot-instructions.md",
          "pkg",
        ],
      },
      { folder: ".cache/copilot", movedBy: ["XDG_CACHE_HOME", "copilot"], closedIfThere: ["pkg"] },
    ],
  },
  // Commands of the built-in agent have no state.
  { names: /^roundtable$/, state: [] },
];

/** Possible locations for an agent that is not in the table; only existing ones. */
const USUAL = [".", ".config/", ".local/share/", ".local/state/", ".cache/"];
const USUALLY_CLOSED = [
  ...EXTENSIONS,
  ...NOTES,
  ...list("bin settings.json config.json config.toml config.yaml mcp.json mcp-config.json hooks.json .env"),
];
/** Launchers of other programs, and folders that belong to no agent. */
const NOBODY = /^(?:ssh|docker|config|local|cache|npm|npx|node|bun|deno|python\d*|uvx?|bash|sh|env|git|roundtable)$/;

export interface UserEnvironment {
  readonly home: string;
  readonly env: Variables;
}

/**
 * Opens what the agent needs and closes its configuration; creates what must exist to be opened or closed. Returns a
 * function that restores links that were replaced meanwhile: nothing can be mounted on a link itself.
 */
export function setAgentPaths(access: AccessMap, agent: string, userEnv: UserEnvironment): () => void {
  const links: Link[] = [];
  const name = path.basename(agent).toLowerCase();
  const known = AGENTS.find(({ names }) => names.test(name));
  if (known === undefined) {
    setUsualPaths(access, name, userEnv);
    return () => {};
  }
  for (const state of known.state) {
    const directory = statePath(state, userEnv);
    make(directory);
    access.set(directory, "write");
    for (const folder of state.closed ?? []) make(path.join(directory, folder));
    for (const [file, content] of Object.entries(state.closedFiles ?? {})) write(path.join(directory, file), content);
    const closed = [...(state.closed ?? []), ...Object.keys(state.closedFiles ?? {}), ...(state.closedIfThere ?? [])];
    const emptied = [
      ...(state.own ?? []).map((folder) => ({ folder, as: "private" as const })),
      ...(state.hidden ?? []).map((folder) => ({ folder, as: "hidden" as const })),
    ];
    for (const { folder, as } of emptied) {
      make(path.join(directory, folder));
      access.close(path.join(directory, folder), as);
    }
    for (const one of closed) access.close(path.join(directory, one));
    links.push(...closed.flatMap((one) => linkAt(path.join(directory, one))));
  }
  for (const needed of known.needed ?? []) {
    make(statePath(needed, userEnv));
    write(path.join(statePath(needed, userEnv), needed.file), "");
  }
  return () => links.splice(0).forEach(putBack);
}

interface Link {
  readonly file: string;
  readonly target: string;
}

function linkAt(file: string): Link[] {
  try {
    return [{ file, target: readlinkSync(file) }];
  } catch {
    // Not a link.
    return [];
  }
}

/** What took its name is set aside, where no agent reads it. */
function putBack({ file, target }: Link): void {
  if (linkAt(file)[0]?.target === target) return;
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) renameSync(file, `${file}.replaced-${Date.now()}`);
    symlinkSync(target, file);
  } catch {
    // Another process was faster.
  }
}

/** Returns a function that removes the files that were created in the directories. */
export function makeProjectFiles(agent: string, directories: readonly string[]): () => void {
  const needed = AGENTS.find(({ names }) => names.test(path.basename(agent).toLowerCase()))?.neededInProject;
  if (needed === undefined) return () => {};
  const files = directories.map((directory) => path.join(directory, needed.folder, needed.file));
  const made = files.filter((file) => write(file, needed.content));
  return () => {
    for (const file of made.splice(0)) remove(file, needed.content);
  };
}

/** Content of its main settings file. */
export function configurationOf(agent: string, userEnv: UserEnvironment): string {
  const state = AGENTS.find(({ names }) => names.test(path.basename(agent).toLowerCase()))?.state ?? [];
  const files = state.flatMap((one) =>
    Object.keys(one.closedFiles ?? {}).map((file) => path.join(statePath(one, userEnv), file)),
  );
  return files.map(readText).join("\n");
}

/** State directories of all known agents, existing or not. */
export function knownStateDirectories(userEnv: UserEnvironment): { names: RegExp; directory: string }[] {
  return AGENTS.flatMap(({ names, state, needed = [] }) =>
    [...state, ...needed].map((one) => ({ names, directory: statePath(one, userEnv) })),
  );
}

function setUsualPaths(access: AccessMap, name: string, { home }: UserEnvironment): void {
  if (!/^[a-z0-9][\w.-]*$/.test(name) || NOBODY.test(name)) return;
  for (const folder of USUAL) {
    const directory = path.join(home, `${folder}${name}`);
    access.set(directory, "write");
    for (const closed of USUALLY_CLOSED) access.close(path.join(directory, closed));
  }
}

function statePath(
  { folder, movedBy }: Pick<StateDirectory, "folder" | "movedBy">,
  { home, env }: UserEnvironment,
): string {
  const moved = movedBy === undefined ? undefined : env[movedBy[0]];
  if (moved !== undefined && path.isAbsolute(moved)) return path.join(moved, movedBy?.[1] ?? "");
  return path.join(home, folder);
}

function make(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch {
    // A file of that name, or a full disk: the agent itself reports what it cannot do without it.
  }
}

function write(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: "wx", mode: 0o600 });
    return true;
  } catch {
    // It exists, which is enough; or its folder does not, and then it is not needed.
    return false;
  }
}

function remove(file: string, content: string): void {
  if (readText(file) === content) rmSync(file, { force: true });
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // Missing, or not readable.
    return "";
  }
}
