/**
 * Expected guard of a member in a read-only session, before its program starts. The actual guard is reported on start.
 */
import type { AgentKind, Guard } from "../../protocol/index.ts";
import type { Probed } from "../sandbox/probe.ts";
import type { SandboxSettings } from "../sandbox/sandbox.ts";

export interface ExpectedGuard {
  /** unknown: decided when its program starts; none: it does not start. */
  readonly kind: Guard | "unknown" | "none";
  readonly why: string;
}

const OWN: Readonly<Partial<Record<AgentKind, string>>> = {
  claude: "it has no shell, and its edits are denied",
  codex: "its own sandbox, where that works",
  pi: "it has only read-only tools",
  openai: "it has only read-only tools",
};

/** Undefined for embedded members, which run nothing. */
export function expectedGuard(
  kind: AgentKind,
  { mode }: Pick<SandboxSettings, "mode">,
  probed: Probed,
): ExpectedGuard | undefined {
  if (kind === "embedded") return undefined;
  if (kind === "openai") return { kind: "own_mode", why: OWN.openai ?? "" };
  if (mode !== "off" && probed.available) return { kind: "sandbox", why: `${probed.via} works here` };
  const missing = mode === "off" || probed.available ? "the sandbox is turned off" : probed.reason.replace(/\.$/, "");
  if (mode === "require") return { kind: "none", why: `it does not start without a sandbox: ${missing}` };
  const own = OWN[kind];
  if (own !== undefined) return { kind: "own_mode", why: `${own}; ${missing}` };
  return { kind: "unknown", why: `known once it starts, from the modes it offers; ${missing}` };
}
