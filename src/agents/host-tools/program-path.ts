/** Where the program of the tool server lies: beside this file in a checkout, beside the packed program otherwise. */
import { fileURLToPath } from "node:url";

export function programPath(): string {
  const isCheckout = import.meta.url.endsWith("/host-tools/program-path.ts");
  return fileURLToPath(new URL(isCheckout ? "program.ts" : "host-tools.js", import.meta.url));
}
