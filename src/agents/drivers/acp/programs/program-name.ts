/** By which name an agent's program is known, whatever starts it. */
import path from "node:path";

const STARTERS = /^(?:node|nodejs|bun|bunx|npx|pnpx|deno|tsx)$/;

export function programName({ command, args }: { readonly command: string; readonly args: readonly string[] }): string {
  const name = bareName(command);
  const started = args.find((arg) => !arg.startsWith("-"));
  return STARTERS.test(name) && started !== undefined ? bareName(started) : name;
}

/** Without folder, ending and version. */
function bareName(file: string): string {
  return path
    .basename(file)
    .replace(/\.(exe|com|cmd|[cm]?js|ts)$/i, "")
    .replace(/@[^@]*$/, "");
}
