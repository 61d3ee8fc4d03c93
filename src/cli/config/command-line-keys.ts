/**
 * Keys of the configuration that are said on the command line: `--config KEY=VALUE` and its shorthands. Each is laid over
 * what holds so far, also a single key of an agent or a tool server; what comes of all of them is checked as a file is.
 */
import * as z from "zod";
import { usageFailure } from "../../kit/failure.ts";
import type { Setting } from "./environment.ts";
import { flatten, isGroup, put, unflatten } from "./flat-settings.ts";
import { checkConfig } from "./read-config-file.ts";
import { schemaAt } from "./schema-keys.ts";

const HINT = "Give KEY=VALUE, such as --config council.timeout=60; roundtable config show names the keys";
/** A part that is empty, or that is not a name of its own in an object. */
const NO_NAME = /(?:^|\.)(?:__proto__)?(?:\.|$)/;

/** Throws a Failure for what is no pair of a key and a value. */
export function overrideOf(pair: string): Setting {
  const at = pair.indexOf("=");
  const path = pair.slice(0, Math.max(at, 0)).trim();
  if (at === -1) throw usageFailure(`--config ${JSON.stringify(pair)} has no "="`, HINT);
  if (NO_NAME.test(path)) throw usageFailure(`--config ${JSON.stringify(path)} names no key`, HINT);
  return { path, value: valueOf(path, pair.slice(at + 1)), origin: `--config ${path}` };
}

/** JSON where it is some that the key takes; else the text, or the texts between commas where the key takes a list. */
function valueOf(path: string, text: string): unknown {
  const json = parsed(text);
  const schema = schemaAt(path.split("."));
  if (schema === undefined) return json ?? text;
  const list = text
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
  const isValid = (value: unknown) => value !== undefined && z.safeParse(schema, value).success;
  const valid = [json, text, list].find(isValid);
  return valid ?? json ?? (takesList(schema) ? list : text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A plain text needs no quotes.
    return undefined;
  }
}

function takesList(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodUnion ? schema.options.some((one) => takesList(one)) : schema instanceof z.ZodArray;
}

/** Lays them over `settings`, in order, and gives those that came of it. Throws a Failure when one of them cannot be. */
export function putOverrides(settings: Map<string, Setting>, overrides: readonly Setting[]): Setting[] {
  const touched = new Set<string>();
  for (const override of overrides) {
    for (const setting of settingsOf(override, settings)) {
      put(settings, setting);
      touched.add(setting.path);
    }
  }
  checkParts(settings, overrides);
  return [...touched].flatMap((path) => settings.get(path) ?? []);
}

/** A key of an agent or of a tool server, each of which is one value in a file. */
const PART = /^((?:agents|mcpServers)\.[^.]+)\.(.+)$/;

function settingsOf({ path, value, origin }: Setting, settings: ReadonlyMap<string, Setting>): Setting[] {
  const [, whole, rest] = PART.exec(path) ?? [];
  if (whole === undefined || rest === undefined) {
    const checked = checkConfig(nested(path.split("."), value), () => origin);
    return flatten(checked, () => origin);
  }
  const before = settings.get(whole);
  const changed = withKey(before?.value, rest.split("."), value);
  return [{ path: whole, value: changed, origin: before === undefined ? origin : `${before.origin}, ${origin}` }];
}

/** When all have been said: an agent may take several to be one. */
function checkParts(settings: Map<string, Setting>, overrides: readonly Setting[]): void {
  const wholes = new Set(overrides.flatMap(({ path }) => PART.exec(path)?.[1] ?? []));
  const changed = [...wholes].flatMap((path) => settings.get(path) ?? []);
  const checked = checkConfig(unflatten(changed), (name) => originOf(name, overrides));
  for (const setting of flatten(checked, (path) => settings.get(path.join("."))?.origin ?? "")) {
    settings.set(setting.path, setting);
  }
}

function nested(keys: readonly string[], value: unknown): Record<string, unknown> {
  return keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

function withKey(before: unknown, [key = "", ...rest]: readonly string[], value: unknown): Record<string, unknown> {
  const group = isGroup(before) ? before : {};
  // The sandbox may be written as one word, which is its mode.
  const inner = key === "sandbox" && typeof group[key] === "string" ? { mode: group[key] } : group[key];
  return { ...group, [key]: rest.length === 0 ? value : withKey(inner, rest, value) };
}

/** Who said it: whoever named this key, one above it, or one inside it. */
function originOf(name: string, overrides: readonly Setting[]): string {
  const isAbout = ({ path }: Setting) => name === path || name.startsWith(`${path}.`) || path.startsWith(`${name}.`);
  const whole = name.split(".").slice(0, 2).join(".");
  const override = overrides.findLast(isAbout) ?? overrides.findLast(({ path }) => path.startsWith(`${whole}.`));
  return override?.origin ?? whole;
}
