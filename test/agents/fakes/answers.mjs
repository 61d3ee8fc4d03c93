/** Behaves: answers, uses a tool or asks when told to, takes steers and interrupts, leaves when its input ends. */
import { onMessage, say } from "./speak.mjs";

let working = null;
say({ session: "native-1" });
process.stdin.on("end", () => process.exit(0));
onMessage((message) => {
  if (message.do === "turn") begin(message.text);
  if (working === null) return;
  if (message.do === "steer") {
    say({ steered: message.id });
    say({ say: `steered: ${message.text}` });
  }
  if (message.do === "answer") {
    say({ say: `answer: ${JSON.stringify(message.result)}` });
    end("completed");
  }
  if (message.do === "interrupt") end("interrupted");
});

function begin(text) {
  say({ say: `you said: ${text}` });
  if (text.includes("tool")) say({ tool: "search", id: "t1" });
  if (text.includes("ask")) say({ ask: "May I?", id: "q1" });
  working = setTimeout(() => end("completed"), /long|tool|ask/.test(text) ? 60_000 : 5);
}

function end(outcome) {
  clearTimeout(working);
  working = null;
  say({ done: outcome });
}
