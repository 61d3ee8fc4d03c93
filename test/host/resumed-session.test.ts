/** A session that another host goes on with: listed, read, and then spoken to. */
import { expect, test } from "vitest";
import type { Agent, AgentEvent, AgentFactory, AgentSetup } from "../../src/agents/index.ts";
import type { SessionSummary } from "../../src/protocol/index.ts";
import { connect, createSession, listen, newDataDir, openHost, until, type Received } from "./open-host.ts";

/** Keeps a session of its own program, and tells what a turn has used. */
function createKeeper(setups: AgentSetup[]): AgentFactory {
  return (_spec, setup): Agent => {
    setups.push(setup);
    let up: (event: AgentEvent) => void = () => undefined;
    return {
      capabilities: {
        steer: false,
        keepsContext: true,
        tools: false,
        requests: false,
        images: false,
        switchModel: false,
      },
      start: async (listener) => void (up = listener),
      send(input) {
        if (input.kind === "steer") return;
        queueMicrotask(() => {
          up({ type: "member_session", nativeSessionId: "native-1" });
          up({ type: "text_delta", text: "hello" });
          const usage = { inputTokens: 7, outputTokens: 3 };
          up({ type: "turn_done", turnId: input.turnId, outcome: "completed", usage });
        });
      },
      interrupt: () => undefined,
      answer: () => undefined,
      close: () => Promise.resolve(),
    };
  };
}

/** The last thing that is written of a turn. */
const answered = ({ events }: Received): number =>
  events.filter((event) => event.type === "message_delivery" && event.state === "answered").length;

test("a listing shows the same before and after a restart, and neither listing nor reading writes to the session", async () => {
  const dataDir = newDataDir();
  const setups: AgentSetup[] = [];
  const agentFactory = createKeeper(setups);
  const first = await openHost(dataDir, { agentFactory });
  const before = await connect(first);
  const sessionId = await createSession(before, dataDir);
  const received = await listen(before, sessionId);
  await before.command(sessionId, { type: "send", text: "one", clientMessageId: "m1" });
  await until("the answer", () => answered(received) === 1);
  const summaryOf = async (client: typeof before): Promise<SessionSummary | undefined> =>
    (await client.list()).find((one) => one.sessionId === sessionId);
  const listed = await summaryOf(before);
  await first.close();

  const second = await openHost(dataDir, { agentFactory });
  const after = await connect(second);
  expect(await summaryOf(after)).toEqual(listed);
  const read = await listen(after, sessionId);
  await until("what was said before", () => answered(read) === 1);
  expect(await summaryOf(after)).toEqual(listed);
  expect(read.events.map(({ type }) => type)).not.toContain("session_resume");

  await after.command(sessionId, { type: "send", text: "two", clientMessageId: "m2" });
  await until("the second answer", () => answered(read) === 2);
  expect(read.events.filter(({ type }) => type === "session_resume")).toMatchObject([
    { afterSeq: listed?.seq, afterTs: listed?.updatedTs, seq: (listed?.seq ?? 0) + 1 },
  ]);
  expect(setups.at(-1)?.nativeSessionId).toBe("native-1");
  expect(await summaryOf(after)).toMatchObject({ turns: 2, createdTs: listed?.createdTs, title: listed?.title });
  await second.close();
});
