/** Six members at one table, each with another answer; one has failed. */
import type { DraftOf } from "../../../src/protocol/index.ts";
import { CAPABILITIES, created, joined, SETTINGS } from "../../generate/drafts.ts";
import { ask, commands, CWD, files, shell, Story } from "./tidepool.ts";

const QUESTION =
  "Which retry policy should be the default in v2? One recommendation each, with the strongest argument against it.";

const SPECS: readonly DraftOf<"member_joined">["spec"][] = [
  { name: "claude", kind: "claude", model: "opus-4.8", effort: "high" },
  { name: "codex", kind: "codex", model: "gpt-5.6", effort: "medium" },
  { name: "gemini", kind: "acp", model: "gemini-3-pro" },
  { name: "qwen", kind: "openai", model: "qwen3-coder:30b", baseUrl: "http://localhost:11434/v1" },
  { name: "scout", kind: "embedded" },
  { name: "pi", kind: "pi", model: "devstral" },
];

const GEMINI = `**None. Make it required.**

A default hides the decision. \`enqueue()\` without \`retry\` should not compile (src/types.ts:48).

Against it: every example in the docs grows by a line, and the upgrade to v2 breaks everybody at once.`;

const CODEX =
  "**Exponential with jitter**, but measured first. I am replaying last week's failures from test/fixtures/failures.jsonl against three policies.";

const CLAUDE = `**Exponential with full jitter, five tries.**

It is what src/retry.ts:22 does for webhooks already, and it is the only policy here that does not synchronise workers after an outage.

Against it: a job that fails for a reason of its own waits up to four minutes before anybody hears of it.`;

const QWEN = `**Fixed delay of 5 s, three tries.**

Simple to reason about and to test with a fake clock. Most failures in docs/incidents.md were over within ten seconds, so`;

const SCOUT =
  "Best match: src/retry.ts:22, `DEFAULT_RETRY`, used in 6 places. Tests that depend on it: test/retry.test.ts:14, test/webhook.test.ts:90.";

export function six(): Story {
  const story = table();
  ask(story, "question", QUESTION);
  for (const { name } of SPECS) story.start(name, "question");
  story.work("claude", 6, ...files(7));
  story.work("codex", 9, ...files(3), ...commands(1));
  story.work("gemini", 2, ...files(2));
  story.work("qwen", 14, ...files(2));
  story.text("scout", SCOUT);
  const usage = { inputTokens: 0, outputTokens: 0 };
  story.end("scout", 0.4, 0, { usage });
  const error = {
    code: "unreachable",
    message: "pi's server does not answer at localhost:11434.",
    hint: "Run `ollama serve`.",
  };
  story.end("pi", 1, 0, { outcome: "errored", usage, error });
  story.at(21).text("gemini", GEMINI).end("gemini", 21, 0.03);
  story.at(33).text("codex", CODEX);
  const replay = story.call("codex", shell("node bench/replay.mjs --policies all"));
  const saved = "fixed 5 s        2,140 retries   91.2% saved\nexponential      1,377 retries   93.8% saved\n";
  story.output("codex", replay, saved);
  story.at(38).text("claude", CLAUDE).end("claude", 38, 0.11);
  story.text("qwen", QWEN);
  story.context("claude", 90).context("codex", 93).context("gemini", 97).context("qwen", 71);
  return story.spent("codex", 0.05).at(44);
}

function table(): Story {
  const limits = { ...SETTINGS.limits, usd: 5, session: { usd: 5 } };
  const settings = { ...SETTINGS, writable: false, limits };
  const story = new Story().add(created({ title: "Which retry policy should be the default?", cwd: CWD, settings }));
  const capabilities = { ...CAPABILITIES, effort: ["low", "medium", "high"] };
  for (const spec of SPECS) story.add(joined(spec.name, { spec, capabilities }));
  for (const { name } of SPECS) story.add({ type: "member_guard", member: name, guard: "sandbox" });
  return story;
}
