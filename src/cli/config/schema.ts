/** Every key a configuration file may hold. Types and the JSON schema come from here; messages complete "<key> …". */
import * as z from "zod";
import { AgentKind, APPROVAL_RULE, MEMBER_NAME, Mode } from "../../protocol/index.ts";
import { COLOURS } from "./colour-names.ts";

const positiveInteger = (what: string) =>
  z.int("must be a positive integer").positive("must be a positive integer").describe(what);
const wholeNumber = (what: string) =>
  z.int("must be an integer from 0").min(0, "must be an integer from 0").describe(what);
const positiveNumber = (what: string) =>
  z.number("must be a positive number").positive("must be a positive number").describe(what);
const text = (what: string) =>
  z.string("must be a non-empty text").trim().min(1, "must be a non-empty text").describe(what);
const texts = (what: string) =>
  z.array(text("one of them"), "must be a list of texts").min(1, "must name at least one").describe(what);
const choice = <const Values extends readonly string[]>(values: Values, what: string) =>
  z.enum(values, `must be one of ${values.join(", ")}`).describe(what);
const group = <Shape extends z.ZodRawShape>(shape: Shape, what: string) =>
  z.strictObject(shape, "must be an object").partial().describe(what);

const RULES_MAX = 1_000;

const NAME_RULE = "must be a lower-case name: a letter, then letters, digits, - and _, at most 32";
const memberName = z.string(NAME_RULE).regex(MEMBER_NAME, NAME_RULE);

const COLOUR_RULE = `must be one of ${COLOURS.join(", ")} or #rrggbb`;

const RULE_RULE = 'must be a rule: "tool" or "tool: pattern", such as "shell: git status*" or "edit: src/**"';
const ruleList = (what: string) =>
  z
    .array(z.string(RULE_RULE).regex(APPROVAL_RULE, RULE_RULE), "must be a list of rules")
    .max(RULES_MAX, `must have at most ${RULES_MAX} rules`)
    .describe(what);

const promptGroup = { council: text("Prompt of the council phase, after the preamble.") };

const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const changedVariables = "must be a list of names of variables, or an object of names and texts or null";

const dollars = (what: string) => z.number("must be a number from 0").min(0, "must be a number from 0").describe(what);
const Price = z
  .strictObject(
    {
      input: dollars("Dollars for a million tokens read."),
      output: dollars("Dollars for a million tokens written."),
      cached: dollars("Dollars for a million tokens read from a cache; a tenth of `input` when absent.").optional(),
    },
    "must be an object",
  )
  .describe("What its tokens cost, where it does not tell the cost itself.");

const PATH_RULE = "must be an absolute path, or one that begins with ~/";
const SANDBOX_MODES = ["auto", "require", "off"] as const;
const SANDBOX_RULE = `must be one of ${SANDBOX_MODES.join(", ")}, or an object`;
const Sandbox = (what: string) =>
  z
    .union(
      [
        z.enum(SANDBOX_MODES, SANDBOX_RULE),
        group(
          {
            mode: choice(SANDBOX_MODES, "Use it where the system has one, start nothing without it, or never use it."),
            write: z
              .array(z.string(PATH_RULE).regex(/^(?:[/\\]|~[/\\]|[A-Za-z]:)/, PATH_RULE), "must be a list of paths")
              .describe("Further paths that may be written in writable sessions."),
            sockets: z
              .array(text("one of them"), "must be a list of texts")
              .describe("Sockets that stay open to it, by name or path, such as docker or ssh-agent."),
          },
          "The same in parts.",
        ),
      ],
      SANDBOX_RULE,
    )
    .describe(what);

const Agent = z
  .strictObject(
    {
      kind: choice(AgentKind.options, "How this agent is driven."),
      model: text("The model to ask for, in the agent's own words.").optional(),
      prompt: text("Added to what this agent is told, in every phase.").optional(),
      prompts: group(promptGroup, "Prompts by phase, for this agent.").optional(),
      color: z
        .string(COLOUR_RULE)
        .regex(new RegExp(`^(?:${COLOURS.join("|")}|#[0-9a-fA-F]{6})$`), COLOUR_RULE)
        .describe("Colour of its name.")
        .optional(),
      env: z
        .union(
          [
            z.array(z.string().regex(VARIABLE_NAME, changedVariables)).min(1),
            z.record(z.string().regex(VARIABLE_NAME, changedVariables), z.union([z.string(), z.null()])),
          ],
          changedVariables,
        )
        .describe("Names of variables it may see in any case, or an object: a text sets a variable, null removes it.")
        .optional(),
      environment: choice(
        ["inherit", "clean"],
        "What its program gets of your environment: that of the terminal, or a short list of harmless variables.",
      ).optional(),
      sandbox: Sandbox("The sandbox around its programs, where it is another than for everyone.").optional(),
      unguarded: choice(
        ["ask", "allow"],
        "Whether it may work in a read-only session though nothing keeps it from changing files. Asked about when absent.",
      ).optional(),
      effort: text("How hard its model is to think, in the agent's own words, such as low, medium or high.").optional(),
      price: Price.optional(),
      command: texts("Program and arguments that start it (kind acp).").optional(),
      baseUrl: z.url("must be a URL").describe("Address of its API (kind openai).").optional(),
      api: choice(
        ["chat", "responses"],
        "Which API its server is asked by: chat completions, or Responses (kind openai).",
      ).optional(),
      window: positiveInteger("Tokens its model takes, where its server does not tell (kind openai).").optional(),
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

const SERVER_NAME_RULE = "must be a name: a letter, then letters, digits, - and _, at most 64";
const serverName = z.string(SERVER_NAME_RULE).regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, SERVER_NAME_RULE);
const SERVER_TYPES = ["stdio", "http", "streamable-http", "sse"] as const;

const variables = "must be a list of names of variables, or an object of names and values";
const ToolServer = z
  .strictObject(
    {
      type: choice(SERVER_TYPES, "How it is reached, where the rest does not tell.").optional(),
      command: z
        .union(
          [z.string().trim().min(1), z.array(z.string().trim().min(1)).min(1)],
          "must be a program, or a list of texts",
        )
        .describe("Program that starts it, or program and arguments.")
        .optional(),
      args: z
        .array(z.string("must be a list of texts"), "must be a list of texts")
        .describe("Arguments of a command that is one text; ${NAME} is the value of that variable.")
        .optional(),
      env: z
        .union(
          [
            z.array(z.string().regex(VARIABLE_NAME, variables)),
            z.record(z.string().regex(VARIABLE_NAME, variables), z.string()),
          ],
          variables,
        )
        .describe("Names of variables it may see beyond the allow list, or names and values that are set for it.")
        .optional(),
      disabled: z.boolean("must be true or false").describe("Remove it.").optional(),
      url: z
        .url({ protocol: /^https?$/, error: "must be a URL of http or https" })
        .describe("Its address.")
        .optional(),
      headers: z
        .record(z.string(), z.string("must be a text"), "must be an object of texts")
        .describe("Sent with every request to it; ${NAME} is the value of that variable.")
        .optional(),
    },
    "must be an object",
  )
  .check(({ value, issues }) => {
    const wrong = (message: string) => issues.push({ code: "custom", input: value, path: [], message });
    if ((value.command === undefined) === (value.url === undefined)) wrong('needs either "command" or "url"');
    else if (value.url === undefined && value.headers !== undefined) wrong('has "headers", which only go with "url"');
    else if (value.command === undefined && value.env !== undefined) wrong('has "env", which only goes with "command"');
    else if (typeof value.command !== "string" && value.args !== undefined)
      wrong('has "args", which only go with a "command" that is one text');
    else if (value.type !== undefined && (value.type === "stdio") !== (value.command !== undefined))
      wrong(`is of type "${value.type}", which goes with "${value.type === "stdio" ? "command" : "url"}"`);
  });

export const ConfigFile = z
  .strictObject(
    {
      $schema: z.string("must be a text").describe("Address of this schema, for editors."),
      council: group(
        {
          members: z
            .array(memberName, "must be a list of member names")
            .min(1, "must name at least one member")
            .describe("Who sits at the table, in speaking order."),
          timeout: positiveNumber("Seconds a turn may take."),
          auto_rounds: wholeNumber("Rounds of discussion after the first answers; 0 for none."),
          mode: choice(Mode.options, "All members at once, or one after the other."),
          preamble: text("What every member is told of its place at the table."),
          writable: z
            .boolean("must be true or false")
            .describe(
              "Members may change files and run commands, each asked about unless a rule decides. Not taken from a project's file.",
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
                  minutes: positiveNumber("Minutes of the whole session in which somebody spoke."),
                  tokens: positiveInteger("Tokens of the whole session."),
                  usd: positiveNumber("US dollars of the whole session."),
                },
                "The same for all messages of a session together; ten times as much when absent.",
              ),
            },
            "What a discussion may cost before it pauses and asks the user.",
          ),
        },
        "The table.",
      ),
      requests: group(
        { timeout: positiveNumber("Seconds a request to the user may stay open.") },
        "Requests of agents.",
      ),
      threads: group(
        {
          mirror: z.boolean("must be true or false").describe("Keep kingdom's thread files beside every new session."),
        },
        "Thread files of kingdom (kd).",
      ),
      prompts: group(promptGroup, "Prompts by phase, for everyone."),
      approvals: group(
        {
          deny: ruleList("Calls that are refused without asking. Looked at first."),
          ask: ruleList("Calls that are asked about, whatever is allowed. Looked at second."),
          allow: ruleList("Calls that run without asking in a writable session. Not taken from a project's file."),
        },
        "What members may do without asking, by tool and command or path. The first rule that fits decides.",
      ),
      sandbox: Sandbox(
        "The sandbox around agent programs: used where the system has one, required, or off. A project's file can only make it stricter.",
      ),
      mcpServers: z
        .record(serverName, ToolServer, "must be an object")
        .describe("Tool servers (MCP) whose tools the built-in agent may use, by name."),
      agents: z.record(memberName, Agent, "must be an object").describe("Agents that can sit down, by member name."),
    },
    "must be an object",
  )
  .partial()
  .describe("Configuration of roundtable");

export type ConfigFile = z.infer<typeof ConfigFile>;
export type SandboxConfig = NonNullable<ConfigFile["sandbox"]>;
export type AgentConfig = z.infer<typeof Agent>;
export type ToolServerConfig = z.infer<typeof ToolServer>;

export function configJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(ConfigFile, { target: "draft-2020-12", io: "input" });
}
