/**
 * The model and effort that an agent program is set to use, from its own settings in the home directory. Nothing is
 * started, and a file that cannot be read says nothing.
 */
import { parse } from "jsonc-parser";
import { readBeginning } from "../../kit/files/read-beginning.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import { type CredentialFile, programOf } from "./agent-programs.ts";
import { credentialPath } from "./login-state.ts";

export interface OwnModel {
  readonly model?: string;
  readonly effort?: string;
}

interface ModelSettings extends CredentialFile {
  readonly read: (text: string) => readonly [model: unknown, effort?: unknown];
}

const SETTINGS: Readonly<Record<string, ModelSettings>> = {
  claude: {
    movedBy: "CLAUDE_CONFIG_DIR",
    folder: ".claude",
    file: "settings.json",
    read: (text) => [fromJson(text, "model"), fromJson(text, "effortLevel")],
  },
  codex: {
    movedBy: "CODEX_HOME",
    folder: ".codex",
    file: "config.toml",
    read: (text) => [fromToml(text, "model"), fromToml(text, "model_reasoning_effort")],
  },
  gemini: {
    folder: ".gemini",
    file: "settings.json",
    read: (text) => [fromJson(text, "model", "name") ?? fromJson(text, "model")],
  },
  pi: {
    movedBy: "PI_CODING_AGENT_DIR",
    folder: ".pi/agent",
    file: "settings.json",
    read: (text) => [fromJson(text, "defaultModel"), fromJson(text, "defaultThinkingLevel")],
  },
};

const BYTES_MAX = 256 * 1024;
const NAME = /^[\w./:@[\]-]{1,80}$/;

export async function ownModel(spec: MemberSpec, env: Readonly<Record<string, string | undefined>>): Promise<OwnModel> {
  const settings = SETTINGS[programOf(spec)?.spec.name ?? ""];
  if (settings === undefined) return {};
  const text = await readSettings(credentialPath(settings, env));
  const [model, effort] = settings.read(text);
  return { ...(isName(model) ? { model } : {}), ...(isName(effort) ? { effort } : {}) };
}

async function readSettings(file: string): Promise<string> {
  try {
    return new TextDecoder().decode((await readBeginning(file, BYTES_MAX)).bytes);
  } catch {
    // Missing or not readable: the program decides.
    return "";
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && NAME.test(value);
}

function fromJson(text: string, ...path: readonly string[]): unknown {
  let value: unknown = parse(text, [], { allowTrailingComma: true });
  for (const key of path) value = (value as Record<string, unknown> | undefined)?.[key];
  return value;
}

/** A key before the first section. */
function fromToml(text: string, key: string): unknown {
  const [top = ""] = text.split(/^\s*\[/m);
  return new RegExp(`^\\s*${key}\\s*=\\s*["']([^"']*)["']`, "m").exec(top)?.[1];
}
