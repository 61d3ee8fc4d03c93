/** A skill as linggen lists it, read from its `SKILL.md`: front matter, then text. */

export type SkillSource = { readonly type: "Project" } | { readonly type: "Compat"; readonly label: string };

export interface Skill {
  readonly name: string;
  readonly description: string;
  readonly content: string;
  readonly source: SkillSource;
  readonly tool_defs: readonly never[];
  readonly argument_hint: string | null;
  readonly disable_model_invocation: boolean;
  readonly user_invocable: boolean;
  readonly allowed_tools: readonly string[] | null;
  readonly model: string | null;
  readonly context: string | null;
  readonly agent: string | null;
  readonly trigger: string | null;
}

/** Undefined without a skill name. Skills outside the project are listed without their text. */
export function readSkill(text: string, source: SkillSource): Skill | undefined {
  const [, head, content] = /^---\r?\n([\s\S]*?)\r?\n---(?:\r?\n|$)([\s\S]*)$/.exec(text) ?? [];
  if (head === undefined || content === undefined) return undefined;
  const fields = readFields(head);
  const name = fields.get("name") ?? "";
  const description = fields.get("description");
  if (name === "" || description === undefined) return undefined;
  const tools = fields.get("allowed-tools");
  return {
    name,
    description,
    content: source.type === "Project" ? content.trim() : "",
    source,
    tool_defs: [],
    argument_hint: fields.get("argument-hint") ?? null,
    disable_model_invocation: fields.get("disable-model-invocation") === "true",
    user_invocable: fields.get("user-invocable") !== "false",
    allowed_tools: tools === undefined ? null : tools.split(",").map((tool) => tool.trim()),
    model: fields.get("model") ?? null,
    context: fields.get("context") ?? null,
    agent: fields.get("agent") ?? null,
    trigger: fields.get("trigger") ?? null,
  };
}

/** A subset of YAML: a key, a colon, and a value on that line or indented below. */
function readFields(head: string): Map<string, string> {
  const fields = new Map<string, string[]>();
  let open: string[] = [];
  for (const line of head.split(/\r?\n/)) {
    const [, name, value = ""] = /^([\w-]+):(?:\s+(.*))?$/.exec(line) ?? [];
    if (name !== undefined) {
      open = /^[|>][+-]?\s*$/.test(value) || value === "" ? [] : [unquoted(value.trim())];
      fields.set(name, open);
    } else if (/^\s+\S/.test(line)) open.push(line.trim());
  }
  return new Map([...fields].map(([name, lines]) => [name, lines.join(" ")]));
}

function unquoted(value: string): string {
  const [, inner] = /^"(.*)"$/.exec(value) ?? /^'(.*)'$/.exec(value) ?? [];
  return inner ?? value;
}
