/** Wire 001, over the port without a token. */
import { expect } from "vitest";
import {
  renamed,
  Speakers,
  unaddressed,
  USER,
  type Conversation,
  type ToolState,
} from "../../../test/wires/at-once/conversation.ts";
import { count, type Join } from "../../../test/wires/at-once/participant.ts";
import { Runs, WorkspaceState, type Frame } from "./frame-schemas.ts";
import { openLinggenClient } from "./linggen-client.ts";

export const join: Join = async ({ sessionId, cwd, compatUrl }) => {
  const client = await openLinggenClient(compatUrl, cwd, { query: `?session_id=${sessionId}` });
  // Like its page when it opens a session.
  await client.get("/api/agent-runs", { session_id: sessionId });
  const seesQuestion = () => client.seesKind("ask_user");
  return {
    async send(text) {
      await client.chat(unaddressed(text), { session_id: sessionId });
    },
    async seesQuestion() {
      await seesQuestion();
    },
    async answer() {
      const { question_id } = (await seesQuestion()).data as unknown as { question_id: string };
      const answers = [{ question_index: 0, selected: ["BLUE"], custom_text: null }];
      const answered = await client.ask("POST", "/api/ask-user-response", { question_id, answers });
      expect(answered).toEqual({ status: 200, body: { status: "ok" } });
    },
    async seesQueued() {
      await client.sees((frame) => frame.kind === "queue" && frame.text === "Queued 1 message(s)");
    },
    views: async () => [ofFrames(client.frames)],
    expressible: (whole) => renamed(whole, { bash: "Bash" }),
    async expectEndings(stopped, failed) {
      const runs = Runs.parse(await client.get("/api/agent-runs", { session_id: sessionId }));
      const statuses = runs.map(({ status }) => status);
      expect([count(statuses, "cancelled"), count(statuses, "failed")]).toEqual([stopped, failed]);
      const state = WorkspaceState.parse(await client.get("/api/workspace/state", { session_id: sessionId }));
      expect(state.messages.at(-1)?.[1]).toBe("read in the thread");
    },
    close: () => client.close(),
  };
};

/** Messages and blocks; an error is a message of its own. */
function ofFrames(frames: readonly Frame[]): Conversation {
  const speakers = new Speakers();
  const ends = new Map<string, ToolState>();
  for (const { kind, data = {} } of frames) {
    const { block_id, status } = data as Record<string, unknown>;
    if (kind === "content_block" && (status === "done" || status === "failed")) ends.set(String(block_id), status);
  }
  for (const { kind, phase, text = "", agent_id: who = "", data = {} } of frames) {
    const { block_id, tool } = data as Record<string, unknown>;
    if (kind === "message" && who === USER) speakers.emit(USER, unaddressed(text));
    else if (kind === "message" && !text.startsWith("Error: ")) speakers.emit(who, text);
    if (kind === "content_block" && phase === "start") {
      speakers.use(who, String(tool), ends.get(String(block_id)) ?? "running");
    }
  }
  return speakers.all();
}
