/**
 * Whether a member is logged in, as far as it can be told without asking its model: by the names of variables that are
 * set and of files that are there. No credential is read; of settings only whether a key is named in them.
 */
import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { readBeginning } from "../../kit/files/read-beginning.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { AgentProgram, CredentialFile, ProgramFacts } from "./agent-programs.ts";
import { isKeySet } from "./api-keys.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface LoginState {
  readonly state: "yes" | "no" | "unknown" | "not needed";
  /** The variable's name or the file's path by which it is known. */
  readonly by?: string;
}

/** Some programs leave an empty list behind when nobody is logged in any more; no credential is as short. */
const CREDENTIAL_BYTES_MIN = 16;
const ADDRESS = /_(BASE_)?URL$/;

export async function programLogin(program: AgentProgram, facts: ProgramFacts, env: Environment): Promise<LoginState> {
  const seen = program.variables.filter((name) => !ADDRESS.test(name));
  const variable = facts.keyLogin === undefined ? seen.find((name) => isKeySet(name, env)) : undefined;
  if (variable !== undefined) return { state: "yes", by: variable };
  for (const file of facts.credentials.map((one) => credentialPath(one, env))) {
    if (await holdsSomething(file)) return { state: "yes", by: file };
  }
  for (const { holds, ...one } of facts.settings ?? []) {
    const file = credentialPath(one, env);
    if (await hasInside(file, holds)) return { state: "yes", by: file };
  }
  const isHidden =
    (facts.otherWays ?? []).some((name) => isKeySet(name, env)) ||
    (facts.hidesLogin !== undefined && (await holdsSomething(credentialPath(facts.hidesLogin, env)))) ||
    facts.mayHideLogin === "everywhere" ||
    (facts.mayHideLogin === "on macOS" && process.platform !== "linux");
  return { state: isHidden ? "unknown" : "no" };
}

/** What to type to log in. */
export function logInCommand(facts: ProgramFacts, env: Environment): string {
  const { keyLogin, logIn } = facts;
  return keyLogin !== undefined && isKeySet(keyLogin.variable, env) ? keyLogin.command : logIn;
}

export function serverLogin(spec: MemberSpec, env: Environment): LoginState {
  const names = spec.env ?? [];
  const variable = names.find((name) => isKeySet(name, env));
  if (variable !== undefined) return { state: "yes", by: variable };
  if (names.length > 0) return { state: "no" };
  return { state: isThisMachine(spec.baseUrl) ? "not needed" : "unknown" };
}

function isThisMachine(baseUrl: string | undefined): boolean {
  const host = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : "";
  return host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);
}

function credentialPath({ movedBy, folder, file }: CredentialFile, env: Environment): string {
  const moved = movedBy === undefined ? "" : (env[movedBy] ?? "");
  const home = env["HOME"] ?? homedir();
  return path.join(path.isAbsolute(moved) ? moved : path.join(home, folder), file);
}

/** Settings are short; of a longer file only so much is looked at. */
const SETTINGS_BYTES_MAX = 256 * 1024;

async function hasInside(file: string, pattern: RegExp): Promise<boolean> {
  try {
    const { bytes } = await readBeginning(file, SETTINGS_BYTES_MAX);
    return pattern.test(new TextDecoder().decode(bytes));
  } catch {
    // Not there, no file or not for our eyes: then it tells nothing.
    return false;
  }
}

async function holdsSomething(file: string): Promise<boolean> {
  try {
    const stats = await stat(file);
    return stats.isFile() && stats.size >= CREDENTIAL_BYTES_MIN;
  } catch {
    // Not there, or not for our eyes: then it tells nothing.
    return false;
  }
}
