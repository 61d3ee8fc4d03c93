/** The sandbox as it is written in a configuration: one word, which is its mode, or an object. */
import type { SandboxConfig } from "./schema.ts";

export type SandboxParts = Exclude<SandboxConfig, string>;

export function sandboxParts(written: SandboxConfig | undefined): SandboxParts {
  return typeof written === "string" ? { mode: written } : (written ?? {});
}

/** The later over the earlier. */
export function joinedSandbox(before: unknown, later: unknown): SandboxConfig {
  return short({ ...sandboxParts(before as SandboxConfig), ...sandboxParts(later as SandboxConfig) });
}

function short(parts: SandboxParts): SandboxConfig {
  const { mode, ...rest } = parts;
  return mode !== undefined && Object.keys(rest).length === 0 ? mode : parts;
}
