/**
 * A session on the file log with the built-in agent, to be killed: `chatting-session.ts DATA SESSION URL TEXT…`.
 * Says one text after another, compacts before the last one, and then stays in the last turn until it is killed.
 */
import { createModelAgent } from "../../../../src/agents/model/model-agent.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { newId } from "../../../../src/kit/ids.ts";
import { openFileLog } from "../../../../src/log/index.ts";
import type { Command } from "../../../../src/protocol/index.ts";
import { createSession } from "../../../../src/session/index.ts";
import { SETTINGS } from "../../../session/session-run.ts";

const [dataDir = "", sessionId = "", baseUrl = "", ...texts] = process.argv.slice(2);
const log = await openFileLog({ dataDir, sessionId });
const session = await createSession({
  log,
  agentFactory: (spec, setup) => createModelAgent(spec, setup, { hostTools: ["history_search"] }),
  clock: systemClock,
  cwd: dataDir,
  title: "",
  settings: SETTINGS,
  members: [{ name: "local", kind: "openai", baseUrl, model: "m1", window: 20_000 }],
});

async function command(command: Command): Promise<void> {
  const ack = await session.command(command, "me");
  if (!ack.ok) throw new Error(ack.error.message);
  while (!session.isIdle) await new Promise((resolve) => setTimeout(resolve, 2));
}

for (const [at, text] of texts.entries()) {
  if (at === texts.length - 1) await command({ type: "compact", commandId: newId() });
  await command({ type: "send", commandId: newId(), clientMessageId: newId(), text });
}
