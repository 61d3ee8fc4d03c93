/** Host in this process. Its agent processes are marked, so that orphans are ended after a crash. */
import { homedir } from "node:os";
import type { Host } from "../../host/index.ts";
import { alwaysAllowedFile, configDirectory } from "../config/paths.ts";
import { createRuleReader } from "../config/approval-rules.ts";
import type { Setting } from "../config/environment.ts";
import { memberEnvironmentFor } from "../config/member-environment.ts";
import { isSandboxOff, memberSandboxFor } from "../config/member-sandbox.ts";
import { mcpServersFor } from "../config/mcp-servers.ts";
import { noteLine } from "../../kit/failure.ts";
import { note } from "../terminal/stdout.ts";
import { readVersion } from "../version.ts";

/** `overrides`: configuration keys from the command line, for this process. */
export async function createLocalHost(dataDir: string, overrides: readonly Setting[] = []): Promise<Host> {
  const [{ createAlwaysAllowedFile: createAlwaysFile, createHost }, { createAgents, parseRule, whyNotWritable }] =
    await Promise.all([import("../../host/index.ts"), import("../../agents/index.ts")]);
  const warn = (sentence: string) => note(noteLine(sentence));
  const rulesFor = createRuleReader({ env: process.env, overrides, parseRule, warn });
  const { factory, endOrphans } = createAgents({
    dataDir,
    mcpServersFor: (cwd) => mcpServersFor(cwd, process.env, overrides),
    environmentFor: (cwd, member) => memberEnvironmentFor({ cwd, member }, process.env, overrides),
    sandboxFor: (cwd, member) => memberSandboxFor({ cwd, member }, process.env, overrides),
    rulesFor,
  });
  const always = createAlwaysFile({ file: alwaysAllowedFile(process.env), warn });
  const approvals = { rulesFor, always };
  const environment = { home: homedir(), env: process.env, own: [dataDir, configDirectory(process.env)] };
  return await createHost({
    dataDir,
    agentFactory: factory,
    approvals,
    endOrphans,
    warn,
    version: readVersion(),
    whyNotWritable: (cwd) => (isSandboxOff(cwd, process.env, overrides) ? null : whyNotWritable(cwd, environment)),
  });
}
