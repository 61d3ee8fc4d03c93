/** The sandbox of this machine and the expected guard of each member; starts no agent programs. */
import type { ExpectedGuard, Probed } from "../../../agents/index.ts";
import type { AgentKind } from "../../../protocol/index.ts";
import { GUARD_LABELS } from "../../../transcript/index.ts";
import type { Config, LoadedConfig } from "../../config/load-config.ts";
import { sandboxOf } from "../../config/member-process.ts";

export interface SandboxReport {
  readonly mode: "auto" | "require" | "off";
  readonly available: boolean;
  readonly via?: string;
  readonly program?: string;
  readonly reason?: string;
  readonly install?: string;
  /** What it does not isolate. */
  readonly open: readonly string[];
}

const OPEN = ["the network", "TCP ports of this machine", "abstract Unix sockets"];

export interface Guards {
  readonly sandbox: SandboxReport;
  of(member: { readonly name: string; readonly kind: AgentKind }): ExpectedGuard | undefined;
}

export async function readGuards({ config, cwd }: Pick<LoadedConfig, "config" | "cwd">): Promise<Guards> {
  const { expectedGuard, probeSandbox } = await import("../../../agents/index.ts");
  const probed = await probeSandbox({ PATH: process.env["PATH"], cwd });
  const settingsOf = (member: string) => sandboxOf(config, member, process.env).settings;
  return {
    sandbox: reportOf(config, probed),
    of: ({ name, kind }) => expectedGuard(kind, settingsOf(name), probed),
  };
}

function reportOf(config: Config, probed: Probed): SandboxReport {
  const { mode } = sandboxOf(config, "", process.env).settings;
  if (!probed.available) {
    const { reason, install } = probed;
    return { mode, available: false, reason, ...(install === undefined ? {} : { install }), open: [] };
  }
  const program = probed.via === "bwrap" ? { program: probed.bwrap.program } : {};
  return { mode, available: true, via: probed.via, ...program, open: OPEN };
}

/** Lines for a person, members grouped by guard. */
export function guardLines(sandbox: SandboxReport, members: readonly GuardedMember[]): string[] {
  const groups = Map.groupBy(
    members.filter(({ guard }) => guard !== undefined),
    ({ guard }) => (guard === undefined ? "" : `${guardLabel(guard)} (${guard.why})`),
  );
  return [
    sandboxLine(sandbox),
    ...[...groups].map(([label, these]) => `  ${these.map(({ name }) => name).join(", ")}: ${label}`),
    ...(sandbox.open.length === 0 || sandbox.mode === "off" ? [] : [`  not isolated: ${sandbox.open.join(", ")}`]),
  ];
}

export interface GuardsHere {
  readonly sandbox: SandboxReport;
  readonly guards: readonly GuardedMember[];
}

interface GuardedMember {
  readonly name: string;
  readonly guard?: ExpectedGuard | undefined;
}

function sandboxLine({ mode, available, via = "", program = via, reason = "", install }: SandboxReport): string {
  if (mode === "off") return "sandbox: turned off by the configuration";
  if (available) return `sandbox: ${program} works; sandboxed programs cannot change files in a read-only session`;
  const advice = install === undefined ? "" : ` Install it: ${install}`;
  return `sandbox: none. ${reason}${advice}`;
}

export function guardLabel({ kind }: ExpectedGuard): string {
  if (kind === "unknown") return "not known yet";
  return kind === "none" ? "does not start" : GUARD_LABELS[kind];
}
