/** Programs and scripts that a line makes and then runs: nobody can know what is in them. */
import path from "node:path";
import type { Arg } from "./arg.ts";
import { changedFiles } from "./changed-files.ts";
import type { Layers } from "./read-line.ts";

/** The name of one, as it is written. */
export function findGeneratedProgram(commands: readonly Layers[], writes: readonly Arg[]): string | undefined {
  const layers = commands.flat();
  const changed = layers
    .filter(({ name }) => name !== "chmod")
    .flatMap((layer) => {
      const { files, isCertain } = changedFiles(layer);
      return isCertain ? files.map(({ name }) => name) : [];
    });
  const made = new Set([...writes.flatMap(({ text }) => text ?? []), ...changed].map(tidy));
  if (made.size === 0) return undefined;
  return layers.flatMap(({ args }) => run(args)).find((name) => made.has(tidy(name)));
}

/** What is run: the program, and what may be its script. */
function run([program, ...args]: readonly Arg[]): string[] {
  const text = program?.text ?? "";
  const script = /^(?:[a-z]*sh|source|\.|python[\d.]*|node|deno|bun|perl|ruby|php|lua|make|awk)$/.test(
    path.basename(text),
  )
    ? args.flatMap((arg) => arg.text ?? [])
    : [];
  return [...(text.includes("/") ? [text] : []), ...script];
}

function tidy(name: string): string {
  return path.posix.normalize(name);
}
