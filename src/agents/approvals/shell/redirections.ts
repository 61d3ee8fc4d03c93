/** What a redirection does beyond reading: the file it writes, or a connection it opens. */
import type { Redirection } from "unbash";
import { readArg, type Arg } from "./arg.ts";
import { opaque, type Finding } from "./finding.ts";

export interface Redirected {
  readonly write?: Arg;
  readonly finding?: Finding;
}

const NOWHERE = /^\/dev\/(?:null|stdin|stdout|stderr|tty|zero|fd\/\d+)$/;
const NETWORK = /^\/dev\/(?:tcp|udp)(?:\/|$)/;

export function readRedirection(node: Redirection): Redirected {
  if (node.type !== "Redirect" || node.target === undefined) return {};
  const target = readArg(node.target);
  const { text, start } = target;
  if (NETWORK.test(text ?? start)) return { finding: opaque("it opens a network connection by a redirection") };
  if (node.operator === "<" || node.operator === "<&") return {};
  if (node.operator === ">&" && text !== null && /^(?:\d+-?|-)$/.test(text)) return {};
  return text !== null && NOWHERE.test(text) ? {} : { write: target };
}
