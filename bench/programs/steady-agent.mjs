/**
 * An agent of the Agent Client Protocol that answers every prompt with a hundred numbered words a second, each written
 * when it is due. The prompt says how many, and the letter they begin with: `say 600 w`.
 */
import { createInterface } from "node:readline";

const WORD_MS = 10;
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  "session/new": () => ({ sessionId: "steady" }),
};

function speak(id, [, count, letter]) {
  const startedMs = performance.now();
  let said = 0;
  (function next() {
    for (; said < count && performance.now() - startedMs >= said * WORD_MS; said += 1) {
      const text = `${letter}${String(said + 1).padStart(5, "0")} `;
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } };
      send({ method: "session/update", params: { sessionId: "steady", update } });
    }
    if (said < count) setTimeout(next, Math.max(0, startedMs + said * WORD_MS - performance.now()));
    else send({ id, result: { stopReason: "end_turn" } });
  })();
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "session/prompt") speak(id, /say (\d+) ([a-z])/.exec(params.prompt.map(({ text }) => text).join()));
  else if (id !== undefined && method !== undefined) send({ id, result: answers[method]?.() ?? {} });
});
