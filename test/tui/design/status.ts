/** Moments of the design's sheet of states: box rule, status line and hints. */
import { ask, commands, MEMBERS, seated, shell, type Story } from "./tidepool.ts";
import { approval } from "./requests.ts";

const INSTALL = "npm install --save-dev fast-check && npm test";

/** codex asks for something while somebody types. */
export function askedWhileTyping(): Story {
  const story = seated({ writable: true });
  ask(story, "fix", "Fix it.", ["codex"]);
  story.start("codex", "fix").work("codex", 3, ...commands(2));
  const install = story.call("codex", shell(INSTALL));
  approval(story, install, "codex", 270, { args: { command: INSTALL } });
  return contexts(story, [78, 88, 95]).spent("codex", 0.52).at(18);
}

function contexts(story: Story, left: readonly number[]): Story {
  for (const [at, { name }] of MEMBERS.entries()) story.context(name, left[at] ?? 100);
  return story;
}

/** Two members have answered; somebody reads the first answer again. */
export function readAgain(): Story {
  const story = seated();
  for (const at of [1, 2]) {
    ask(story, `earlier-${at}`, `Question ${at}`, ["claude"]);
    story.start("claude", `earlier-${at}`).text("claude", "A line of the answer.\n\n".repeat(40));
    story.end("claude", 12, 0.19).after(1);
  }
  ask(story, "question", "And now?", ["codex", "gemini"]);
  return story.start("codex", "question").start("gemini", "question").after(5);
}

export function twoAnswers(story: Story): Story {
  for (const name of ["codex", "gemini"]) {
    story.text(name, "An answer.").end(name, 6, 0);
  }
  return story;
}

/** Members may edit, and nothing keeps them from it. */
export function unguarded(): Story {
  return contexts(brief(seated({ writable: true, guard: "unguarded" }), [0.19, 0.14, 0.05]), [78, 88, 95]);
}

function brief(story: Story, costs: readonly number[]): Story {
  ask(story, "question", "Why?");
  for (const [at, { name }] of MEMBERS.entries()) {
    story
      .start(name, "question")
      .text(name, "Because.")
      .end(name, 40, costs[at] ?? 0);
  }
  return story;
}

/** Most of the money and of claude's context is used up. */
export function shortOfEverything(): Story {
  return contexts(brief(seated(), [1.35, 1.35, 1.35]), [11, 54, 71]);
}

/** What codex can be switched to. */
export function withModels(story: Story): Story {
  const models = [
    { id: "gpt-5.6" },
    { id: "gpt-5.6-mini", description: "faster, smaller" },
    { id: "gpt-5.6-codex", description: "tuned for code" },
    { id: "gpt-oss:120b", description: "local" },
  ];
  return story.add({ type: "member_models", member: "codex", models });
}
