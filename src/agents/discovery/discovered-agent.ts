/** An agent that is on this machine, and whether this version can give it a seat. */
import type { MemberSpec } from "../../protocol/index.ts";
import { whyUnsupported } from "../create-agent.ts";

export interface DiscoveredAgent {
  /** How it would be seated. */
  readonly spec: MemberSpec;
  readonly source: "program" | "key" | "server";
  /** The program's path, the variable's name or the server's address; never a secret. */
  readonly where: string;
  readonly isSupported: boolean;
  readonly whyNot?: string;
  /** Set when it is known that nobody is logged in: what to type. */
  readonly logIn?: string;
  /** Set when the program of the same vendor is here too: its name. */
  readonly coveredBy?: string;
}

export function describeDiscovered(
  spec: MemberSpec,
  source: DiscoveredAgent["source"],
  where: string,
): DiscoveredAgent {
  const whyNot = whyUnsupported(spec.kind);
  return { spec, source, where, isSupported: whyNot === undefined, ...(whyNot === undefined ? {} : { whyNot }) };
}
