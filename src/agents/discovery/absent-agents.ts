/** Agents that roundtable knows how to seat and that are not on this machine, each with the command that brings it. */
import type { AgentKind, MemberSpec } from "../../protocol/index.ts";
import { agentPrograms, programOf } from "./agent-programs.ts";
import { apiKeys } from "./api-keys.ts";
import { modelServers, serverUrl } from "./model-servers.ts";
import { programFacts, serverStarts } from "./program-facts.ts";

export interface AbsentAgent {
  readonly name: string;
  readonly kind: AgentKind;
  readonly what: string;
  /** Type this, as it is or with what stands in capitals filled in. */
  readonly command: string;
}

/** What a present member uses under another name is not absent. */
export function absentAgents(present: readonly MemberSpec[]): AbsentAgent[] {
  const isPresent = ({ name, kind, baseUrl }: MemberSpec): boolean =>
    present.some((one) => {
      if (one.name === name) return true;
      if (kind === "openai") return one.kind === kind && one.baseUrl === baseUrl;
      return programOf(one)?.spec.name === name;
    });
  return [
    ...agentPrograms.map(({ spec, commands }) => ({
      spec,
      what: `no ${commands.map((command) => `"${command}"`).join(" or ")} on PATH`,
      command: programFacts[spec.name]?.install ?? "",
    })),
    ...apiKeys.map(({ variable, spec }) => ({
      spec,
      what: `${variable} is not set`,
      command: `export ${variable}=KEY`,
    })),
    ...modelServers.map(({ name, port }) => {
      const baseUrl = serverUrl(port);
      const spec: MemberSpec = { name, kind: "openai", baseUrl };
      return { spec, what: `no server at ${baseUrl}`, command: serverStarts[name] ?? "" };
    }),
  ].flatMap(({ spec, what, command }) =>
    isPresent(spec) ? [] : [{ name: spec.name, kind: spec.kind, what, command }],
  );
}
