/** A member of your own: a program that speaks the Agent Client Protocol on stdio. This one repeats what it is asked. */
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const methods = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {}, authMethods: [] }),
  "session/new": () => ({ sessionId: "echo" }),
  "session/prompt": ({ sessionId, prompt }) => {
    const question = prompt.map(({ text }) => text ?? "").join("");
    const content = {
      type: "text",
      text: `You wrote ${question.length} characters, ending with: ${question.slice(-80)}`,
    };
    send({
      method: "session/update",
      params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } },
    });
    return { stopReason: "end_turn" };
  },
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && method !== undefined) send({ id, result: methods[method]?.(params) ?? {} });
});
