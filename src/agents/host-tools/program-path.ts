/**
 * How the tool server program is started: its path (in a checkout beside this file, otherwise beside the bundle) and
 * its environment variables.
 */
import { fileURLToPath } from "node:url";

// Address of the host's socket and token of the member.
export const SOCKET_VARIABLE = "ROUNDTABLE_TABLE_SOCKET";
export const TOKEN_VARIABLE = "ROUNDTABLE_TABLE_TOKEN";

export function programPath(): string {
  const isCheckout = import.meta.url.endsWith("/host-tools/program-path.ts");
  return fileURLToPath(new URL(isCheckout ? "program.ts" : "host-tools.js", import.meta.url));
}
