/**
 * Packs the page: a script, a sheet and two fonts; scripts of views that are loaded when they are opened (whatever the
 * page imports with `import()`); the highlighter, a worker; and the files beside them as they are. Used by the build,
 * and by `serve` from a checkout so that nobody has to build first.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin, type Rolldown } from "vite";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..", "src", "web");

/** What an open page needs at once, compressed. */
const FIRST_LOAD_BYTES_MAX = 250 * 1024;

/** Files that need no packing, by the name the browser asks for. */
const PLAIN_FILES = ["index.html", "icon.svg", "manifest.webmanifest", "icon-192.png", "icon-512.png"] as const;
/** Read when the page is put on a home screen. */
const INSTALLED = /\.(?:webmanifest|png)$/;

/** A browser has no local sockets; the one module that needs them is left out, and nothing of the page calls it. */
export const withoutLocalSockets: Plugin = {
  name: "without-local-sockets",
  enforce: "pre",
  resolveId: (id) => (id.endsWith("/kit/io/line-socket.ts") ? "\0no-local-sockets" : null),
  load: (id) => (id === "\0no-local-sockets" ? "export {};" : null),
};

/** The page checks what it is told and describes no schema to others: a tenth of the library of schemas. */
const withoutSchemaWriter: Plugin = {
  name: "without-schema-writer",
  enforce: "pre",
  resolveId: (id, importer = "") =>
    importer.endsWith("/zod/v4/classic/schemas.js") && /\/(?:to-json-schema|json-schema-processors)\.js$/.test(id)
      ? "\0no-schemas"
      : null,
  load: (id) =>
    id === "\0no-schemas"
      ? "const none = () => () => { throw new Error('no schemas here'); }; export { none as createToJSONSchemaMethod, none as createStandardJSONSchemaMethod };"
      : null,
};

export interface WebFile {
  readonly name: string;
  readonly text: string;
  /** How the bytes are written in `text`. */
  readonly encoding: "utf8" | "base64";
  /** Whether an open page needs it at once. The font of code is loaded with the first code. */
  readonly isFirst: boolean;
}

export interface BundleOptions {
  readonly minify: boolean;
  readonly plugins?: Plugin[];
}

export async function bundleWeb(options: BundleOptions): Promise<WebFile[]> {
  const [page, highlighter] = await Promise.all([
    pack({ app: "main.tsx" }, options),
    pack({ highlighter: "highlight/highlight-worker.ts" }, options),
  ]);
  const files = [
    ...page,
    ...highlighter,
    ...PLAIN_FILES.map((name) => {
      const encoding = name.endsWith(".png") ? ("base64" as const) : ("utf8" as const);
      const text = readFileSync(join(web, name), encoding);
      return {
        name,
        text: name === "index.html" ? withImportsNamed(text, page) : text,
        encoding,
        isFirst: !INSTALLED.test(name),
      };
    }),
  ];
  const bytes = firstLoadBytes(files);
  if (options.minify && bytes > FIRST_LOAD_BYTES_MAX) throw new Error(`the page is ${bytes} bytes compressed`);
  return files;
}

/** The browser asks for all scripts of an open page at once, not for the imports when it has read the first. */
function withImportsNamed(html: string, files: readonly WebFile[]): string {
  const links = files
    .filter(({ name, isFirst }) => isFirst && name.endsWith(".js") && name !== "app.js")
    .map(({ name }) => `    <link rel="modulepreload" href="/${name}" />\n`);
  return html.replace("  </head>", `${links.join("")}  </head>`);
}

export function firstLoadBytes(files: readonly WebFile[]): number {
  return files
    .filter(({ isFirst }) => isFirst)
    .reduce((sum, { text, encoding }) => sum + gzipSync(Buffer.from(text, encoding)).length, 0);
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
    plugins: [withoutLocalSockets, withoutSchemaWriter, ...plugins],
    build: {
      write: false,
      minify: minify ? "oxc" : false,
      cssMinify: minify,
      modulePreload: false,
      cssCodeSplit: true,
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      target: "esnext",
      rolldownOptions: {
        input: { [name]: join(web, file) },
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name].js",
          assetFileNames: assetName,
          // What forbids the schema library to compile code has to run before it does.
          codeSplitting: {
            groups: [
              { name: "shared", test: /no-eval\.ts$/, priority: 1 },
              { name: "shared", minShareCount: 2 },
            ],
          },
        },
        // Rooms below the page do nothing when they are loaded: what it does not use of them is left out.
        treeshake: { moduleSideEffects: [{ test: /\/src\/(?:protocol|transcript|client|kit)\//, sideEffects: false }] },
        // Directives for servers that render React; here is none. And what the library of schemas misses is left out above.
        onLog: (level, log, handle) =>
          log.code === "MODULE_LEVEL_DIRECTIVE" || log.code === "IMPORT_IS_UNDEFINED" || handle(level, log),
      },
    },
  });
  const output = (Array.isArray(built) ? built : [built]).flatMap((one) => ("output" in one ? one.output : []));
  const scripts = output.filter((one): one is Rolldown.OutputChunk => one.type === "chunk");
  const own = new Set(scripts.map((one) => one.fileName));
  const foreign = scripts.flatMap((one) => [...one.imports, ...one.dynamicImports]).filter((one) => !own.has(one));
  if (foreign.length > 0) throw new Error(`${file} would need at run time: ${foreign.join(", ")}`);
  const atOnce = name === "app" ? withImports(scripts, [`${name}.js`]) : [];
  return output.map((one) => fileOf(one, [...atOnce, "app.css", "geist-latin-wght-normal.woff2"]));
}

/** The scripts of these names and all that they import when they are loaded. */
function withImports(scripts: readonly Rolldown.OutputChunk[], names: readonly string[]): string[] {
  const all = new Set(names);
  for (const name of all) scripts.find((one) => one.fileName === name)?.imports.forEach((one) => all.add(one));
  return [...all];
}

/** Fonts keep the names of their packages, sheets of views have those of their scripts. */
function assetName({ names }: Rolldown.PreRenderedAsset): string {
  return names.some((name) => /\.woff2$|-view\.css$/.test(name)) ? "[name][extname]" : "app[extname]";
}

function fileOf(one: Rolldown.OutputChunk | Rolldown.OutputAsset, atOnce: readonly string[]): WebFile {
  const name = one.fileName;
  const isFirst = atOnce.includes(name);
  if (one.type === "chunk") return { name, text: one.code, encoding: "utf8", isFirst };
  const encoding = name.endsWith(".css") ? "utf8" : "base64";
  return { name, text: Buffer.from(one.source).toString(encoding), encoding, isFirst };
}
