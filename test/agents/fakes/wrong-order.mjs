/** Ends tools that never began, repeats ids, ends its turn twice and goes on talking after it. */
import { onTurn, say } from "./speak.mjs";

onTurn(() => {
  say({ result: "out of nowhere", id: "t1" });
  say({ tool: "search", id: "t2" });
  say({ tool: "search", id: "t2" });
  say({ result: "found", id: "t2" });
  say({ say: "answer" });
  say({ done: "completed" });
  say({ done: "errored" });
  say({ say: "more" });
});
