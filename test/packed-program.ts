/** Programs of the tests: they are started hundreds of times, and packed they start twice as fast as from their sources. */
import { globSync, renameSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { keepMade, madePlace } from "../tooling/made-of-sources.ts";
import { makeOnce } from "../tooling/packed-program.ts";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

/** What tests start again and again, by the name it is packed under. */
const testPrograms: Record<string, string> = {
  "served-session": "test/client/programs/served-session.ts",
  "streaming-session": "test/crash/programs/streaming-session.ts",
  "host-process": "test/host/programs/host-process.ts",
  "append-program": "test/log/append-program.ts",
  "mcp-server": "test/agents/fakes/mcp-server.ts",
  "flooded-session": "test/server/programs/flooded-session.ts",
  "reach-program": "test/launch/reach-program.ts",
  "index-logs": "test/host/programs/index-logs.ts",
  "chatting-session": "test/agents/openai/programs/chatting-session.ts",
  ...Object.fromEntries(
    globSync("edges/*/test/**/programs/*.ts", { cwd: root }).map((file) => [basename(file, ".ts"), file]),
  ),
};

let packed: Promise<string> | undefined;

/** Packed, all of them together, when the sources have changed since, which takes a second. */
export async function packedTestProgram(name: string): Promise<string> {
  packed ??= packWhatChanged();
  return join(await packed, `${name}.js`);
}

async function packWhatChanged(): Promise<string> {
  const place = madePlace("roundtable-test-programs", ["src", "edges", "test", "package-lock.json"]);
  await makeOnce(place, async () => {
    const made = `${place}.${process.pid}.packed`;
    await packTestPrograms(made);
    keepMade(place, (mine) => renameSync(made, mine));
  });
  return place;
}

async function packTestPrograms(directory: string): Promise<void> {
  const { build } = await import("rolldown");
  await build({
    cwd: root,
    // A host starts the index by its name beside itself.
    input: { ...testPrograms, "search-index": "src/host/search/program.ts" },
    platform: "node",
    external: [/^node:/],
    resolve: { mainFields: ["module", "main"] },
    // As in the product: nothing of ours does anything when it is loaded, except the programs themselves.
    treeshake: {
      moduleSideEffects: [{ test: /\/(?:src|edges\/[^/]+(?!\/test\/))\/(?!.*\/program\.ts$)/, sideEffects: false }],
    },
    output: { dir: directory, format: "esm", entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" },
  });
}
