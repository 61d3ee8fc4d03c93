/**
 * Configuration keys from the command line: `--config KEY=VALUE` and its shorthands. Each overrides the configuration
 * so far, down to a single key of an agent or a tool server; the result is validated like a file.
 */
import * as z from "zod";
import { usageFailure } from "../../kit/failure.ts";
import type { Setting } from "./environment.ts";
import { flatten, isGroup, put, unflatten } from "./flat-settings.ts";
import { checkConfig } from "./read-config-file.ts";
import { schemaAt } from "./schema-keys.ts";

const HINT = "Use KEY=VALUE, such as --config council.timeout=60; roundtable config schema lists all keys";
/** An empty path segment or `__proto__`. */
const NO_NAME = /(?:^|\.)(?:__proto__)?(?:\.|$)/;

/** Throws a Failure when `pair` is not KEY=VALUE. */
export function overrideOf(pair: string): Setting {
  const at = pair.indexOf("=");
  const path = pair.slice(0, Math.max(at, 0)).trim();
  if (at === -1) throw usageFailure(`--config ${JSON.stringify(pair)} has no "="`, HINT);
  if (NO_NAME.test(path)) throw usageFailure(`--config ${JSON.stringify(path)} is not a valid key`, HINT);
  return { path, value: valueOf(path, pair.slice(at + 1)), origin: `--config ${path}` };
}

/** Parsed JSON where the key accepts it; otherwise the text itself, split at commas for a list. */
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
    // Plain text needs no quotes.
    return undefined;
  }
}

function takesList(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodUnion ? schema.options.some((one) => takesList(one)) : schema instanceof z.ZodArray;
}

/** Applies overrides in order and returns the changed settings. Throws a Failure when one is invalid. */
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

/** A key inside an agent or a tool server; a file sets these as one value. */
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

/** Checked after all overrides: an agent may need several of them to be complete. */
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
  // The sandbox may be a single word: its mode.
  const inner = key === "sandbox" && typeof group[key] === "string" ? { mode: group[key] } : group[key];
  return { ...group, [key]: rest.length === 0 ? value : withKey(inner, rest, value) };
}

/** The last override of this key, of a parent, or of a child. */
function originOf(name: string, overrides: readonly Setting[]): string {
  const isAbout = ({ path }: Setting) => name === path || name.startsWith(`${path}.`) || path.startsWith(`${name}.`);
  const whole = name.split(".").slice(0, 2).join(".");
  const override = overrides.findLast(isAbout) ?? overrides.findLast(({ path }) => path.startsWith(`${whole}.`));
  return override?.origin ?? whole;
}
