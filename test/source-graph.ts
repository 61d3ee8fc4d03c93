/** The source files of the product and who imports whom, read from their import statements. Tests are left out. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export interface Import {
  /** The importing file, relative to the repository. */
  readonly file: string;
  readonly specifier: string;
  /** The imported file, relative to the repository; undefined for packages. */
  readonly target: string | undefined;
  /** Erased when the code runs. */
  readonly isType: boolean;
  /** `import()`: loaded when it is needed. */
  readonly isLazy: boolean;
}

const IMPORT = /(?:\b(import|export)\s+(type\s+)?(?:[\w*{][^;"'()]*?\s)?from|\bimport(\s*\()?)\s*["']([^"']+)["']/g;

function listSources(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true })
    .map((name) => `${folder}/${String(name).split(path.sep).join("/")}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.(test|torture|contract)\.tsx?$|^edges\/[^/]+\/test\//.test(file))
    .sort();
}

export const sources: readonly string[] = [...listSources("src"), ...listSources("edges")];

export function readSource(file: string): string {
  return readFileSync(file, "utf8");
}

export const imports: readonly Import[] = sources.flatMap((file) =>
  [...readSource(file).matchAll(IMPORT)].map(([, , type, call, specifier = ""]) => ({
    file,
    specifier,
    target: specifier.startsWith(".") ? path.posix.join(path.posix.dirname(file), specifier) : undefined,
    isType: type !== undefined,
    isLazy: call !== undefined,
  })),
);

/** Files that import each other in a circle, each circle as one list. */
export function findCycles(isFollowed: (one: Import) => boolean): string[][] {
  const next = new Map<string, string[]>();
  for (const one of imports) {
    if (one.target === undefined || !isFollowed(one)) continue;
    next.set(one.file, [...(next.get(one.file) ?? []), one.target]);
  }
  const cycles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    let low = index;
    stack.push(file);
    for (const target of next.get(file) ?? []) {
      const seen = order.get(target);
      if (seen === undefined) low = Math.min(low, visit(target));
      else if (stack.includes(target)) low = Math.min(low, seen);
    }
    lowest.set(file, low);
    if (low === index) {
      const cycle = stack.splice(stack.indexOf(file));
      if (cycle.length > 1) cycles.push(cycle);
    }
    return low;
  };
  for (const file of sources) if (!order.has(file)) visit(file);
  return cycles;
}

/** By file: the files that import it, `index.ts` counted as any other. */
export function findImporters(): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>(sources.map((file) => [file, new Set()]));
  for (const { file, target } of imports) if (target !== undefined) importers.get(target)?.add(file);
  return importers;
}
