/** Chooses what is played: the tags of the newest user message, else the model's name, else the default. */
import { directivesIn } from "./directives.mjs";
import { SCENARIOS, say } from "./scenarios.mjs";
import { sampleFor } from "./tool-block.mjs";

/** Side requests that agents make on their own: titles, summaries, quota probes, routing. */
function isAuxiliary(conv) {
  if (conv.jsonSchema && conv.tools.length === 0) return "json";
  if (conv.tools.length > 0) return null;
  const sys = conv.system.slice(0, 4000).toLowerCase();
  if (/\btitle\b/.test(sys) && /generat|conversation|thread|session|sentence|brief|short/.test(sys)) return "title";
  if (/summar/.test(sys) && /\b(session|conversation|activity|in progress)\b/.test(sys)) return "summary";
  if (conv.maxTokens === 1) return "probe";
  return null;
}

export class Director {
  constructor({ defaultScenario, pace, aux }) {
    this.defaultScenario = defaultScenario;
    this.pace = pace;
    this.aux = aux;
    this.tries = new Map();
  }

  reply(conv) {
    const aux = this.aux ? isAuxiliary(conv) : null;
    if (aux === "json")
      return { scenario: "aux-json", ...say(JSON.stringify(sampleFor(conv.jsonSchema))), pace: this.pace };
    if (aux) return { scenario: `aux-${aux}`, ...say(aux === "probe" ? "ok" : "Fake title"), pace: this.pace };

    const directive = this.choose(conv);
    let { name, options } = directive;
    if (options.times !== undefined) {
      const key = `${name}:${conv.lastUserText}`;
      const seen = this.tries.get(key) ?? 0;
      if (seen >= Number(options.times)) {
        ({ name, options } = { name: "text", options: { text: "Recovered after the scripted failures." } });
      } else {
        this.tries.set(key, seen + 1);
      }
    }
    const script = SCENARIOS[name] ?? SCENARIOS.text;
    const reply = script(options, conv);
    const pace = { ...this.pace, ...reply.pace };
    if (options.delay !== undefined) pace.delay = Number(options.delay);
    if (options.chunk !== undefined) pace.chunk = Number(options.chunk);
    if (options.wait !== undefined) pace.wait = Number(options.wait);
    // So that an agent believes that its context is nearly full.
    if (options.context !== undefined) conv.inputTokens = Number(options.context);
    return { scenario: name, limits: options.limits, ...reply, pace };
  }

  choose(conv) {
    const tags = directivesIn(conv.lastUserText);
    if (tags.length > 0) {
      // Codex hands back a command that takes longer than it waits; its model asks for the rest.
      const [, running] = /running with session ID (\d+)/.exec((conv.step > 0 && conv.lastToolResult) || "") ?? [];
      if (running !== undefined && tags.some(({ options }) => options.to_end)) {
        return { name: "tool", options: { name: "write_stdin", args: { session_id: Number(running), chars: "" } } };
      }
      if (conv.step < tags.length) return tags[conv.step];
      const last = tags[tags.length - 1];
      return {
        name: "text",
        options: {
          text:
            last.options.then ??
            `Done. ${conv.step} tool step(s); last result: ${clip(conv.lastToolResult ?? "none", 160)}`,
        },
      };
    }
    const byModel = /^(?:.*\/)?fake-(.+)$/.exec(conv.model)?.[1];
    if (byModel && SCENARIOS[byModel]) {
      return conv.step > 0 ? { name: "echo-tool", options: {} } : { name: byModel, options: {} };
    }
    return { name: this.defaultScenario, options: {} };
  }
}

function clip(text, n) {
  const flat = String(text).replace(/\s+/g, " ").trim();
  return flat.length > n ? `${flat.slice(0, n)}…` : flat;
}
