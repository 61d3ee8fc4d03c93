/** Entry point: runs the command line and exits with its exit code and at most one error sentence on stderr. */
import { pathToFileURL } from "node:url";
import { runCommandLine } from "./args.ts";
import { exitCodes, type ExitCode } from "../kit/exit-codes.ts";
import { failureLine, toFailure } from "../kit/failure.ts";
import { note, stdout } from "./terminal/stdout.ts";
import { readVersion } from "./version.ts";

export async function main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  // A closed stderr must not end a run that can still finish its work.
  process.stderr.on("error", () => {});
  const exitCode = await run(args);
  await stdout.flush();
  // Everything was closed in order; do not wait for handles that still keep the process alive, such as a hanging store.
  process.exit(exitCode);
}

/** Without exiting; errors are reported on stderr. */
export async function run(args: readonly string[]): Promise<ExitCode> {
  try {
    const exitCode = await runCommandLine(args, readVersion());
    await stdout.flush();
    const { error } = stdout;
    if (error === undefined || error.code === "EPIPE") return exitCode;
    note(`roundtable: cannot write the output (${error.code ?? error.message}).\n`);
    return exitCodes.failure;
  } catch (error) {
    const failure = toFailure(error);
    note(failureLine(failure));
    return failure.exitCode;
  }
}

const isEntry = process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href;
if (isEntry) await main();
