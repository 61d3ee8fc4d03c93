/** Answers, and then never leaves, not even when its input ends. */
import { onTurn, say, stay } from "./speak.mjs";

stay();
onTurn(() => {
  say({ say: "my answer" });
  say({ done: "completed" });
});
