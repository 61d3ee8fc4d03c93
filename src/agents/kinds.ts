/** Capabilities of each agent kind and the loader of its driver; read before any driver is loaded. */
import path from "node:path";
import type { AgentKind, Capabilities, MemberSpec } from "../protocol/index.ts";
import { COMMON_CAPABILITIES, NATIVE_CAPABILITIES } from "./capabilities.ts";
import { effortLevels } from "./effort.ts";
import type { Agent, AgentSetup } from "./port.ts";

interface LazyKind {
  capabilities(spec: MemberSpec): Capabilities;
  load(spec: MemberSpec, setup: AgentSetup): Promise<Agent>;
}

const ableToCompact = (): Capabilities => NATIVE_CAPABILITIES;

/** Only opencode accepts a message in mid-turn; others queue or lose it. Gemini CLI has no command to compact. */
function acpAbilities(spec: MemberSpec): Capabilities {
  const name = programName(spec);
  return { ...COMMON_CAPABILITIES, steer: name === "opencode", ...(name === "gemini" ? {} : { compact: "native" }) };
}

function cursorAbilities(spec: MemberSpec): Capabilities {
  const isPrinting = (spec.command ?? []).slice(1).some((arg) => arg === "-p" || arg === "--print");
  // Images are sent if the program says that it accepts them, which is not known before it runs.
  const compact = isPrinting ? {} : ({ compact: "native" } as const);
  return { ...COMMON_CAPABILITIES, steer: false, requests: !isPrinting, images: false, ...compact };
}

/** Programs that report the cost of a turn; for others it is unknown unless a price is configured. */
const COST_REPORTING: ReadonlySet<AgentKind> = new Set<AgentKind>(["claude", "pi", "opencode"]);
const COST_REPORTING_NAMES = /^(opencode|claude-agent-acp|claude-code-acp)$/;

function costFacts(spec: MemberSpec): Pick<Capabilities, "cost"> {
  const isReported =
    COST_REPORTING.has(spec.kind) ||
    (spec.kind === "acp" && COST_REPORTING_NAMES.test(programName(spec))) ||
    (spec.kind === "openai" && (spec.baseUrl ?? "").startsWith("https://openrouter.ai/"));
  return { cost: isReported };
}

function programName({ command = [] }: MemberSpec): string {
  return path.basename(command[0] ?? "").replace(/\.(exe|com|cmd)$/i, "");
}

function effortFacts(spec: MemberSpec): Pick<Capabilities, "effort"> {
  const levels = effortLevels(spec);
  return levels === undefined ? {} : { effort: [...levels] };
}

export const embeddedCapabilities: Capabilities = {
  cost: true,
  steer: true,
  // An embedded member answers the current question only; the whole history would only add words to match.
  keepsContext: true,
  tools: true,
  requests: true,
  images: false,
  switchModel: false,
};

export const lazyKinds: Readonly<Record<Exclude<AgentKind, "embedded">, LazyKind>> = {
  claude: {
    capabilities: ableToCompact,
    load: async (spec, setup) => (await import("./drivers/claude/adapter.ts")).createClaudeAgent(spec, setup),
  },
  codex: {
    capabilities: ableToCompact,
    load: async (spec, setup) => (await import("./drivers/codex/adapter.ts")).createCodexAgent(spec, setup),
  },
  cursor: {
    capabilities: cursorAbilities,
    load: async (spec, setup) => (await import("./drivers/cursor/adapter.ts")).createCursorAgent(spec, setup),
  },
  pi: {
    capabilities: ableToCompact,
    load: async (spec, setup) => (await import("./drivers/pi/adapter.ts")).createPiAgent(spec, setup),
  },
  opencode: {
    capabilities: ableToCompact,
    load: async (spec, setup) => (await import("./drivers/opencode/adapter.ts")).createOpencodeAgent(spec, setup),
  },
  acp: {
    capabilities: acpAbilities,
    load: async (spec, setup) => (await import("./drivers/acp/adapter.ts")).createAcpAgent(spec, setup),
  },
  openai: {
    capabilities: () => ({ ...COMMON_CAPABILITIES, compact: "table" }),
    load: async (spec, setup) =>
      (await import("./model/mcp/create-with-servers.ts")).createModelAgentWithMcp(spec, setup),
  },
};

/** Undefined for a kind that this version does not support. */
export function capabilitiesOf(spec: MemberSpec): Capabilities | undefined {
  if (whyUnsupported(spec.kind) !== undefined) return undefined;
  if (spec.kind === "embedded") return embeddedCapabilities;
  return { ...lazyKinds[spec.kind].capabilities(spec), ...costFacts(spec), ...effortFacts(spec) };
}

/** Undefined when this version supports the kind. */
export function whyUnsupported(kind: AgentKind): string | undefined {
  const isSupported = kind === "embedded" || Object.hasOwn(lazyKinds, kind);
  return isSupported ? undefined : `kind ${kind} is not supported by this version`;
}
