/** Members and settings of a session that a program on stdio opens, as configured for its directory. */
import { AgentKind, type MemberSpec } from "../../protocol/index.ts";
import type { findAgents } from "../../agents/index.ts";
import type { SessionTemplate, TemplateRequest } from "../../edge/index.ts";
import type { Setting } from "../config/environment.ts";
import { loadConfig } from "../config/load-config.ts";
import { embeddedMembers } from "../edges.ts";
import { noteLine, usageFailure, type Failure } from "../../kit/failure.ts";
import { knownMembers, sessionSettings } from "../members/members.ts";
import { createMemberResolver } from "../members/resolver.ts";
import { note } from "../terminal/stdout.ts";

export interface TemplateOptions extends TemplateRequest {
  readonly dataDir: string;
  /** Configuration keys from the command line. */
  readonly overrides: readonly Setting[];
}

/** The provider that names members of the session: `roundtable:claude+codex`. */
const ROUNDTABLE_PROVIDER = "roundtable";
/** Provider names of other programs, by agent kind. */
const KIND_OF_PROVIDER: Readonly<Record<string, AgentKind>> = { anthropic: "claude" };

export async function createTemplate(request: TemplateOptions): Promise<SessionTemplate> {
  const { cwd, dataDir, systemPrompt, overrides } = request;
  const loaded = loadConfig({ cwd, env: process.env, overrides });
  for (const warning of loaded.warnings) note(noteLine(warning));
  const resolver = createMemberResolver({ loaded, env: process.env, dataDir });
  const { findAgents } = await import("../../agents/index.ts");
  const usual = await resolver.members();
  const known = new Map([
    ...knownMembers(loaded.config, embeddedMembers),
    ...usual.map((one) => [one.name, one] as const),
  ]);
  const members = membersFor(request, usual, [...known.values()]);
  const stranger = members.find((one) => known.get(one.name) !== one && one.baseUrl === undefined);
  if (stranger !== undefined && !(await isHere(stranger, findAgents))) {
    throw unknownModel(`there is no ${stranger.kind} on this machine for model "${stranger.model}"`, known.values());
  }
  const settings = sessionSettings(loaded.config, members);
  return {
    cwd,
    title: "New session",
    members,
    settings: systemPrompt === undefined || systemPrompt === "" ? settings : { ...settings, prompt: systemPrompt },
    known: [...known.values()],
  };
}

function membersFor(
  { model, baseUrl }: TemplateRequest,
  usual: MemberSpec[],
  known: readonly MemberSpec[],
): MemberSpec[] {
  if (model === undefined || model === "") return usual;
  const colon = model.indexOf(":");
  if (colon < 1) throw usageFailure(`invalid model "${model}"`, "Give provider:model_id");
  const provider = model.slice(0, colon);
  const id = model.slice(colon + 1);
  if (provider === ROUNDTABLE_PROVIDER) return namedMembers(id, usual, known);
  const configured = known.find(
    (one) => [one.name, one.kind].includes(provider) && [one.model, one.name].includes(id) && baseUrl === undefined,
  );
  if (configured !== undefined) return [configured];
  const kind = AgentKind.safeParse(KIND_OF_PROVIDER[provider] ?? provider).data;
  if (kind === undefined || kind === "acp" || kind === "embedded" || id === "") {
    throw unknownModel(`unknown model "${id}" for provider "${provider}"`, known);
  }
  return [{ name: kind, kind, model: id, ...(baseUrl === undefined ? {} : { baseUrl }) }];
}

/** Detected, or not examined in time. */
async function isHere({ kind }: MemberSpec, find: typeof findAgents): Promise<boolean> {
  const { agents, unanswered } = await find({ env: process.env });
  return unanswered.length > 0 || agents.some((one) => one.isSupported && one.spec.kind === kind);
}

function unknownModel(message: string, known: Iterable<MemberSpec>): Failure {
  return usageFailure(message, `Known: ${[...known].map((one) => `${ROUNDTABLE_PROVIDER}:${one.name}`).join(", ")}`);
}

function namedMembers(id: string, usual: MemberSpec[], known: readonly MemberSpec[]): MemberSpec[] {
  if (id === "" || id === "table") return usual;
  return id.split("+").map((given) => {
    const name = given.trim();
    const spec = known.find((one) => one.name === name);
    if (spec === undefined) {
      throw usageFailure(
        `unknown member "${name}" in model "${ROUNDTABLE_PROVIDER}:${id}"`,
        `Known: ${known.map((one) => one.name).join(", ")}`,
      );
    }
    return spec;
  });
}
