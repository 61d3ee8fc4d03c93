/** `serve --compat`: protocols of other systems on a port without a token, and what can be reached there. */
import { resolve } from "node:path";
import type { Command } from "commander";
import { compatWireNames } from "../../edges.ts";
import { collect, toNames, toPort } from "../option-values.ts";
import { usageFailure } from "../../../kit/failure.ts";

export interface CompatFlags {
  compat?: string[];
  compatPort?: number;
  compatSession?: string[];
  compatOrigin?: string[];
  compatPage?: string;
}

export function addCompatOptions(serve: Command): void {
  serve
    .option(
      "--compat <wires>",
      "serve the protocols of other systems (001, 004) on a port that needs no token",
      toNames,
    )
    .option("--compat-port <number>", "port for --compat (default: any free port)", toPort)
    .option(
      "--compat-session <id>",
      "with --compat: also expose this session, by id or part of an id; repeatable",
      collect,
    )
    .option("--compat-origin <url>", "with --compat: allow requests from this origin; repeatable", collect)
    .option("--compat-page <dir>", "with --compat: serve the other system's page from this directory");
}

export interface CompatPlan {
  readonly wires: readonly string[];
  /** 0: any free port. */
  readonly port: number;
  /** Ids or unique parts of ids. */
  readonly sessions: readonly string[];
  readonly origins: readonly string[];
  /** Directory of a page to serve there. */
  readonly page?: string;
}

const ORIGINS_MAX = 8;

/** Undefined without --compat. Throws a Failure for invalid options. */
export function compatPlan(flags: CompatFlags): CompatPlan | undefined {
  const { compat: wires, compatPort: port = 0, compatSession: sessions = [], compatOrigin: origins = [] } = flags;
  const { compatPage: page } = flags;
  if (wires === undefined) {
    if (flags.compatPort === undefined && sessions.length === 0 && origins.length === 0 && page === undefined)
      return undefined;
    throw usageFailure("--compat-port, --compat-session, --compat-origin and --compat-page need --compat", hint);
  }
  const unknown = wires.find((wire) => !compatWireNames.includes(wire));
  if (unknown !== undefined) throw usageFailure(`unknown protocol "${unknown}" in --compat`, hint);
  if (origins.length > ORIGINS_MAX) throw usageFailure(`--compat-origin is given more than ${ORIGINS_MAX} times`, hint);
  return {
    wires: [...new Set(wires)],
    port,
    sessions,
    origins: origins.map(checkOrigin),
    ...(page === undefined ? {} : { page: resolve(page) }),
  };
}

const hint = `Known protocols: ${compatWireNames.join(", ")}`;

/** The origin as a browser sends it; loopback only. */
function checkOrigin(text: string): string {
  const url = URL.parse(text);
  const isLocal = url?.hostname === "localhost" || url?.hostname === "127.0.0.1";
  if (url !== null && url.protocol === "http:" && isLocal && url.origin === text.replace(/\/$/, "")) return url.origin;
  throw usageFailure(
    `--compat-origin ${text} is not the address of a page on this machine`,
    "Such as http://localhost:5173",
  );
}
