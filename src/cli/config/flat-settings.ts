/** Flattens a configuration into settings with full key and origin, and back. */
import type { Setting } from "./environment.ts";
import { joinedSandbox } from "./sandbox-keys.ts";

/** Groups with nested keys; everything else is a value. */
const GROUPS = new Set([
  "council",
  "council.limits",
  "council.limits.session",
  "requests",
  "threads",
  "prompts",
  "agents",
  "approvals",
  "mcpServers",
]);

export function flatten(value: object, originOf: (path: readonly string[]) => string): Setting[] {
  const walk = (node: object, above: readonly string[]): Setting[] =>
    Object.entries(node).flatMap(([key, one]: [string, unknown]) => {
      const path = [...above, key];
      const name = path.join(".");
      if (name === "$schema" || one === undefined) return [];
      if (GROUPS.has(name)) return walk(one as object, path);
      return [{ path: name, value: one, origin: originOf(path) }];
    });
  return walk(value, []);
}

export function unflatten(settings: readonly Setting[]): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { path, value } of settings) {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    let node = root;
    for (const key of keys) node = (node[key] ??= {}) as Record<string, unknown>;
    node[last] = value;
  }
  return root;
}

/** Deny and ask rules accumulate over the layers: no file can remove a restriction of another. */
const JOINED = new Set(["approvals.deny", "approvals.ask"]);

/** Later values override earlier ones, key by key. */
export function put(settings: Map<string, Setting>, setting: Setting): void {
  const before = settings.get(setting.path);
  settings.set(setting.path, before === undefined ? setting : over(before, setting));
}

function over(before: Setting, setting: Setting): Setting {
  if (JOINED.has(setting.path)) return joined(before, setting);
  if (setting.path !== "sandbox") return setting;
  const value = joinedSandbox(before.value, setting.value);
  const isWhole = JSON.stringify(value) === JSON.stringify(setting.value);
  return { ...setting, value, origin: isWhole ? setting.origin : `${before.origin}, ${setting.origin}` };
}

function joined(before: Setting, setting: Setting): Setting {
  const { path, value, origin } = setting;
  const both = [...(before.value as string[]), ...(value as string[])];
  return { path, value: both, origin: `${before.origin}, ${origin}`, parts: [...partsOf(before), setting] };
}

/** The parts of a merged list, one per source. */
export function partsOf(setting: Setting): readonly Setting[] {
  return setting.parts ?? [setting];
}

export function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
