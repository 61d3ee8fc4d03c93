/** Imports of foreign files in this process, on a directory of their own, and what a person then reads. */
import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  findSessionsIn,
  importExternalSession,
  readTranscript,
  type ExternalImportResult,
} from "../../src/host/index.ts";
import type { MemberSpec } from "../../src/protocol/index.ts";
import { loadedMessages, type Block, type ShownMessage, type Transcript } from "../../src/transcript/index.ts";
import { externalFormats } from "../edge-parts.ts";
import { createScriptedAgent, SETTINGS } from "../host/scripted-agent.ts";

/** Stores of other programs, by name, in the tests of the edges that import them. */
const fixtures = new Map(
  globSync("edges/*/test/fixtures/*")
    .filter((file) => statSync(file).isDirectory())
    .map((file) => [path.basename(file), path.resolve(file)]),
);

export const recorded: readonly string[] = [...fixtures.keys()].sort();

export function fixtureOf(name: string): string {
  const directory = fixtures.get(name);
  if (directory === undefined) throw new Error(`No edge has a fixture ${name}.`);
  return directory;
}

export function newDirectory(): string {
  return mkdtempSync(path.join(tmpdir(), "rt-foreign-"));
}

/** A copy of a recorded store, so that it may be changed. */
export function copyOf(name: string): string {
  const directory = newDirectory();
  cpSync(fixtureOf(name), directory, { recursive: true });
  return directory;
}

export function fileOf(directory: string, ...parts: string[]): string {
  const file = path.join(directory, ...parts);
  mkdirSync(path.dirname(file), { recursive: true });
  return file;
}

export function writeLines(file: string, lines: readonly unknown[]): string {
  const text = lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`);
  writeFileSync(file, text.join(""));
  return file;
}

export interface BringOptions {
  readonly dataDir: string;
  readonly format?: string;
  readonly cwd?: string;
  readonly members?: readonly MemberSpec[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function bring(file: string, options: BringOptions): Promise<ExternalImportResult> {
  const { dataDir, cwd = "/", members = [], env = {} } = options;
  const name = options.format ?? (await findSessionsIn(file, externalFormats)).sessions[0]?.format;
  const format = externalFormats.find((one) => one.name === name);
  if (format === undefined) throw new Error(`${file} is nothing that can be imported.`);
  const nowhere = { CLAUDE_CONFIG_DIR: "/nowhere", CODEX_HOME: "/nowhere", PI_CODING_AGENT_DIR: "/nowhere" };
  const deps = { settings: SETTINGS, members, agentFactory: createScriptedAgent, env: { ...nowhere, ...env } };
  return await importExternalSession({ dataDir, format, path: file, cwd, ...deps });
}

/** What a person reads, a line each; ids, times and seqs are left out. */
export async function readBack(dataDir: string, sessionId: string): Promise<string[]> {
  return transcriptLines(await readTranscript(dataDir, sessionId));
}

export function transcriptLines(transcript: Transcript): string[] {
  return [...loadedMessages(transcript)].flatMap((message) => lines(message));
}

function lines(message: ShownMessage): string[] {
  const at = new Date(message.ts).toISOString();
  if (message.kind === "user") {
    const attached = message.attachments.map(({ name, blob }) => ` +${name} (${blob.bytes})`).join("");
    const answered = Object.entries(message.deliveries).map(([name, { state }]) => ` ${name}:${state}`);
    return [`${at} user: ${message.text}${attached}${answered.join("")}`];
  }
  if (message.kind === "notice") {
    const { type, ...rest } = message.event as unknown as Record<string, unknown>;
    if (type === "session_created") return [];
    return [`${at} ${String(type)}: ${textOf(rest)}`];
  }
  const { member, depth, model, usage, end } = message;
  const ending = [end?.outcome, end?.reason, end?.error?.message].filter((one) => one !== undefined).join(" ");
  const used = usage === undefined ? "" : ` [${usage.inputTokens} in, ${usage.outputTokens} out]`;
  const head = `${at} ${"  ".repeat(depth)}${member} (${model ?? "?"}) ${ending}${used}`;
  return [head, ...message.blocks.map((block) => `    ${"  ".repeat(depth)}${blockLine(block)}`)];
}

function textOf(event: Record<string, unknown>): string {
  const words = event["message"] ?? event["summary"];
  return typeof words === "string" ? words : "";
}

function blockLine(block: Block): string {
  switch (block.kind) {
    case "text":
      return `says${block.interrupted ? ", interrupted" : ""}: ${block.text}`;
    case "thinking":
      return `thinks: ${block.text}`;
    case "tool": {
      const { name, toolKind, title, state, result, error, diff } = block;
      const came = error === undefined ? result : `${error.code} ${error.message}`;
      return `${name} (${toolKind}) ${title ?? ""} → ${state}: ${came ?? ""}${diff === undefined ? "" : `\n${diff}`}`;
    }
    case "steering":
      return "is told more";
    case "subagent":
      return `sends ${block.name}: ${block.task} → ${block.outcome}: ${block.text ?? ""}`;
    case "exchange":
      return `asks ${block.to}: ${block.text} → ${block.answer?.text ?? ""}`;
    case "event":
      return `${block.event.type}: ${textOf({ ...block.event })}`;
    default:
      return block.kind;
  }
}

/** Every file below a directory with its bytes and the time of its last change. */
export function stateOf(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const file = path.join(parentPath, name);
      return [path.relative(directory, file), `${statSync(file).mtimeMs} ${readFileSync(file).toString("base64")}`];
    }),
  );
}
