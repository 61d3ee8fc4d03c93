/**
 * Which files of dist/ hold what several commands share. Left to itself the bundler makes a file for each set of commands
 * that share something, and a start reads sixty of them, most smaller than a page. Here a module lies in the first layer
 * that needs it, and a command reads a few whole layers; what only one or two need stays with them.
 * Order matters: a layer may only need those before it, or files would import each other in a circle, and what one does
 * when it is loaded would meet names of the other that have no value yet.
 */
import { join } from "node:path";
import type { OutputOptions } from "rolldown";

const LAYERS: readonly (readonly [name: string, ...roots: string[]])[] = [
  ["start", "src/cli/main.ts"],
  // Agents start it, once for each member: it must not read more than it needs.
  ["host-tools", "src/agents/host-tools/program.ts"],
  ["protocol", "src/protocol/index.ts"],
  ["config", "src/cli/config/load-config.ts"],
  ["transcript", "src/transcript/index.ts"],
  ["client", "src/client/index.ts"],
  ["search", "src/host/search/program.ts"],
  ["commands", "src/cli/ask/ask.ts", "src/cli/commands/chat.ts", "src/cli/commands/sessions/list.ts"],
  ["core", "src/host/index.ts", "src/agents/index.ts"],
];

/**
 * Every command that looks for a server enters its room, and only those that are one need this: what they alone need
 * stays out of the layers. `node:http` and Hono are a sixth of the start of the others.
 */
const SERVING = [
  "src/server/start-server.ts",
  "src/server/probe-port.ts",
  "src/server/http/listen.ts",
  "src/server/compat/compat-port.ts",
];

/** With two, code for a few would be read by all; with four, more files are read. */
const SHARED_BY_MIN = 3;

type Splitting = Exclude<OutputOptions["codeSplitting"], boolean | undefined>;
type NameOf = Extract<NonNullable<Splitting["groups"]>[number]["name"], (...args: never[]) => unknown>;
type Modules = Parameters<NameOf>[1];

export function layersOf(root: string): Splitting {
  const serving = SERVING.map((file) => join(root, file));
  let layers: { name: string; holds: ReadonlySet<string> }[] | undefined;
  const name: NameOf = (id, modules) => {
    layers ??= LAYERS.map(([layer, ...roots]) => ({
      name: layer,
      holds: neededBy(
        roots.map((file) => join(root, file)),
        serving,
        modules,
      ),
    }));
    return layers.find(({ holds }) => holds.has(id))?.name;
  };
  return {
    includeDependenciesRecursively: false,
    groups: [{ name, debugName: "layers", minShareCount: SHARED_BY_MIN }],
  };
}

function neededBy(roots: readonly string[], without: readonly string[], modules: Modules): ReadonlySet<string> {
  const needed = new Set(roots);
  for (const id of needed) {
    const imported = modules.getModuleInfo(id)?.importedIds ?? [];
    for (const one of imported) if (!without.includes(one)) needed.add(one);
  }
  return needed;
}

interface Chunk {
  readonly name: string;
  readonly fileName: string;
  readonly imports: readonly string[];
}

export function expectNoCircle(chunks: readonly Chunk[]): void {
  const importsOf = new Map(chunks.map(({ fileName, imports }) => [fileName, imports]));
  const done = new Set<string>();
  const walk = (fileName: string, above: readonly string[]): void => {
    if (above.includes(fileName))
      throw new Error(`files of dist import each other: ${[...above, fileName].join(" > ")}`);
    if (done.has(fileName)) return;
    for (const imported of importsOf.get(fileName) ?? []) walk(imported, [...above, fileName]);
    done.add(fileName);
  };
  for (const { fileName } of chunks) walk(fileName, []);
}

/** What every command reads does not serve. */
export function expectNoServer(chunks: readonly Chunk[]): void {
  const layers = new Set(LAYERS.map(([name]) => name));
  for (const { name, fileName, imports } of chunks) {
    const http = imports.find((one) => /^node:http2?$/.test(one));
    if (layers.has(name) && http !== undefined)
      throw new Error(`${fileName} is read by every command and needs ${http}`);
  }
}
