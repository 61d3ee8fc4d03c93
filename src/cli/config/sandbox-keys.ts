/** Sandbox configuration: a mode as one word, or an object. */
import type { SandboxConfig } from "./schema.ts";

export type SandboxSettings = Exclude<SandboxConfig, string>;

export function sandboxSettings(written: SandboxConfig | undefined): SandboxSettings {
  return typeof written === "string" ? { mode: written } : (written ?? {});
}

/** Later values override earlier ones. */
export function joinedSandbox(before: unknown, later: unknown): SandboxConfig {
  return short({ ...sandboxSettings(before as SandboxConfig), ...sandboxSettings(later as SandboxConfig) });
}

function short(settings: SandboxSettings): SandboxConfig {
  const { mode, ...rest } = settings;
  return mode !== undefined && Object.keys(rest).length === 0 ? mode : settings;
}
