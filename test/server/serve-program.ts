/** `roundtable serve` as a child process with a home of its own, and how to reach it. */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createHome, mainFile, type Home } from "../cli/program.ts";

export interface Serving {
  home: Home;
  child: ChildProcess;
  url: string;
  link: string;
  token: string;
  /** Everything printed so far, both streams. */
  printed: () => string;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  stop: () => Promise<void>;
}

export async function startServing(
  { home = createHome(), umask = "077" }: { home?: Home; umask?: string } = {},
  args: readonly string[] = [],
): Promise<Serving> {
  const child = spawn(
    "/bin/sh",
    ["-c", `umask ${umask}; exec "$0" "$@"`, process.execPath, mainFile, "serve", ...args],
    {
      cwd: home.project,
      env: home.env,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let printed = "";
  const linked = Promise.withResolvers<string>();
  const take = (text: string) => {
    printed += text;
    const link = /http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]+/.exec(printed)?.[0];
    if (link !== undefined) linked.resolve(link);
  };
  child.stdout.setEncoding("utf8").on("data", take);
  child.stderr.setEncoding("utf8").on("data", take);
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) =>
    child.on("close", (code, signal) => {
      linked.reject(new Error(`serve ended before it printed a link: ${printed}`));
      done({ code, signal });
    }),
  );
  const link = await linked.promise;
  return {
    home,
    child,
    link,
    url: link.slice(0, link.indexOf("/#")),
    token: readFileSync(join(home.dataDir, "token"), "utf8").trim(),
    printed: () => printed,
    ended,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
