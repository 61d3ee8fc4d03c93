/** An agent that is on this machine, and whether this version can give it a seat. */
import type { MemberSpec } from "../../protocol/index.ts";
import { whyUnsupported } from "../create-agent.ts";

export interface FoundAgent {
  /** How it would be seated. */
  readonly spec: MemberSpec;
  readonly foundBy: "program" | "key" | "server";
  /** The program's path, the variable's name or the server's address; never a secret. */
  readonly where: string;
  readonly isSupported: boolean;
  readonly whyNot?: string;
  /** Set when it is known that nobody is logged in: what to type. */
  readonly logIn?: string;
  /** Set when the program of the same vendor is here too: its name. */
  readonly coveredBy?: string;
}

export function describeFound(spec: MemberSpec, foundBy: FoundAgent["foundBy"], where: string): FoundAgent {
  const whyNot = whyUnsupported(spec.kind);
  return { spec, foundBy, where, isSupported: whyNot === undefined, ...(whyNot === undefined ? {} : { whyNot }) };
}
