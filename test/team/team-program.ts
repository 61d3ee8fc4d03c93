/** Nodes and runners as processes of the packed program, behind TLS with a certificate that is made for the run. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createHome, mainFile, type Home } from "../cli/program.ts";

export interface Program {
  readonly child: ChildProcess;
  /** Both streams so far. */
  readonly printed: () => string;
  readonly ended: Promise<number | null>;
  /** Resolves with the first match of what it prints. */
  prints(pattern: RegExp): Promise<string>;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** What a benchmark or test that failed has not stopped ends with it. */
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

export function startProgram(args: readonly string[], env: Record<string, string>, cwd: string): Program {
  const child = spawn(process.execPath, [mainFile, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  let printed = "";
  const waiters = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      for (const look of waiters) look();
    });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return {
    child,
    printed: () => printed,
    ended,
    async prints(pattern) {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const look = (): void => {
        const found = pattern.exec(printed)?.[0];
        if (found !== undefined) resolve(found);
      };
      waiters.add(look);
      void ended.then(() => reject(new Error(`it ended before it printed ${String(pattern)}: ${printed}`)));
      look();
      return await promise.finally(() => waiters.delete(look));
    },
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      await ended;
    },
  };
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Trusted by this process, and by those that get its file in NODE_EXTRA_CA_CERTS. */
export function createCertificate(): Certificate {
  const directory = mkdtempSync(path.join(tmpdir(), "tls-"));
  const cert = path.join(directory, "cert.pem");
  const key = path.join(directory, "key.pem");
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", cert];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, ...subject, ...files], { stdio: "ignore" });
  setDefaultCACertificates([...getCACertificates(), readFileSync(cert, "utf8")]);
  return { cert, key };
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Shows this process a clock that is off. */
export const clockOff = (hours: number) => ({
  NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(
    `const now = Date.now; const off = ${hours} * 3600000; const Real = Date;
     globalThis.Date = class extends Real { constructor(...a) { super(...(a.length ? a : [now() + off])); } static now() { return now() + off; } };`,
  )}`,
});

export interface NodePlan {
  readonly database: string;
  readonly certificate: Certificate;
  readonly url: string;
  readonly port: number;
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
}

export async function startNodeProgram({
  database,
  certificate,
  url,
  port,
  args: more = [],
  env = {},
}: NodePlan): Promise<Program> {
  const home = createHome();
  const tls = ["--tls-cert", certificate.cert, "--tls-key", certificate.key];
  const args = ["serve", "--team", "--database", database, "--listen", `127.0.0.1:${port}`, ...tls, "--url", url];
  const program = startProgram([...args, ...more], { ...home.env, ...env }, home.project);
  await program.prints(/serves a team at/);
  return program;
}

export interface RunnerPlan {
  readonly link: string;
  readonly home: Home;
  /** By default the one as which it has joined before. */
  readonly name?: string;
  readonly certificate: Certificate;
  readonly args?: readonly string[];
}

export async function startRunnerProgram(plan: RunnerPlan): Promise<Program> {
  const { link, home, name, certificate, args = [] } = plan;
  const named = name === undefined ? [] : ["--name", name];
  const env = { ...home.env, NODE_EXTRA_CA_CERTS: certificate.cert };
  const program = startProgram(["join", link, ...named, "--folders", home.project, ...args], env, home.project);
  await program.prints(/is connected to/);
  return program;
}
