/**
 * Codex: `sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, compressed after a while; archived ones lie flat.
 */
import { homedir } from "node:os";
import path from "node:path";
import * as codexSession from "./codex-session.ts";
import { type Environment, type ExternalFormat, findFiles, peekFile, readLines } from "../../../src/host/index.ts";
import { fieldOf, countOf, partOf } from "../../../src/kit/fields.ts";

const ROLLOUT = /^rollout-.+\.jsonl(?:\.zst)?$/;
const CHILDREN_MAX = 200;

export const codexFiles: ExternalFormat = {
  name: "codex",
  stores: (env) => [path.join(home(env), "sessions"), path.join(home(env), "archived_sessions")],
  isFile: (name) => ROLLOUT.test(name),
  recognise(_file, { values }) {
    const lines = codexSession.rolloutLines(values.map((value, at) => ({ number: at + 1, value })));
    const meta = lines.slice(0, 1).map(codexSession.metaOf)[0];
    if (meta === undefined || meta.isSubagent) return undefined;
    return {
      nativeId: meta.id,
      title: codexSession.titleOf(lines),
      cwd: meta.cwd,
      messages: countOf(values, isMessage),
    };
  },
  async read(file, { member }) {
    const read = (at: string) => readLines({ path: at, name: path.basename(at), select: codexSession.selectLine });
    const own = await read(file);
    const children = codexSession.hasChildren(own) ? await childrenOf(file) : [];
    return codexSession.readSession({ file: own, children: await Promise.all(children.map(read)) }, { member });
  },
};

function home(env: Environment): string {
  return env["CODEX_HOME"] || path.join(homedir(), ".codex");
}

function isMessage(value: unknown): boolean {
  const payload = partOf(value, "payload");
  const role = fieldOf(payload, "role");
  return role === "assistant" || role === "user";
}

/** Rollouts of the same month that name this one as their parent. */
async function childrenOf(file: string): Promise<string[]> {
  const own = await metaAt(file);
  if (own === undefined) return [];
  const { files } = await findFiles(path.dirname(path.dirname(file)), (name) => ROLLOUT.test(name));
  const children: string[] = [];
  for (const one of files) {
    if (children.length >= CHILDREN_MAX) break;
    if (one !== file && (await metaAt(one))?.parentId === own.id) children.push(one);
  }
  return children;
}

async function metaAt(file: string): Promise<codexSession.RolloutMeta | undefined> {
  const peek = await peekFile(file, (values) => values.length > 0);
  const [first] = codexSession.rolloutLines((peek?.values ?? []).slice(0, 1).map((value) => ({ number: 1, value })));
  return first === undefined ? undefined : codexSession.metaOf(first);
}
