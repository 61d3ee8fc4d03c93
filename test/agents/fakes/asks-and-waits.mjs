/** Asks the user and waits for the answer, however long it takes. */
import { onMessage, say } from "./speak.mjs";

onMessage((message) => {
  if (message.do === "turn") say({ ask: "May I?", id: "q1" });
  if (message.do === "answer") {
    say({ say: `answer: ${JSON.stringify(message.result)}, error: ${JSON.stringify(message.error)}` });
    say({ done: "completed" });
  }
});
