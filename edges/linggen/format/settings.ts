/**
 * Settings saved by linggen's clients. Models and prompts take effect; everything else is only stored. Programs, URLs
 * and keys never take effect, because this port needs no token.
 */
import type { Json, MemberSpec } from "../../../src/protocol/index.ts";

export type SavedSettings = Readonly<Record<string, Json>>;

export interface SettingsEffect {
  /** By member. */
  readonly models: ReadonlyMap<string, string>;
  /** By member. */
  readonly prompts: ReadonlyMap<string, string>;
  /** For every member. */
  readonly prompt: string | undefined;
}

/** A name passed to programs as an argument must not look like an option. */
const MODEL_NAME = /^[^\s-]\P{Cc}{0,199}$/u;
const EVERYONES_PROMPTS = ["system", "council", "default"];

export function settingsEffect(saved: SavedSettings, members: readonly MemberSpec[]): SettingsEffect {
  const agents = listOf(saved["agents"]).map(fieldsOf);
  const own = (name: string) => agents.find((agent) => agent["id"] === name) ?? {};
  const named = fieldsOf(saved["prompts"]);
  const models = new Map(defaultModels(saved, members));
  const prompts = new Map<string, string>();
  for (const { name, model } of members) {
    const chosen = modelOf(own(name)["model"]);
    if (chosen !== undefined && chosen !== model) models.set(name, chosen);
    const prompt = textOf(own(name)["prompt"]) ?? textOf(own(name)["system_prompt"]) ?? textOf(named[name]);
    if (prompt !== undefined) prompts.set(name, prompt);
  }
  return { models, prompts, prompt: everyonesPrompt(saved, named) };
}

/** A member's current model applies to all of its kind; any other model to the first member, linggen's own. */
function defaultModels(saved: SavedSettings, members: readonly MemberSpec[]): (readonly [string, string])[] {
  const [routed] = listOf(fieldsOf(saved["routing"])["default_models"]);
  const model = modelOf(saved["model"]) ?? modelOf(routed);
  if (model === undefined) return [];
  const kind = members.find((member) => member.model === model)?.kind;
  const wanted = kind === undefined ? members.slice(0, 1) : members.filter((member) => member.kind === kind);
  return wanted.filter((member) => member.model !== model).map(({ name }) => [name, model]);
}

function everyonesPrompt(saved: SavedSettings, named: Fields): string | undefined {
  const breaker = textOf(fieldsOf(saved["agent"])["prompt_loop_breaker"]);
  const parts = [
    textOf(saved["prompt"]) ?? textOf(saved["system_prompt"]) ?? textOf(saved["prompts"]),
    ...EVERYONES_PROMPTS.map((name) => textOf(named[name])),
    breaker === undefined ? undefined : `When you repeat a tool call without progress: ${breaker}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

export function membersWith(members: readonly MemberSpec[], { models, prompts }: SettingsEffect): MemberSpec[] {
  return members.map((member) => {
    const model = models.get(member.name);
    const prompt = prompts.get(member.name);
    return { ...member, ...(model === undefined ? {} : { model }), ...(prompt === undefined ? {} : { prompt }) };
  });
}

const SECRET_NAME = /^(?:api_?key|password|(?:.*_)?(?:token|secret))$/i;
const REDACTED = "***";

/** In linggen's format: API keys are neither returned nor stored. */
export function withoutKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const isSecret = SECRET_NAME.test(name) && typeof one === "string" && one !== "";
      return [name, isSecret ? REDACTED : withoutKeys(one)];
    }),
  );
}

type Fields = Readonly<Record<string, Json | undefined>>;

function fieldsOf(value: Json | undefined): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function modelOf(value: Json | undefined): string | undefined {
  const name = textOf(value);
  return name !== undefined && MODEL_NAME.test(name) ? name : undefined;
}
