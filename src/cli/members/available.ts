/** Members that can be added to a running session by name: configured, built in, or detected on this machine. */
import type { MemberSpec } from "../../protocol/index.ts";
import type { CommonFlags } from "../flags.ts";
import { loadConfig } from "../config/load-config.ts";
import { availableMembers } from "./resolver.ts";
import { settingsFromFlags } from "../sessions/defaults.ts";
import { workingDirectory } from "../config/working-directory.ts";

/** Requested on every keystroke of a completion, and detection is slow. */
const CACHE_MS = 10_000;

export function createAvailableMembers(flags: CommonFlags): () => Promise<readonly MemberSpec[]> {
  let known: { readonly at: number; readonly members: Promise<readonly MemberSpec[]> } | undefined;
  return () => {
    if (known === undefined || performance.now() - known.at > CACHE_MS) {
      known = { at: performance.now(), members: findAvailable(flags) };
    }
    return known.members;
  };
}

async function findAvailable(flags: CommonFlags): Promise<readonly MemberSpec[]> {
  const { overrides } = settingsFromFlags(flags);
  const loaded = loadConfig({ cwd: workingDirectory(flags.directory), env: process.env, overrides });
  const { findAgents } = await import("../../agents/index.ts");
  return await availableMembers(loaded, () => findAgents({ env: process.env, cwd: loaded.cwd }));
}
