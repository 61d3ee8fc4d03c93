/**
 * sprout: `projects/<directory>/sessions/<id>.meta.json` and `logs/<id>.jsonl` in its genome, or `sessions/` and
 * `logs/` right there; logs of delegated agents below `logs/<id>/`.
 */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as sproutSession from "./session/sprout-session.ts";
import { isUlid } from "../../src/kit/ids.ts";
import { findFiles, type Environment, type ExternalFormat, readLines } from "../../src/host/index.ts";
import { countOf, fieldOf, partOf } from "../../src/kit/fields.ts";

const CHILDREN_MAX = 1_000;
const META_BYTES_MAX = 64 * 1024;
/** The program's own data, not the conversation. */
const DIAGNOSTICS = "session.log.jsonl";

export const sproutFiles: ExternalFormat = {
  name: "sprout",
  stores: (env) => {
    const genome = genomeOf(env);
    return [
      path.join(genome, "projects"),
      path.join(genome, "logs"),
      path.join(path.dirname(genome), "sprout-sessions"),
    ];
  },
  storesOf(env, cwd) {
    const directories = new Set([repositoryOf(cwd) ?? cwd, cwd]);
    return [...directories].map((directory) =>
      path.join(genomeOf(env), "projects", directory.replaceAll(/[/\s]/g, "-"), "logs"),
    );
  },
  isFile: (name) => name.endsWith(".jsonl") && isUlid(path.basename(name, ".jsonl").toUpperCase()),
  recognise(file, { values }) {
    const lines = sproutSession.sproutLines(values.map((value, at) => ({ number: at + 1, value })));
    const isOwn = lines.some(({ depth, kind }) => depth === 0 && (kind === "perceive" || kind === "session_start"));
    const hasForm = fieldOf(values[0], "agent_id") !== undefined && partOf(values[0], "depth") !== undefined;
    if (!isOwn || !hasForm) return undefined;
    const messages = countOf(values, (value) =>
      ["perceive", "plan_end", "steering"].includes(fieldOf(value, "kind") ?? ""),
    );
    return { nativeId: path.basename(file, ".jsonl"), title: sproutSession.titleOf(lines), messages };
  },
  async read(file) {
    const nativeId = path.basename(file, ".jsonl");
    const below = path.join(path.dirname(file), nativeId);
    const read = (at: string, name: string) => readLines({ path: at, name, select: sproutSession.selectLine });
    const { files } = await findChildLogs(below);
    const children: sproutSession.ChildLog[] = [];
    for (const at of files.slice(0, CHILDREN_MAX)) {
      const name = path.join(nativeId, path.relative(below, at));
      children.push({ id: path.basename(at, ".jsonl"), file: await read(at, name) });
    }
    const meta = await metaOf(file, nativeId);
    return sproutSession.readSession({ nativeId, file: await read(file, path.basename(file)), children, meta });
  },
};

/** Projects are named after the root of their repository. */
function repositoryOf(cwd: string): string | undefined {
  for (let at = cwd; ; at = path.dirname(at)) {
    if (existsSync(path.join(at, ".git"))) return at;
    if (at === path.dirname(at)) return undefined;
  }
}

/** At any depth. */
async function findChildLogs(below: string): Promise<{ files: readonly string[] }> {
  const isLog = (name: string): boolean => name.endsWith(".jsonl") && name !== DIAGNOSTICS;
  return await findFiles(below, isLog, { into: ["subagents"] });
}

function genomeOf(env: Environment): string {
  const data = env["XDG_DATA_HOME"] || path.join(homedir(), ".local", "share");
  return env["SPROUT_GENOME_PATH"] || path.join(data, "sprout-genome");
}

/** Beside the logs, or, in the oldest layout, among them. */
async function metaOf(file: string, nativeId: string): Promise<unknown> {
  const logs = path.dirname(file);
  for (const directory of [path.join(path.dirname(logs), "sessions"), logs]) {
    try {
      const text = await readFile(path.join(directory, `${nativeId}.meta.json`), "utf8");
      if (text.length <= META_BYTES_MAX) return JSON.parse(text) as unknown;
    } catch {
      // It is rewritten in place and may be partial or missing; the log is sufficient.
    }
  }
  return undefined;
}
