/** Table of agents for a person: available, problems to fix, missing. */
import { basename } from "node:path";
import type { ExpectedGuard, Findings } from "../../../agents/index.ts";
import { alignColumns } from "../../terminal/format.ts";
import { guardLabel, guardLines, type SandboxReport } from "./guard-report.ts";

export type Examination = NonNullable<Findings["examination"]>;
export type ExaminedAgent = Examination["agents"][number];

export interface Row extends ExaminedAgent {
  readonly kind: string;
  readonly where: string;
  readonly canBeSeated: boolean;
  readonly sitsDown: boolean;
  readonly guard?: ExpectedGuard;
}

export function formatAgents(
  agents: readonly Row[],
  absent: Examination["absent"],
  sandbox: SandboxReport | undefined,
): string {
  const cells = (one: Row): string[] => [
    one.name,
    one.kind,
    availabilityOf(one),
    versionOf(one),
    loginOf(one),
    one.guard === undefined ? "-" : guardLabel(one.guard),
    canOf(one),
    one.where,
  ];
  const here = alignColumns([
    ["NAME", "KIND", "JOINS", "VERSION", "LOGIN", "GUARD", "CAN", "WHERE"],
    ...agents.map(cells),
  ]);
  const lacks = agents.flatMap(({ name, lacks }) => lacks.map((lack) => [name, withCommand(lack)]));
  const missing = absent.map((one) => [one.name, withCommand(one)]);
  const guards =
    sandbox === undefined
      ? ""
      : `\n${guardLines(sandbox, agents)
          .map((line) => `${line}\n`)
          .join("")}`;
  return [here, section("To do:", lacks), section("Not on this machine:", missing), guards].join("");
}

function section(title: string, rows: readonly string[][]): string {
  return rows.length === 0
    ? ""
    : `\n${title}\n${alignColumns(rows.map(([first = "", ...rest]) => [`  ${first}`, ...rest]))}`;
}

function withCommand({ what, command }: { what: string; command?: string }): string {
  return command === undefined ? what : `${what}: ${command}`;
}

function availabilityOf({ canBeSeated, sitsDown }: Row): string {
  if (!canBeSeated) return "unsupported";
  return sitsDown ? "by default" : "by name";
}

function versionOf({ version, isTooOld, whyNoVersion }: Row): string {
  if (version !== undefined) return isTooOld ? `${version} (too old)` : version;
  return whyNoVersion === undefined ? "-" : "?";
}

function loginOf({ login: { state, by } }: Row): string {
  return by === undefined ? state : `${state} (${basename(by)})`;
}

function canOf({ abilities }: Row): string {
  if (abilities === undefined) return "-";
  const labels = { steer: "steer", tools: "tools", approvals: "approvals", resume: "resume", ourTools: "our-tools" };
  const can = Object.entries(labels).flatMap(([ability, word]) =>
    abilities[ability as keyof typeof labels] ? [word] : [],
  );
  return can.length === 0 ? "-" : can.join(" ");
}
