/** Checks that the working directory exists; turns end errored with the reason otherwise. */
import { stat } from "node:fs/promises";
import { RoundtableError } from "../../protocol/index.ts";
import type { AgentSetup } from "../port.ts";

export function checksDirectory(member: string): (setup: AgentSetup) => Promise<void> {
  return async ({ cwd }) => {
    const facts = await stat(cwd).catch((cause: unknown) => {
      throw new RoundtableError("unsupported", `${member} cannot search ${cwd}: it cannot be opened.`, {
        cause,
        hint: WHERE,
      });
    });
    if (!facts.isDirectory()) {
      throw new RoundtableError("unsupported", `${member} cannot search ${cwd}: it is not a directory.`, {
        hint: WHERE,
      });
    }
  };
}

const WHERE = "Open the session in a directory that exists (-C DIR).";
