/**
 * Changes of the user's configuration file from the page's settings. Comments and layout stay. Only a few keys can be
 * changed: nothing that starts a program, moves a key or weakens the sandbox.
 */
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { applyEdits, modify, type JSONPath } from "jsonc-parser";
import { Failure } from "../../kit/failure.ts";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { RoundtableError, type AgentKind, type Verdict } from "../../protocol/index.ts";
import { userConfigFile, type Environment } from "./paths.ts";
import { parseConfig, readText } from "./read-config-file.ts";
import type { ConfigFile } from "./schema.ts";

export interface MemberChange {
  readonly member: string;
  readonly key: "model" | "effort";
  /** Null removes the key. */
  readonly value: string | null;
  /** For a detected agent without configuration. */
  readonly kind: AgentKind;
  /** Default members: configuring one agent must not drop the others. */
  readonly defaultMembers: readonly string[];
}

type Edit = (file: ConfigFile) => readonly { readonly path: JSONPath; readonly value: unknown }[];

export async function changeMember(env: Environment, change: MemberChange): Promise<void> {
  const { member, key, value, kind, defaultMembers } = change;
  await edit(env, ({ agents = {}, council = {} }) => {
    if (Object.hasOwn(agents, member)) return [{ path: ["agents", member, key], value: value ?? undefined }];
    if (value === null) return [];
    const isNamed = council.members !== undefined || Object.keys(agents).length > 0;
    return [
      ...(isNamed ? [] : [{ path: ["council", "members"], value: [...defaultMembers] }]),
      { path: ["agents", member], value: { kind, [key]: value } },
    ];
  });
}

/** Members of a new session. */
export async function setMembers(env: Environment, members: readonly string[]): Promise<void> {
  await edit(env, () => [{ path: ["council", "members"], value: [...members] }]);
}

export async function addRule(env: Environment, verdict: Verdict, rule: string): Promise<void> {
  await edit(env, ({ approvals = {} }) => {
    const rules = approvals[verdict] ?? [];
    if (rules.includes(rule)) return [];
    return [{ path: ["approvals", verdict], value: [...rules, rule] }];
  });
}

export async function removeRule(env: Environment, verdict: Verdict, rule: string): Promise<void> {
  await edit(env, ({ approvals = {} }) => {
    const at = (approvals[verdict] ?? []).indexOf(rule);
    if (at < 0) throw new RoundtableError("bad_command", `There is no rule "${rule}" in ${userConfigFile(env)}.`);
    return [{ path: ["approvals", verdict, at], value: undefined }];
  });
}

/** Serialized: each change starts from the previous result. */
let last: Promise<void> = Promise.resolve();

function edit(env: Environment, make: Edit): Promise<void> {
  const done = last.then(() => editFile(userConfigFile(env), make));
  last = done.catch(() => undefined);
  return done;
}

async function editFile(file: string, make: Edit): Promise<void> {
  try {
    const before = existsSync(file) ? readText(file) : "";
    const edits = make(parseConfig(before, file).value);
    const after = edits.reduce(
      (text, { path, value }) =>
        applyEdits(
          text,
          modify(text, path, value, { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } }),
        ),
      before.trim() === "" ? "{}\n" : before,
    );
    if (edits.length === 0) return;
    // A change that would make the file invalid is not written.
    parseConfig(after, file);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFileAtomic(file, after, { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new RoundtableError("bad_command", `${error.message}.`, {
      ...(error.hint === undefined ? {} : { hint: error.hint }),
      cause: error,
    });
  }
}
