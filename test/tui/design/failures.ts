/** Moments in which one member works, and in which members have failed. */
import { ask, commands, files, read, seated, shell, type Story } from "./tidepool.ts";

/** codex works alone on the second message. */
export function oneWorks(): Story {
  const story = seated();
  ask(story, "question", "Reproduce it.", ["codex"]);
  story.start("codex", "question");
  story.work("codex", 19, ...files(4), ...commands(2));
  story.at(61).call("codex", shell("npx vitest run test/shutdown.test.ts"));
  return story.at(64);
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
  story.work("codex", 14, ...commands(2));
  story.at(28).call("codex", shell("npx vitest run test/shutdown.test.ts"));
  return story.at(31);
}
