/** Test phrases for the course of work: plan, changes, retries, another model, usage and context. All of it is made up. */
import type { PlainEvent } from "../../../../src/agents/index.ts";
import type { TryPhrase } from "./phrases.ts";

const PLAN = ["Look at what is there", "Change it", "Check that it holds"];
const STEP_MS = 1_000;

export const workPhrases: readonly TryPhrase[] = [
  {
    name: "plan",
    does: "shows a plan and goes through it",
    async run(turn) {
      await turn.write("A plan of three steps:\n\n");
      for (let done = 0; done <= PLAN.length; done++) {
        const items = PLAN.map((text, index) => ({
          text,
          status:
            index < done ? ("completed" as const) : index === done ? ("in_progress" as const) : ("pending" as const),
        }));
        turn.show({ type: "plan_update", planId: "try-plan", items, explanation: "A plan made up by scout." });
        if (done < PLAN.length) await turn.delay(STEP_MS);
      }
      await turn.write("All three are done; nothing was changed.\n");
    },
  },
  shown("changes", "reports changed files (made up: nothing is changed)", {
    type: "change_report",
    files: [
      {
        path: "src/example.ts",
        status: "modified",
        added: 2,
        removed: 1,
        diff: "--- a/src/example.ts\n+++ b/src/example.ts\n@@ -1,2 +1,3 @@\n-const a = 1;\n+const a = 2;\n+const b = 3;\n export { a };\n",
      },
      { path: "src/new.ts", status: "added", added: 10, removed: 0 },
      { path: "src/old.ts", status: "deleted", added: 0, removed: 7 },
    ],
    truncatedCount: 4,
  }),
  {
    name: "retrying",
    does: "retries twice before it answers",
    async run(turn) {
      for (const attempt of [1, 2]) {
        turn.show({ type: "retrying", attempt, of: 3, delayMs: STEP_MS, reason: "This failure is made up." });
        await turn.delay(STEP_MS);
      }
      await turn.write("The third attempt went well.\n");
    },
  },
  shown("fallback", "says that another model answers", {
    type: "model_fallback",
    preferred: "scout-large",
    actual: "scout",
    reason: "There is no larger scout.",
  }),
  shown("usage", "shows the usage of the running turn (made up: it ends with zero)", {
    type: "usage",
    usage: { inputTokens: 1_200, outputTokens: 340, cacheReadTokens: 800, costUsd: 0.0123 },
  }),
  shown("context", "shows how full the context is (made up)", {
    type: "context_update",
    used: 150_000,
    window: 200_000,
    compactAt: 180_000,
    measured: false,
  }),
];

function shown(name: string, does: string, event: PlainEvent): TryPhrase {
  return {
    name,
    does,
    async run(turn) {
      turn.show(event);
      await turn.write(`Done: ${does}.\n`);
    },
  };
}
