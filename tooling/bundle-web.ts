/**
 * Packs the page: one script and one sheet with everything inside, the highlighter as a script of its own that is loaded
 * when it is needed, and the files beside them as they are. Used by the build, and by `serve` from a checkout so that
 * nobody has to build first.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin, type Rolldown } from "vite";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..", "src", "web");

/** Script and sheet together, compressed, without the highlighter. */
const PAGE_GZIP_BYTES_MAX = 250 * 1024;

/** Files that need no packing, by the name the browser asks for. */
const PLAIN_FILES = ["index.html", "icon.svg"] as const;

/** A browser has no local sockets; the one module that needs them is left out, and nothing of the page calls it. */
export const withoutLocalSockets: Plugin = {
  name: "without-local-sockets",
  enforce: "pre",
  resolveId: (id) => (id.endsWith("/kit/io/line-socket.ts") ? "\0no-local-sockets" : null),
  load: (id) => (id === "\0no-local-sockets" ? "export {};" : null),
};

export interface WebFile {
  readonly name: string;
  readonly text: string;
}

export interface BundleOptions {
  readonly minify: boolean;
  readonly plugins?: Plugin[];
}

export async function bundleWeb(options: BundleOptions): Promise<WebFile[]> {
  const [page, highlighter] = await Promise.all([
    pack({ app: "main.tsx" }, options),
    pack({ highlighter: "markdown/highlight-worker.ts" }, options),
  ]);
  const files = [
    ...page,
    ...highlighter,
    ...PLAIN_FILES.map((name) => ({ name, text: readFileSync(join(web, name), "utf8") })),
  ];
  const gzipBytes = page.reduce((sum, { text }) => sum + gzipSync(text).length, 0);
  if (options.minify && gzipBytes > PAGE_GZIP_BYTES_MAX) throw new Error(`the page is ${gzipBytes} bytes compressed`);
  return files;
}

async function pack(entry: Record<string, string>, { minify, plugins = [] }: BundleOptions): Promise<WebFile[]> {
  const [[name, file] = ["", ""]] = Object.entries(entry);
  const built = await build({
    configFile: false,
    envDir: false,
    root: web,
    logLevel: "warn",
    publicDir: false,
    mode: "production",
    // Said by name: the environment of a test would have it otherwise.
    oxc: { jsx: { runtime: "automatic", development: false } },
    define: { "process.env.NODE_ENV": JSON.stringify("production") },
    plugins: [withoutLocalSockets, ...plugins],
    build: {
      write: false,
      minify: minify ? "oxc" : false,
      cssMinify: minify,
      modulePreload: false,
      cssCodeSplit: false,
      reportCompressedSize: false,
      target: "esnext",
      rolldownOptions: {
        input: { [name]: join(web, file) },
        output: { entryFileNames: "[name].js", assetFileNames: "app[extname]", codeSplitting: false },
      },
    },
  });
  const output = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []));
  const scripts = output.filter((one): one is Rolldown.OutputChunk => one.type === "chunk");
  const foreign = scripts.flatMap((one) => [...one.imports, ...one.dynamicImports]);
  if (scripts.length !== 1) throw new Error(`${file} became ${scripts.length} scripts, not one`);
  if (foreign.length > 0) throw new Error(`${file} would need at run time: ${foreign.join(", ")}`);
  return output.map((one) => ({
    name: one.fileName,
    text: one.type === "chunk" ? one.code : Buffer.from(one.source).toString("utf8"),
  }));
}
