/** Completion scripts, generated from the command definitions, so that they are always complete. */
import type { Command, Option } from "commander";
import { exitCodes, type ExitCode } from "../../kit/exit-codes.ts";
import { usageFailure } from "../../kit/failure.ts";
import { stdout } from "../terminal/stdout.ts";
import { examples, loadAllCommands, type DeclareCommand } from "./command.ts";

export const declareCompletion: DeclareCommand = (command, run) => {
  command.argument("<shell>", "bash, zsh or fish");
  command.addHelpText(
    "after",
    examples([
      'eval "$(roundtable completion bash)"',
      "roundtable completion fish > ~/.config/fish/completions/roundtable.fish",
    ]),
  );
  command.action(async (shell: string) => run({}, () => printCompletion(command.parent ?? command, shell)));
};

async function printCompletion(program: Command, shell: string): Promise<ExitCode> {
  await loadAllCommands(program);
  stdout.write(completionScript(program, shell));
  return exitCodes.ok;
}

function completionScript(program: Command, shell: string): string {
  const nodes = describe(program, []);
  switch (shell) {
    case "bash":
      return bashScript(nodes);
    case "zsh":
      return `#compdef roundtable\nautoload -U +X bashcompinit && bashcompinit\n${bashScript(nodes)}`;
    case "fish":
      return fishScript(nodes);
    default:
      throw usageFailure(`there is no completion for "${shell}"`, "Known shells: bash, zsh, fish");
  }
}

interface Node {
  /** Command path, without the program name. */
  path: readonly string[];
  description: string;
  options: readonly Option[];
  children: readonly string[];
}

function describe(command: Command, path: readonly string[]): Node[] {
  const children = command.commands.filter((child) => child.name() !== "help");
  const node: Node = {
    path,
    description: command.description(),
    options: command.options.filter((option) => !option.hidden && option.long !== undefined),
    children: path.at(-1) === "completion" ? ["bash", "zsh", "fish"] : children.map((child) => child.name()),
  };
  return [node, ...children.flatMap((child) => describe(child, [...path, child.name()]))];
}

/**
 * Walks the words to the command being completed, then offers its options and subcommands. zsh runs it too, where
 * `path` and `offers` are built-in arrays that cannot be assigned a string.
 */
function bashScript(nodes: readonly Node[]): string {
  const cases = nodes
    .map((node) => {
      const offers = [...node.children, ...node.options.flatMap(flagsOf), "--help"].join(" ");
      return `    "${node.path.join(" ")}") offers="${offers}" ;;\n`;
    })
    .join("");
  const values = valueOptions(nodes)
    .map(
      (option) =>
        `    ${flagsOf(option).join("|")}) COMPREPLY=( $(compgen -W "${option.argChoices?.join(" ")}" -- "$cur") ); return ;;\n`,
    )
    .join("");
  const directories = ["-C", "--directory", "--data-dir"].join("|");
  const known = nodes
    .map((node) => `"${node.path.join(" ")}"`)
    .filter((path) => path !== '""')
    .join("|");
  return `_roundtable() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" at="" next offers="" i
  for (( i = 1; i < COMP_CWORD; i++ )); do
    next="\${at:+$at }\${COMP_WORDS[i]}"
    case "$next" in
    ${known}) at="$next" ;;
    esac
  done
  case "$prev" in
    ${directories}) COMPREPLY=( $(compgen -d -- "$cur") ); return ;;
${values}  esac
  case "$at" in
${cases}  esac
  COMPREPLY=( $(compgen -W "$offers" -- "$cur") )
}
complete -o default -F _roundtable roundtable
`;
}

function fishScript(nodes: readonly Node[]): string {
  const lines = nodes.flatMap((node) => {
    const condition = fishCondition(node, nodes);
    const options = node.options.map((option) => {
      const short = option.short === undefined ? "" : ` -s ${option.short.slice(1)}`;
      const values = option.argChoices === undefined ? "" : ` -xa ${quote(option.argChoices.join(" "))}`;
      const needs = option.required && option.argChoices === undefined ? " -r" : "";
      return `complete -c roundtable -n ${quote(condition)}${short} -l ${(option.long ?? "").slice(2)}${values}${needs} -d ${quote(option.description)}`;
    });
    const children = node.children.map((child) => {
      const about = nodes.find((one) => one.path.join(" ") === [...node.path, child].join(" "))?.description ?? "";
      return `complete -c roundtable -f -n ${quote(condition)} -a ${child} -d ${quote(about)}`;
    });
    return [...children, ...options];
  });
  return `${lines.join("\n")}\n`;
}

function fishCondition(node: Node, nodes: readonly Node[]): string {
  const [first, second] = node.path;
  if (first === undefined) return "__fish_use_subcommand";
  const seen = `__fish_seen_subcommand_from ${first}`;
  if (second !== undefined) return `${seen}; and __fish_seen_subcommand_from ${second}`;
  const below = nodes.filter((one) => one.path.length === 2 && one.path[0] === first).map((one) => one.path[1]);
  return below.length === 0 ? seen : `${seen}; and not __fish_seen_subcommand_from ${below.join(" ")}`;
}

function flagsOf(option: Option): string[] {
  return [option.short, option.long].filter((flag) => flag !== undefined);
}

function valueOptions(nodes: readonly Node[]): Option[] {
  const byName = new Map<string, Option>();
  for (const option of nodes.flatMap((node) => node.options)) {
    if (option.argChoices !== undefined) byName.set(option.long ?? "", option);
  }
  return [...byName.values()];
}

function quote(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
