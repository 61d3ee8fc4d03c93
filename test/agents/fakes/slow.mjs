/** Says a word every 40 ms, as many as the turn says; stops when it is interrupted. */
import { onMessage, say } from "./speak.mjs";

let timer;
onMessage((message) => {
  if (message.do === "interrupt") {
    clearInterval(timer);
    say({ done: "interrupted" });
  }
  if (message.do !== "turn") return;
  let left = Number(message.text);
  timer = setInterval(() => {
    if (left-- > 0) return say({ say: "word " });
    clearInterval(timer);
    say({ done: "completed" });
  }, 40);
});
