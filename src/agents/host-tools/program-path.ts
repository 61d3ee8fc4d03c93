/** Where the program of the tool server lies: beside this file in a checkout, beside the packed program otherwise. */
import { fileURLToPath } from "node:url";

// How the program of the tool server is told where the table is, and which member it speaks for.
export const SOCKET_VARIABLE = "ROUNDTABLE_TABLE_SOCKET";
export const TOKEN_VARIABLE = "ROUNDTABLE_TABLE_TOKEN";

export function programPath(): string {
  const isCheckout = import.meta.url.endsWith("/host-tools/program-path.ts");
  return fileURLToPath(new URL(isCheckout ? "program.ts" : "host-tools.js", import.meta.url));
}
