/**
 * `web`: opens the page of the server in the browser; starts a background server if needed. The one-time link is
 * printed too, for a browser that cannot be opened from here.
 */
import { findServer, movedNote, type ReachableServer } from "../../server/index.ts";
import type { CommonFlags } from "../flags.ts";
import { dataDirectory, workingDirectory } from "../config/paths.ts";
import { existingDataDirectory, prepareDataDirectory } from "../config/data-directory.ts";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { Failure, noteLine } from "../../kit/failure.ts";
import { BACKGROUND_VARIABLE, openInBrowser, reachServer } from "../connect/background-server.ts";
import { note, stdout } from "../terminal/stdout.ts";
import { examples, type DeclareCommand } from "./command.ts";
import { addCommonOptions } from "./options.ts";

interface WebFlags extends CommonFlags {
  /** False with `--no-open`: only print the link. */
  open?: boolean;
  /** Print a code to type instead of a link. */
  code?: boolean;
}

export const declareWeb: DeclareCommand = (command, run) => {
  command
    .option("--no-open", "only print the link")
    .option("--code", "print a code to type into a signed-out page instead");
  addCommonOptions(command);
  command.addHelpText("after", examples(["roundtable web", "roundtable web --no-open", "roundtable web --code"]));
  command.action(async (flags: WebFlags) => run(flags, web));
};

async function web(flags: WebFlags): Promise<ExitCode> {
  const dataDir = dataDirectory(process.env, flags.dataDir, process.cwd());
  const server = await reach(dataDir, flags);
  const moved = movedNote(dataDir, server.url);
  if (moved !== undefined) note(noteLine(moved));
  if (flags.code === true) {
    stdout.write(`${await newCode(server, { typed: true })}\n`);
    const { url } = (await (await fetch(`${server.url}/v1/sign-in`)).json()) as { url?: string };
    note(`Type it at ${url === undefined ? server.url : `${server.url}, or at ${url},`} within a minute.\n`);
    return exitCodes.ok;
  }
  const link = `${server.url}/#code=${await newCode(server)}`;
  stdout.write(`${link}\n`);
  // Do not open a browser when a script reads the link.
  if (flags.open === false || !process.stdout.isTTY) return exitCodes.ok;
  if (!(await openInBrowser(link, { dataDir, env: process.env })))
    note(noteLine("cannot open a browser here; the link works once, within a minute"));
  return exitCodes.ok;
}

async function reach(dataDir: string, flags: WebFlags): Promise<ReachableServer> {
  if (process.env[BACKGROUND_VARIABLE] === "0") {
    const running = existingDataDirectory(dataDir) === undefined ? undefined : await findServer(dataDir);
    if (running !== undefined) return running;
    throw new Failure(exitCodes.failure, "closed", `no server is running for the data directory ${dataDir}`, {
      hint: "Start one with roundtable serve",
    });
  }
  prepareDataDirectory(dataDir);
  const reached = await reachServer({ dataDir, cwd: workingDirectory(flags.directory) });
  if ("url" in reached) return reached;
  throw new Failure(exitCodes.failure, "closed", reached.why, {
    hint: "roundtable serve starts one here, with its output",
  });
}

async function newCode({ url, token }: ReachableServer, options: { typed?: boolean } = {}): Promise<string> {
  const answer = await fetch(`${url}/v1/codes`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify(options),
  });
  if (!answer.ok) {
    throw new Failure(exitCodes.failure, "refused", `the server at ${url} did not issue a code (${answer.status})`);
  }
  const { code } = (await answer.json()) as { code: string };
  return code;
}
