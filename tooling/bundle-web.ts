/**
 * Packs the page: one script with everything inside, and the files beside it as they are. Used by the build, and by
 * `serve` from a checkout so that nobody has to build first.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "rolldown";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..", "src", "web");

/** Without the highlighter; compressed it is about a third of this. */
const SCRIPT_BYTES_MAX = 750 * 1024;

/** Files that need no packing, by the name the browser asks for. */
const PLAIN_FILES = ["index.html", "app.css", "icon.svg"] as const;

/** A browser has no local sockets; the one module that needs them is left out, and nothing of the page calls it. */
const withoutLocalSockets: Plugin = {
  name: "without-local-sockets",
  resolveId: (id) => (id.endsWith("/kit/line-socket.ts") ? "\0no-local-sockets" : null),
  load: (id) => (id === "\0no-local-sockets" ? "export {};" : null),
};

export interface WebFile {
  readonly name: string;
  readonly text: string;
}

export async function bundleWeb({ minify, plugins = [] }: { minify: boolean; plugins?: Plugin[] }): Promise<WebFile[]> {
  const { output } = await build({
    input: { app: join(web, "main.ts") },
    platform: "browser",
    write: false,
    logLevel: "warn",
    plugins: [withoutLocalSockets, ...plugins],
    output: { format: "esm", minify, entryFileNames: "[name].js", codeSplitting: false },
  });
  const [script, ...rest] = output.filter((one) => one.type === "chunk");
  if (script === undefined || rest.length > 0) throw new Error(`the page became ${output.length} scripts, not one`);
  const foreign = [...script.imports, ...script.dynamicImports];
  if (foreign.length > 0) throw new Error(`the page would need at run time: ${foreign.join(", ")}`);
  if (minify && script.code.length > SCRIPT_BYTES_MAX)
    throw new Error(`the page's script is ${script.code.length} bytes`);
  return [
    { name: "app.js", text: script.code },
    ...PLAIN_FILES.map((name) => ({ name, text: readFileSync(join(web, name), "utf8") })),
  ];
}
