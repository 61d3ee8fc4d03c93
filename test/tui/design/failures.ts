/** Moments in which one member works, has changed files, and in which members have failed. */
import { addedLines, WORKER_DIFF } from "./requests.ts";
import { ask, commands, read, seated, shell, type Story } from "./tidepool.ts";

/** codex has changed five files. */
export function changes(): Story {
  const story = seated({ writable: true });
  ask(story, "fix", "Fix it.", ["codex"]);
  story.start("codex", "fix");
  const edited: readonly (readonly [path: string, diff: string])[] = [
    ["src/worker.ts", WORKER_DIFF],
    ["src/lease.ts", "@@ -41 +41 @@\n-old\n+new\n"],
    ["src/time/clock.ts", addedLines("src/time/clock.ts", 9)],
    ["test/shutdown.test.ts", addedLines("test/shutdown.test.ts", 82)],
    ["CHANGELOG.md", addedLines("CHANGELOG.md", 1)],
  ];
  const files = edited.map(([path, diff]) => {
    const count = (sign: RegExp) => diff.split("\n").filter((line) => sign.test(line)).length;
    return { path, status: "modified" as const, diff, added: count(/^\+(?!\+\+ )/), removed: count(/^-(?!-- )/) };
  });
  story.add({ type: "change_report", turnId: story.turnOf("codex"), member: "codex", files, truncatedCount: 0 });
  return story.end("codex", 60, 0.61);
}

export function failures(): Story {
  const story = seated();
  ask(story, "question", "After a deploy some jobs run twice. Why, and what is the smallest safe fix?");
  for (const name of ["claude", "codex", "gemini"]) story.start(name, "question");
  story.end("claude", 0.8, 0, {
    outcome: "errored",
    error: {
      code: "not_logged_in",
      message: "claude is not logged in.",
      hint: "Run `claude /login`.",
      detail: "Invalid API key · Please run /login",
      exitCode: 1,
    },
  });
  story.work("gemini", 2, read("src/worker.ts"), read("src/lease.ts"), read("src/jobs.ts"));
  story.text("gemini", "I see the order in `stop()`, but it does not explain the double runs on Sunday, when");
  story.at(21).end("gemini", 21, 0.02, {
    outcome: "errored",
    error: {
      code: "rate_limit",
      message: "gemini has used up its quota. It resets at 17:00.",
      detail: "429 RESOURCE_EXHAUSTED: quota exceeded for requests per day",
    },
  });
  story.work("codex", 14, ...commands(2)).spent("codex", 0.07);
  story.at(28).call("codex", shell("npx vitest run test/shutdown.test.ts"));
  return story.at(31);
}
