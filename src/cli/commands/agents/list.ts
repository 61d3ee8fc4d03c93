/**
 * Available members: built in, configured or detected. A configured agent hides others of the same name. Members of a new
 * session come first, in its order.
 */
import type { Findings } from "../../../agents/index.ts";
import type { AgentKind, MemberSpec } from "../../../protocol/index.ts";
import type { LoadedConfig } from "../../config/load-config.ts";
import { embeddedMembers } from "../../edges.ts";
import { hasConfiguredMembers, knownMembers } from "../../members/members.ts";
import { chosenMembers, defaultMembers } from "../../members/resolver.ts";

export interface ListedAgent {
  name: string;
  kind: AgentKind;
  foundBy: "built-in" | "configuration" | "program" | "key" | "server";
  where: string;
  canBeSeated: boolean;
  whyNot?: string;
  /** Member of a new session by default. */
  sitsDown: boolean;
}

type WithSpec = ListedAgent & { readonly spec: MemberSpec };

export async function listAll(loaded: LoadedConfig, findings: Findings): Promise<WithSpec[]> {
  const { config, settings } = loaded;
  const { whyUnsupported } = await import("../../../agents/index.ts");
  const originOf = (path: string) => settings.find((setting) => setting.path === path)?.origin ?? "the configuration";
  const selected = hasConfiguredMembers(config)
    ? await chosenMembers(loaded, async () => findings)
    : defaultMembers(findings);
  const positionOf = (name: string) => selected.findIndex((one) => one.name === name);
  const describe = (spec: MemberSpec, foundBy: ListedAgent["foundBy"], where: string): WithSpec => {
    const { name, kind } = spec;
    const whyNot = whyUnsupported(kind);
    const why = whyNot === undefined ? {} : { whyNot };
    const sitsDown = positionOf(name) >= 0;
    return { spec, name, kind, foundBy, where, canBeSeated: whyNot === undefined, ...why, sitsDown };
  };
  const known = knownMembers(config, embeddedMembers);
  const all = [
    ...[...known.values()].map((spec) =>
      Object.hasOwn(config.agents, spec.name)
        ? describe(spec, "configuration", originOf(`agents.${spec.name}`))
        : describe(spec, "built-in", "built in"),
    ),
    ...findings.agents
      .filter(({ spec }) => !known.has(spec.name))
      .map(({ spec, source, where }) => describe(spec, source, where)),
  ];
  const joining = all.filter(({ sitsDown }) => sitsDown).toSorted((a, b) => positionOf(a.name) - positionOf(b.name));
  return [...joining, ...all.filter(({ sitsDown }) => !sitsDown)];
}

/** With full specs, so that a member added from the list has its configured command, address and prompt. */
export function withSpecs(listed: readonly WithSpec[]): (ListedAgent & MemberSpec)[] {
  return listed.map(({ spec, ...one }) => ({ ...spec, ...one }));
}
