/**
 * `npm run dev [-- FLAGS of serve]`: the page by Vite, reloaded with every change, and the server from the sources, started
 * again with every change of them. The server is killed, not stopped: only then does the next one keep token and port
 * (docs/decisions/0009), and open pages reconnect by themselves. Its sessions are in a data directory of their own.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, watch } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import path from "node:path";
import { createServer, type Plugin } from "vite";
import { withoutLocalSockets } from "./bundle-web.ts";

const root = path.resolve(import.meta.dirname, "..");
const RESTART_DELAY_MS = 200;
const LINK = /http:\/\/127\.0\.0\.1:(\d+)\/(#code=\S+)/;

const dataDir = process.env["ROUNDTABLE_HOME"] ?? path.join(tmpdir(), `roundtable-dev-${userInfo().username}`);
mkdirSync(dataDir, { recursive: true, mode: 0o700 });

let child: ChildProcess | undefined;
let restart: NodeJS.Timeout | undefined;
let target = "";

/** Resolves with the link of the server, which opens the page once. */
function startServer(): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const args = [path.join(root, "src/cli/main.ts"), "serve", "--data-dir", dataDir, ...process.argv.slice(2)];
  const started = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  child = started;
  let text = "";
  started.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const [, port, code] = LINK.exec((text += chunk)) ?? [];
    if (code === undefined) return;
    target = `http://127.0.0.1:${port}`;
    resolve(code);
  });
  started.on("close", (exitCode) => reject(new Error(`The server ended with ${exitCode ?? "a signal"}.`)));
  return promise;
}

function restartServer(): void {
  child?.once("close", () => void startServer().catch(report));
  if (child?.kill("SIGKILL") !== true) child?.emit("close");
}

/** A server that does not start is tried again after the next change. */
function report(error: Error): void {
  process.stderr.write(`${error.message}\n`);
}

/** The page names its packed files; here they are the sources. */
const fromSources: Plugin = {
  name: "from-sources",
  transformIndexHtml: {
    order: "pre",
    handler: (html) => html.replace(/.*\/app\.css.*\n/, "").replace("/app.js", "/main.tsx"),
  },
  configureServer({ middlewares }) {
    middlewares.use("/highlighter.js", (_request, response) => {
      response.setHeader("content-type", "text/javascript");
      response.end('import "/highlight/highlight-worker.ts";');
    });
  },
};

const code = await startServer();
const page = await createServer({
  configFile: false,
  envDir: false,
  root: path.join(root, "src/web"),
  publicDir: false,
  oxc: { jsx: { runtime: "automatic" } },
  plugins: [withoutLocalSockets, fromSources],
  server: {
    host: "127.0.0.1",
    fs: { allow: [root] },
    // The guard of the server answers only to its own address.
    proxy: {
      "/v1": {
        target,
        ws: true,
        changeOrigin: true,
        rewriteWsOrigin: true,
        configure: (proxy) =>
          proxy.on("proxyReq", (request) => {
            if (request.hasHeader("origin")) request.setHeader("origin", target);
          }),
      },
    },
  },
});
await page.listen();
for (const folder of ["src", "edges"].filter((name) => existsSync(path.join(root, name))))
  watch(path.join(root, folder), { recursive: true }, (_event, name) => {
    if (name === null || name.startsWith(`web${path.sep}`) || name.endsWith(".test.ts")) return;
    clearTimeout(restart);
    restart = setTimeout(restartServer, RESTART_DELAY_MS);
  });
process.stdout.write(`${page.resolvedUrls?.local[0] ?? ""}${code}\n`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    child?.removeAllListeners("close");
    child?.kill();
    process.exit(0);
  });
