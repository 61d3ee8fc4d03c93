/** Finds the commands and README sections for a question such as "how do I run the tests". */
import type { ProjectCommand, ReadmeSection } from "./project-facts.ts";

/** Words of a question and names of matching commands. The first match decides. */
const INTENTS: readonly { pattern: RegExp; named: RegExp }[] = [
  { pattern: /\btests?(?:ing)?\b/i, named: /^(?:spec|e2e|unit|check)$|\btests?\b/i },
  { pattern: /\bbench/i, named: /bench/i },
  { pattern: /\blint|\bformat|\btype-?check|\bcheck/i, named: /lint|format|fmt|check|types?\b|fix/i },
  { pattern: /\bbuild|\bcompil|\bbundl/i, named: /build|compile|bundle|dist|^all$|^pack/i },
  { pattern: /\binstall|\bset ?up|\bdependenc/i, named: /install|setup|bootstrap|^prepare/i },
  { pattern: /\bdeploy|\brelease|\bpublish/i, named: /deploy|release|publish|^pack|version/i },
  { pattern: /\brun|\bstart|\blaunch|\bserve|\bdevelop/i, named: /^(?:start|dev|serve|run|watch)\b/i },
];

const SECTIONS_MAX = 2;

/** All commands when the question names no purpose; best match first, then in file order. */
export function chooseCommands(commands: readonly ProjectCommand[], question: string): ProjectCommand[] {
  const intent = INTENTS.find((one) => one.pattern.test(question));
  if (intent === undefined) return [...commands];
  const fitting = commands.filter((one) => intent.named.test(one.name));
  return fitting.sort((a, b) => fit(a, intent) - fit(b, intent));
}

/** A name that equals the purpose ("test") comes before one that contains it ("test:watch"). */
function fit(command: ProjectCommand, intent: { pattern: RegExp }): number {
  if (!intent.pattern.test(command.name)) return 2;
  return /^[a-z]+$/i.test(command.name) ? 0 : 1;
}

export function sectionsAbout(sections: readonly ReadmeSection[], question: string): ReadmeSection[] {
  const intent = INTENTS.find((one) => one.pattern.test(question));
  if (intent === undefined) return [];
  const byTitle = sections.filter((one) => one.title !== "" && intent.pattern.test(one.title));
  const byCode = sections.filter(
    (one) => one.level > 1 && /```/.test(one.body.join("\n")) && intent.pattern.test(one.body.join("\n")),
  );
  return [...new Set([...byTitle, ...byCode])]
    .filter((one) => one.body.some((line) => line.trim() !== ""))
    .slice(0, SECTIONS_MAX);
}
