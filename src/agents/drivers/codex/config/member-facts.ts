/**
 * Facts about a server and Codex's own settings that are needed before a member's thread is opened: how the thread is
 * restricted, and what then guards the member.
 */
import path from "node:path";
import type { Guard } from "../../../../protocol/index.ts";
import { recordOf, type Fields } from "../../../json-rpc/fields.ts";
import { isRecord } from "../../../json-rpc/messages.ts";
import { notesText, readProjectNotes } from "../../../tools/project-notes.ts";
import type { Known } from "../../../process/dialect.ts";
import {
  externalRules,
  inspectProject,
  isProjectConfigIgnored,
  narrowConfig,
  type ThreadConfig,
} from "./thread-config.ts";
import type { RunningServer } from "../server/running-server.ts";

export interface MemberFacts {
  readonly isSandboxed: boolean;
  /** Every command and change of its thread needs approval. */
  readonly hasToAsk: boolean;
  readonly config: ThreadConfig;
  /** Notes of the project for agents, where Codex does not read them itself. */
  readonly notes: string | undefined;
  /** Without our sandbox. */
  readonly guard: { readonly guard: Guard; readonly detail: string };
  /** Rules that no sandbox hides. */
  readonly rules: string | undefined;
}

export interface CodexKnown extends Known {
  readonly facts?: MemberFacts;
}

export interface MemberContext {
  /** Real path. */
  readonly cwd: string;
  readonly isWritable: boolean;
  readonly env: Readonly<Record<string, string>>;
  readonly isSandboxed: boolean;
}

const READ_MS = 10_000;

/** Never rejects. */
export async function learnFacts(server: RunningServer, context: MemberContext): Promise<MemberFacts> {
  const { cwd, isWritable, isSandboxed } = context;
  const config = await readConfig(server, cwd);
  const home = codexHome(context.env);
  const project = inspectProject(cwd, home);
  const rules = externalRules(home, isSandboxed);
  const isWithout = isProjectConfigIgnored(config ?? {}, project);
  return {
    isSandboxed,
    hasToAsk: isWritable || isSandboxed,
    config: narrowConfig(config ?? {}, project, isWritable),
    notes: isWithout ? notesText(await readProjectNotes(cwd, () => true)) : undefined,
    guard: guardOf({
      isWritable,
      rules,
      isConfigKnown: config !== undefined,
      noSandbox: isWritable || isSandboxed ? undefined : await server.whyNoOwnSandbox(),
    }),
    rules,
  };
}

interface GuardFacts {
  readonly isWritable: boolean;
  readonly rules: string | undefined;
  readonly isConfigKnown: boolean;
  readonly noSandbox: string | undefined;
}

function guardOf({ isWritable, rules, isConfigKnown, noSandbox }: GuardFacts): MemberFacts["guard"] {
  const unguarded = (detail: string) => ({ guard: "unguarded" as const, detail });
  if (rules !== undefined) return unguarded(`commands that ${rules} allows run without asking`);
  if (!isConfigKnown) return unguarded("Codex does not report its settings, so it is unknown what it asks about");
  if (isWritable) return { guard: "asks_first", detail: "it asks before each command and change" };
  if (noSandbox === undefined) return { guard: "own_mode", detail: "Codex's own read-only sandbox" };
  return unguarded(`Codex's own sandbox does not work here: ${noSandbox}`);
}

async function readConfig(server: RunningServer, cwd: string): Promise<Fields | undefined> {
  const answer = await server.call("config/read", { cwd, includeLayers: false }, READ_MS);
  if (answer?.kind !== "result" || !isRecord(answer.result)) return undefined;
  return recordOf(answer.result, "config");
}

function codexHome({ CODEX_HOME, HOME = "/" }: Readonly<Record<string, string>>): string {
  return CODEX_HOME !== undefined && CODEX_HOME !== "" ? CODEX_HOME : path.join(HOME, ".codex");
}
