/** Every key a configuration file may hold. Types and the JSON schema come from here; messages complete "<key> …". */
import * as z from "zod";
import { AgentKind, APPROVAL_RULE, MEMBER_NAME, Mode } from "../../protocol/index.ts";
import { COLOURS } from "./colour-names.ts";

const positiveInteger = (what: string) =>
  z.int("must be a positive integer").positive("must be a positive integer").describe(what);
const wholeNumber = (what: string) =>
  z.int("must be an integer, 0 or more").min(0, "must be an integer, 0 or more").describe(what);
const positiveNumber = (what: string) =>
  z.number("must be a positive number").positive("must be a positive number").describe(what);
const text = (what: string) =>
  z.string("must be a non-empty string").trim().min(1, "must be a non-empty string").describe(what);
const texts = (what: string) =>
  z.array(text("One entry."), "must be a list of strings").min(1, "must name at least one").describe(what);
const choice = <const Values extends readonly string[]>(values: Values, what: string) =>
  z.enum(values, `must be one of ${values.join(", ")}`).describe(what);
const group = <Shape extends z.ZodRawShape>(shape: Shape, what: string) =>
  z.strictObject(shape, "must be an object").partial().describe(what);

const RULES_MAX = 1_000;

const NAME_RULE = "must be a lower-case name: a letter, then letters, digits, - and _, at most 32 characters";
const memberName = z.string(NAME_RULE).regex(MEMBER_NAME, NAME_RULE);

const COLOUR_RULE = `must be one of ${COLOURS.join(", ")} or #rrggbb`;

const RULE_RULE = 'must be a rule: "tool" or "tool: pattern", such as "shell: git status*" or "edit: src/**"';
const ruleList = (what: string) =>
  z
    .array(z.string(RULE_RULE).regex(APPROVAL_RULE, RULE_RULE), "must be a list of rules")
    .max(RULES_MAX, `must have at most ${RULES_MAX} rules`)
    .describe(what);

const promptGroup = { council: text("Added to the system prompt of council turns, after the preamble.") };

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const changedVariables = "must be a list of variable names, or an object whose values are strings or null";

const dollars = (what: string) =>
  z.number("must be a number, 0 or more").min(0, "must be a number, 0 or more").describe(what);
const Price = z
  .strictObject(
    {
      input: dollars("US dollars per million input tokens."),
      output: dollars("US dollars per million output tokens."),
      cached: dollars("US dollars per million cached input tokens (default: a tenth of `input`).").optional(),
    },
    "must be an object",
  )
  .describe("Price of its tokens, for agents that do not report the cost.");

const PATH_RULE = "must be an absolute path, or start with ~/";
const SANDBOX_MODES = ["auto", "require", "off"] as const;
const SANDBOX_RULE = `must be one of ${SANDBOX_MODES.join(", ")}, or an object`;
const Sandbox = (what: string) =>
  z
    .union(
      [
        z.enum(SANDBOX_MODES, SANDBOX_RULE),
        group(
          {
            mode: choice(
              SANDBOX_MODES,
              "Use the sandbox where the system has one, refuse to start agents without it, or never use it.",
            ),
            write: z
              .array(z.string(PATH_RULE).regex(/^(?:[/\\]|~[/\\]|[A-Za-z]:)/, PATH_RULE), "must be a list of paths")
              .describe("Additional paths that are writable in writable sessions."),
            sockets: z
              .array(text("One entry."), "must be a list of strings")
              .describe("Sockets that stay reachable, by name or path, such as docker or ssh-agent."),
          },
          "Sandbox settings in detail.",
        ),
      ],
      SANDBOX_RULE,
    )
    .describe(what);

const Agent = z
  .strictObject(
    {
      kind: choice(AgentKind.options, "Agent kind: which driver runs it."),
      model: text("Model, as the agent names it.").optional(),
      prompt: text("Added to the system prompt of this agent, in every phase.").optional(),
      prompts: group(promptGroup, "Additions to the system prompt of this agent, by phase.").optional(),
      color: z
        .string(COLOUR_RULE)
        .regex(new RegExp(`^(?:${COLOURS.join("|")}|#[0-9a-fA-F]{6})$`), COLOUR_RULE)
        .describe("Colour of its name on the screens.")
        .optional(),
      env: z
        .union(
          [
            z.array(z.string(changedVariables).regex(VARIABLE_NAME, changedVariables)).min(1, changedVariables),
            z.record(
              z.string(changedVariables).regex(VARIABLE_NAME, changedVariables),
              z.union([z.string(), z.null()], changedVariables),
              changedVariables,
            ),
          ],
          changedVariables,
        )
        .describe(
          "Variables it always gets, as a list of names; or an object, where a string sets a variable and null removes it.",
        )
        .optional(),
      environment: choice(
        ["inherit", "clean"],
        "Environment of its program: that of your terminal, or a short allow list.",
      ).optional(),
      sandbox: Sandbox("Sandbox of this agent; overrides the top-level key.").optional(),
      unguarded: choice(
        ["ask", "allow"],
        "Whether it may join a read-only session although nothing stops it from changing files (default: ask).",
      ).optional(),
      effort: text("Reasoning effort, as the agent names it, such as low, medium or high.").optional(),
      price: Price.optional(),
      command: texts("Command that starts it: program and arguments (kind acp).").optional(),
      baseUrl: z
        .url({ protocol: /^https?$/, error: "must be an http or https URL" })
        .describe("Address of its API (kind openai).")
        .optional(),
      api: choice(["chat", "responses"], "API of its server: Chat Completions or Responses (kind openai).").optional(),
      window: positiveInteger("Context window in tokens, if the server does not report it (kind openai).").optional(),
    },
    "must be an object",
  )
  .check((context) => {
    const missing = (key: string) =>
      context.issues.push({
        code: "custom",
        input: context.value,
        path: [],
        message: `needs "${key}" because its kind is ${context.value.kind}`,
      });
    if (context.value.kind === "acp" && context.value.command === undefined) missing("command");
    if (context.value.kind === "openai" && context.value.baseUrl === undefined) missing("baseUrl");
  });

const SERVER_NAME_RULE = "must be a name: a letter, then letters, digits, - and _, at most 64 characters";
const serverName = z.string(SERVER_NAME_RULE).regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, SERVER_NAME_RULE);
const SERVER_TYPES = ["stdio", "http", "streamable-http", "sse"] as const;

const program = "must be a string or a list of strings";
const variables = "must be a list of variable names, or an object whose values are strings";
const ToolServer = z
  .strictObject(
    {
      type: choice(SERVER_TYPES, "Transport, if it does not follow from the other keys.").optional(),
      command: z
        .union([z.string().trim().min(1), z.array(z.string(program).trim().min(1, program)).min(1, program)], program)
        .describe("Command that starts it: a program, or program and arguments.")
        .optional(),
      args: z
        .array(z.string("must be a list of strings"), "must be a list of strings")
        .describe("Arguments of a command given as a string; ${NAME} is replaced by that variable.")
        .optional(),
      env: z
        .union(
          [
            z.array(z.string(variables).regex(VARIABLE_NAME, variables)),
            z.record(z.string(variables).regex(VARIABLE_NAME, variables), z.string(variables), variables),
          ],
          variables,
        )
        .describe("Variables it gets beyond the allow list, as a list of names; or an object of variables to set.")
        .optional(),
      disabled: z.boolean("must be true or false").describe("Disables the server.").optional(),
      url: z
        .url({ protocol: /^https?$/, error: "must be an http or https URL" })
        .describe("Its address.")
        .optional(),
      headers: z
        .record(z.string(), z.string("must be a string"), "must be an object of strings")
        .describe("Headers of every request; ${NAME} is replaced by that variable.")
        .optional(),
    },
    "must be an object",
  )
  .check(({ value, issues }) => {
    const wrong = (message: string) => issues.push({ code: "custom", input: value, path: [], message });
    if ((value.command === undefined) === (value.url === undefined)) wrong('needs either "command" or "url"');
    else if (value.url === undefined && value.headers !== undefined) wrong('has "headers", which need "url"');
    else if (value.command === undefined && value.env !== undefined) wrong('has "env", which needs "command"');
    else if (typeof value.command !== "string" && value.args !== undefined)
      wrong('has "args", which need a "command" given as a string');
    else if (value.type !== undefined && (value.type === "stdio") !== (value.command !== undefined))
      wrong(`has type "${value.type}", which needs "${value.type === "stdio" ? "command" : "url"}"`);
  });

export const ConfigFile = z
  .strictObject(
    {
      $schema: z.string("must be a string").describe("Address of this schema, for editors."),
      council: group(
        {
          members: z
            .array(memberName, "must be a list of member names")
            .min(1, "must name at least one member")
            .describe("Members of a new session, in speaking order."),
          timeout: positiveNumber("Time limit of a turn, in seconds."),
          auto_rounds: wholeNumber("Discussion rounds after the first answers; 0 for none."),
          mode: choice(Mode.options, "All members at once, or one after the other."),
          preamble: text("Start of the system prompt of every member."),
          writable: z
            .boolean("must be true or false")
            .describe(
              "Members may change files and run commands; you are asked about each call unless a rule decides. Ignored in project files.",
            ),
          limits: group(
            {
              turns: positiveInteger("Turns after which the council pauses."),
              minutes: positiveNumber("Minutes after which the council pauses."),
              tokens: positiveInteger("Tokens after which the council pauses."),
              usd: positiveNumber("US dollars after which the council pauses."),
              session: group(
                {
                  turns: positiveInteger("Turns of the whole session."),
                  minutes: positiveNumber("Minutes of the whole session, counting only time in which a member works."),
                  tokens: positiveInteger("Tokens of the whole session."),
                  usd: positiveNumber("US dollars of the whole session."),
                },
                "Limits for the whole session (default: ten times as much).",
              ),
            },
            "Limits after which a discussion pauses and asks you.",
          ),
        },
        "Members of new sessions and their discussion.",
      ),
      requests: group(
        { timeout: positiveNumber("Seconds after which an unanswered request gets its safe default.") },
        "Requests from members to you.",
      ),
      threads: group(
        {
          mirror: z.boolean("must be true or false").describe("Mirror every new session to thread files of kingdom."),
        },
        "Thread files of kingdom (kd).",
      ),
      prompts: group(promptGroup, "Additions to the system prompt of all members, by phase."),
      approvals: group(
        {
          deny: ruleList("Calls that are denied without asking. Checked first."),
          ask: ruleList("Calls that always need your approval. Checked second."),
          allow: ruleList("Calls that run without asking in writable sessions. Ignored in project files."),
        },
        "Approval rules for tool calls, by tool and command or path. The first matching rule wins.",
      ),
      sandbox: Sandbox(
        "Sandbox of agent programs: used where the system has one, required, or off. Project files can only make it stricter.",
      ),
      mcpServers: z
        .record(serverName, ToolServer, "must be an object")
        .describe("Tool servers (MCP) for the built-in agent, by name."),
      agents: z
        .record(memberName, Agent, "must be an object")
        .describe("Agents that can join a session, by member name."),
    },
    "must be an object",
  )
  .partial()
  .describe("Roundtable configuration.");

export type ConfigFile = z.infer<typeof ConfigFile>;
export type SandboxConfig = NonNullable<ConfigFile["sandbox"]>;
export type AgentConfig = z.infer<typeof Agent>;
export type ToolServerConfig = z.infer<typeof ToolServer>;

export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ConfigFile, { target: "draft-2020-12", io: "input" });
}
