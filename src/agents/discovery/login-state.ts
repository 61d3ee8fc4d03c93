/**
 * Login state without asking a model: by variables that are set and files that exist. Credentials are not read;
 * settings only for whether they name a key.
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
  /** Name of the variable or path of the file. */
  readonly by?: string;
}

/** Some programs leave an empty list after logout; no credential is this short. */
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

export function credentialPath({ movedBy, folder, file }: CredentialFile, env: Environment): string {
  const moved = movedBy === undefined ? "" : (env[movedBy] ?? "");
  const home = env["HOME"] ?? homedir();
  return path.join(path.isAbsolute(moved) ? moved : path.join(home, folder), file);
}

/** Only the beginning of a longer file is read. */
const SETTINGS_BYTES_MAX = 256 * 1024;

async function hasInside(file: string, pattern: RegExp): Promise<boolean> {
  try {
    const { bytes } = await readBeginning(file, SETTINGS_BYTES_MAX);
    return pattern.test(new TextDecoder().decode(bytes));
  } catch {
    // Missing, not a file or not readable: unknown.
    return false;
  }
}

async function holdsSomething(file: string): Promise<boolean> {
  try {
    const stats = await stat(file);
    return stats.isFile() && stats.size >= CREDENTIAL_BYTES_MIN;
  } catch {
    // Missing or not readable: unknown.
    return false;
  }
}
