/**
 * Trust record of project files. A project file can name programs to start, so it is used only with the exact content
 * that was trusted; any change needs trust again. The record is a 0600 file beside the user's configuration.
 */
import { createHash } from "node:crypto";
import { mkdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { writeFileAtomic } from "../../kit/files/atomic-file.ts";
import { readOwnFile } from "../../kit/files/own-file.ts";
import { configFailure } from "./read-config-file.ts";
import { configDirectory, type Environment } from "./paths.ts";

const Trusted = z.record(z.string(), z.string());

export function trustFile(env: Environment): string {
  return join(configDirectory(env), "trusted.json");
}

export function isTrusted(file: string, text: string, env: Environment): boolean {
  return readTrusted(env)[realpathSync(file)] === hash(text);
}

export async function trust(file: string, text: string, env: Environment): Promise<void> {
  const record = trustFile(env);
  mkdirSync(dirname(record), { recursive: true, mode: 0o700 });
  const trusted = { ...readTrusted(env), [realpathSync(file)]: hash(text) };
  await writeFileAtomic(record, `${JSON.stringify(trusted, null, 2)}\n`);
}

function readTrusted(env: Environment): Readonly<Record<string, string>> {
  const record = trustFile(env);
  let text: string;
  try {
    text = readOwnFile(record);
  } catch (error) {
    // No record yet: nothing is trusted.
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw configFailure(`cannot read the list of trusted projects ${record}`, "Make it readable or delete it");
  }
  try {
    return Trusted.parse(JSON.parse(text));
  } catch {
    throw configFailure(`the list of trusted projects ${record} is damaged`, "Delete it and trust your projects again");
  }
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
