/** Claude Code: `projects/<directory>/<session>.jsonl`, subagents in `<session>/subagents/` or beside it. */
import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as claudeSession from "./claude-session.ts";
import { type Environment, type ExternalFormat, peekFile, readLines } from "../../../src/host/index.ts";
import { fieldOf, countOf, firstOf } from "../../../src/kit/fields.ts";

const AGENT_FILE = /^agent-(.+)\.jsonl$/;
const SUBAGENTS_MAX = 1_000;
const META_BYTES_MAX = 64 * 1024;

export const claudeFiles: ExternalFormat = {
  name: "claude",
  stores: (env) => [projects(env)],
  storesOf: (env, cwd) => [path.join(projects(env), cwd.replaceAll(/[^a-zA-Z0-9]/g, "-"))],
  isFile: (name) => name.endsWith(".jsonl") && !AGENT_FILE.test(name),
  recognise(file, { values }) {
    if (AGENT_FILE.test(path.basename(file))) return undefined;
    const isOwn = (value: unknown): boolean =>
      fieldOf(value, "sessionId") !== undefined &&
      fieldOf(value, "uuid") !== undefined &&
      ["user", "assistant"].includes(fieldOf(value, "type") ?? "");
    if (!values.some(isOwn)) return undefined;
    const lines = values.map((value, at) => ({ number: at + 1, value }));
    const title = claudeSession.titleOf({ file: { name: "", lines, damaged: [] } });
    const cwd = firstOf(values, "cwd");
    return { nativeId: path.basename(file, ".jsonl"), title, cwd, messages: countOf(values, isOwn) };
  },
  async read(file, { member }) {
    const nativeId = path.basename(file, ".jsonl");
    const read = (at: string) => readLines({ path: at, name: path.basename(at), select: claudeSession.selectLine });
    const subagents: claudeSession.SubagentFile[] = [];
    for (const { agentId, at } of await subagentFiles(file, nativeId)) {
      subagents.push({ agentId, file: await read(at), meta: await metaBeside(at) });
    }
    return claudeSession.readSession({ nativeId, file: await read(file), subagents }, { member });
  },
};

function projects(env: Environment): string {
  return path.join(env["CLAUDE_CONFIG_DIR"] || path.join(homedir(), ".claude"), "projects");
}

interface AgentFile {
  readonly agentId: string;
  readonly at: string;
}

/** Files of this session: below it, or, in older versions, among the sessions of the directory. */
async function subagentFiles(file: string, nativeId: string): Promise<AgentFile[]> {
  const own = await agentFilesIn(path.join(path.dirname(file), nativeId, "subagents"));
  const beside: AgentFile[] = [];
  for (const one of await agentFilesIn(path.dirname(file))) {
    const peek = await peekFile(one.at);
    if (peek?.values.some((value) => fieldOf(value, "sessionId") === nativeId)) beside.push(one);
  }
  return [...own, ...beside].slice(0, SUBAGENTS_MAX);
}

async function agentFilesIn(directory: string): Promise<AgentFile[]> {
  const names = (await readdir(directory).catch(() => []))
    .sort((one, other) => (one < other ? -1 : 1))
    .slice(0, SUBAGENTS_MAX);
  return names.flatMap((name) => {
    const agentId = AGENT_FILE.exec(name)?.[1];
    return agentId === undefined ? [] : [{ agentId, at: path.join(directory, name) }];
  });
}

async function metaBeside(file: string): Promise<unknown> {
  try {
    const text = await readFile(file.replace(/\.jsonl$/, ".meta.json"), "utf8");
    return text.length > META_BYTES_MAX ? undefined : (JSON.parse(text) as unknown);
  } catch {
    // Older versions have none; the subagent is then identified by its prompt.
    return undefined;
  }
}
