/** First screen of a new session beside its members: their origin, other available agents, suggested questions. */
import type { Findings } from "../../agents/index.ts";
import type { MemberSpec } from "../../protocol/index.ts";
import type { ScreenOptions } from "../../tui/index.ts";
import type { LoadedConfig } from "../config/load-config.ts";
import { isFirstStart } from "../members/resolver.ts";

export type Welcome = Awaited<ReturnType<NonNullable<ScreenOptions["welcome"]>>>;

type OtherAgent = Welcome["others"][number];

/** Missing agents, the best known first. */
const OTHERS = ["claude", "codex", "gemini", "pi"];
const OTHERS_MAX = 3;

const LOCAL = /^https?:\/\/(?:127\.|localhost\b|\[::1\])/;

export interface WelcomeDeps {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly loaded: Pick<LoadedConfig, "config" | "cwd">;
}

export async function readWelcome(members: readonly MemberSpec[], deps: WelcomeDeps): Promise<Welcome> {
  const { dataDir, env, loaded } = deps;
  const { config, cwd } = loaded;
  const [{ ownModel }, { describeFolder }, { readGuards }] = await Promise.all([
    import("../../agents/index.ts"),
    import("../../host/index.ts"),
    import("../commands/agents/guard-report.ts"),
  ]);
  const guards = readGuards(loaded);
  const isFirst = isFirstStart(dataDir);
  const [described, others, { suggestions }] = await Promise.all([
    Promise.all(
      members.map(async (spec) => {
        const source = sourceOf(spec, Object.hasOwn(config.agents, spec.name));
        const isSandboxed = (await guards).of(spec)?.kind === "sandbox";
        return [spec.name, { ...(await ownModel(spec, env)), source, isSandboxed }] as const;
      }),
    ),
    isFirst ? otherAgents(members, { env, cwd }) : [],
    describeFolder(cwd, members),
  ]);
  return { isFirst, members: Object.fromEntries(described), others, questions: suggestions };
}

function sourceOf(spec: MemberSpec, isConfigured: boolean): string {
  if (spec.kind === "embedded") return "built in; no model, key or network needed";
  if (isConfigured) return "from your configuration";
  return spec.kind === "openai" ? `at ${spec.baseUrl ?? "its default address"}` : "found on your PATH";
}

async function otherAgents(
  members: readonly MemberSpec[],
  { env, cwd }: Pick<WelcomeDeps, "env"> & Pick<LoadedConfig, "cwd">,
): Promise<OtherAgent[]> {
  const { absentAgents, findAgents } = await import("../../agents/index.ts");
  const findings = await findAgents({ env, cwd });
  const found = findings.agents.map(({ spec }) => spec);
  const absent = absentAgents([...members, ...found]);
  const missing = OTHERS.flatMap((name) => absent.filter((agent) => agent.name === name)).map(({ name, command }) => ({
    name,
    state: "not found",
    command,
    does: "installs it",
  }));
  return [...loggedOut(findings, members), ...missing.slice(0, OTHERS_MAX), ...localModel([...members, ...found])];
}

function loggedOut({ agents }: Findings, members: readonly MemberSpec[]): OtherAgent[] {
  return agents.flatMap(({ spec, logIn, isSupported }) =>
    logIn === undefined || !isSupported || members.some(({ name }) => name === spec.name)
      ? []
      : [{ name: spec.name, state: "not logged in", command: logIn, does: "in another terminal, then start again" }],
  );
}

function localModel(present: readonly MemberSpec[]): OtherAgent[] {
  if (present.some(({ baseUrl = "" }) => LOCAL.test(baseUrl))) return [];
  return [
    {
      name: "a local model",
      state: "",
      command: "roundtable agents",
      does: "shows how to start Ollama, llama.cpp or a compatible server",
    },
  ];
}
