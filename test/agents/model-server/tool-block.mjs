/** A call of a tool that the client offered, its arguments filled in by its own schema. */
import { randomUUID } from "node:crypto";

const TOOL_KINDS = {
  shell: [
    "Bash",
    "bash",
    "exec_command",
    "shell_command",
    "shell",
    "local_shell",
    "run_shell_command",
    "terminal",
    "execute",
  ],
  read: ["Read", "read", "read_file", "view", "view_image"],
  write: ["Write", "write", "write_file", "create_file", "apply_patch"],
  edit: ["Edit", "edit", "replace", "str_replace"],
};

export function toolBlock(o, conv) {
  const kind = o.kind ?? "shell";
  const wanted = o.name ? [String(o.name)] : (TOOL_KINDS[kind] ?? [kind]);
  const tool = wanted.map((n) => conv.tools.find((t) => t.name === n)).find(Boolean) ??
    (o.name ? conv.tools.find((t) => t.name.endsWith(String(o.name))) : undefined) ?? { name: wanted[0], schema: {} };
  // Some providers number the calls of each answer from 0 again.
  const id = String(o.id ?? `call_${randomUUID().replaceAll("-", "").slice(0, 20)}`);
  if (tool.freeform)
    return {
      type: "tool",
      id,
      name: tool.name,
      namespace: tool.namespace,
      freeform: true,
      input: String(o.input ?? o.args ?? ""),
    };
  const args = typeof o.args === "object" && o.args !== null ? o.args : fillArguments(tool.schema, o);
  return { type: "tool", id, name: tool.name, namespace: tool.namespace, search: tool.search, args };
}

function fillArguments(schema, o) {
  const props = schema?.properties ?? { command: { type: "string" } };
  const required = new Set(schema?.required ?? Object.keys(props));
  const command = String(o.command ?? "ls");
  const path = String(o.path ?? "hello.txt");
  const known = {
    command: (s) => (s?.type === "array" ? ["bash", "-lc", command] : command),
    cmd: () => command,
    path: () => path,
    file_path: () => path,
    filePath: () => path,
    absolute_path: () => path,
    content: () => String(o.content ?? "written by the fake model\n"),
    contents: () => String(o.content ?? "written by the fake model\n"),
    description: () => "scripted by the fake model",
    old_string: () => String(o.old ?? "hello"),
    oldString: () => String(o.old ?? "hello"),
    oldText: () => String(o.old ?? "hello"),
    new_string: () => String(o.new ?? "HELLO"),
    newString: () => String(o.new ?? "HELLO"),
    newText: () => String(o.new ?? "HELLO"),
  };
  const args = {};
  for (const [key, spec] of Object.entries(props)) {
    if (known[key] && (required.has(key) || key === "cmd" || key === "command" || /path/i.test(key)))
      args[key] = known[key](spec);
    else if (required.has(key)) args[key] = o[key] ?? sampleFor(spec);
    else if (o[key] !== undefined) args[key] = o[key];
  }
  return args;
}

/** A minimal value that satisfies a JSON schema (also understands Gemini's upper-case types). */
export function sampleFor(schema) {
  if (!schema || typeof schema !== "object") return "fake";
  if ("const" in schema) return schema.const;
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[0];
  const variant = schema.anyOf?.[0] ?? schema.oneOf?.[0] ?? schema.allOf?.[0];
  if (variant && !schema.type) return sampleFor(variant);
  const type = String(
    Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? (schema.properties ? "object" : "string")),
  ).toLowerCase();
  switch (type) {
    case "object":
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([k]) => !schema.required || schema.required.includes(k))
          .map(([k, v]) => [k, sampleFor(v)]),
      );
    case "array":
      return schema.minItems ? [sampleFor(schema.items)] : [];
    case "number":
    case "integer":
      return schema.minimum ?? 1;
    case "boolean":
      return false;
    case "null":
      return null;
    default:
      return "fake";
  }
}
