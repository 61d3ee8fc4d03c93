/** Moments in which something is said to members that work, is queued, held or stopped. */
import { commands, files, shell, ask, seated, type Story } from "./tidepool.ts";

const STEERED = "also look at the tests for retry";
const QUEUED = "then update CHANGELOG.md";

/** codex works alone on the second message. */
export function oneWorks(): Story {
  const story = seated();
  ask(story, "question", "Reproduce it.", ["codex"]);
  story.start("codex", "question");
  story.work("codex", 19, ...files(4), ...commands(2));
  story.at(61).call("codex", shell("npx vitest run test/shutdown.test.ts"));
  return story.at(64);
}

function queue(story: Story, ...texts: readonly string[]): Story {
  const items = texts.map((text, at) => ({
    messageId: `queued-${at}`,
    text,
    to: ["all"],
    attachments: [],
    ts: story.now,
  }));
  return story.add({ type: "queue_updated", items });
}

/** Says the same to every member that works; codex sees it at once, gemini cannot be steered. */
function steer(story: Story, to: readonly string[]): Story {
  ask(story, "steer", STEERED, to);
  for (const member of to) story.add({ type: "message_delivery", messageId: "steer", member, state: "pending" });
  story.add({ type: "steering", messageId: "steer", member: "codex", turnId: story.turnOf("codex") });
  return story.add({ type: "message_delivery", messageId: "steer", member: "codex", state: "delivered" });
}

/** codex was told something while it worked, and a second text is queued. */
export function steered(
  said = "Retry keeps the lease, so its tests do not cover this. I will add one case there.",
): Story {
  const story = oneWorks();
  story.at(67).result("codex", "call-7", { durationMs: 6200 });
  steer(story.at(69), ["codex"]).text("codex", said);
  return queue(story, QUEUED).at(72);
}

/** gemini works as well, and sees what was said only after its turn. */
export function steeredTwo(): Story {
  const story = seated({ unsteerable: "gemini" });
  ask(story, "question", "Reproduce it.", ["codex", "gemini"]);
  story.start("codex", "question").start("gemini", "question");
  steer(story.at(69), ["codex", "gemini"]);
  return story.at(72).thinking("gemini", "Two clocks");
}

/** codex is stopped; what was queued goes back into the box. */
export function stopped(story: Story): Story {
  story.at(74).end("codex", 74, 0.1, { outcome: "interrupted" });
  return queue(story);
}

/** The budget is spent before codex and gemini have answered, and a text waits. */
export function paused(): Story {
  const story = seated();
  ask(story, "question", "Which retry policy should be the default?");
  story.start("claude", "question").at(40).text("claude", "Exponential with full jitter.").end("claude", 40, 5.02);
  const why = { why: "limit" as const, limit: "usd", scope: "session" as const, rootMessageId: "question" };
  const message = "The discussion pauses: $5.02 of $5.00 spent. /continue allows $5.00 more.";
  story.add({ type: "council_paused", ...why, message });
  return queue(story, QUEUED);
}

/** Another screen has asked codex. */
export function startedElsewhere(): Story {
  const story = seated();
  ask(story, "question", "Reproduce it.", ["codex"]);
  story.start("codex", "question");
  story.work("codex", 19, ...files(4), ...commands(2));
  return story.at(271).text("codex", "Both");
}
