/** Reads and validates one JSONC file. Every error is one sentence with file, line and column. */
import { lstatSync, readFileSync, statSync } from "node:fs";
import {
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from "jsonc-parser";
import type * as z from "zod";
import { Failure } from "../../kit/failure.ts";
import { exitCodes } from "../../kit/exit-codes.ts";
import { nearestName } from "../../kit/text/nearest-name.ts";
import { ConfigFile } from "./schema.ts";
import { knownKeys } from "./schema-keys.ts";

export const CONFIG_BYTES_MAX = 1024 * 1024;

export interface ReadConfig {
  value: ConfigFile;
  /** "line:column" of the value at a path, for errors found later. */
  locationOf(path: readonly (string | number)[]): string;
}

export function readConfigFile(file: string): ReadConfig {
  return parseConfig(readText(file), file);
}

export function readText(file: string): string {
  try {
    const stat = statSync(file);
    if (!stat.isFile()) throw configFailure(`the configuration ${file} is not a file`, "Move it away");
    if (stat.size > CONFIG_BYTES_MAX) {
      throw configFailure(
        `the configuration ${file} is ${stat.size} bytes long; at most ${CONFIG_BYTES_MAX} are allowed`,
      );
    }
    return readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Failure) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const isDangling = code === "ENOENT" && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    if (isDangling)
      throw configFailure(`the configuration ${file} is a link to a missing file`, "Fix or remove the link");
    const reason = code ?? String(error);
    throw configFailure(`cannot read the configuration ${file} (${reason})`, "Make it readable or move it away");
  }
}

export function parseConfig(text: string, file: string): ReadConfig {
  const tree = parseJson(text, file);
  if (tree === undefined) return { value: {}, locationOf: () => "1:1" };
  const checked = ConfigFile.safeParse(getNodeValue(tree));
  if (!checked.success)
    throw issueFailure(checked.error.issues, tree, (offset) => `${file}:${lineColumnAt(text, offset)}`);
  return { value: checked.data, locationOf: (path) => lineColumnAt(text, nodeAt(tree, path).offset) };
}

/** Undefined for an empty text. Throws a Failure with the location of a syntax error or a duplicate key. */
export function parseJson(text: string, file: string): Node | undefined {
  const errors: ParseError[] = [];
  try {
    const tree = parseTree(text.replace(/^\ufeff/, " "), errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [first] = errors;
    if (first !== undefined) {
      throw configFailure(`${file}:${lineColumnAt(text, first.offset)}: not valid JSON: ${formatSyntaxError(first)}`);
    }
    if (tree === undefined) return undefined;
    refuseDuplicateKeys(tree, (key, offset) =>
      configFailure(`${file}:${lineColumnAt(text, offset)}: the key "${key}" is given twice`, "Keep one of them"),
    );
    return tree;
  } catch (error) {
    // The parser recurses once per level.
    if (error instanceof RangeError) throw configFailure(`${file}: values are nested too deeply`);
    throw error;
  }
}

/** Validates a configuration that is not from a file. `origin` takes the place of file and line in errors. */
export function checkConfig(value: object, origin: (name: string) => string): ConfigFile {
  const checked = ConfigFile.safeParse(value);
  if (checked.success) return checked.data;
  const tree = parseTree(JSON.stringify(value));
  if (tree === undefined) throw new Error("a configuration that is no JSON");
  throw issueFailure(checked.error.issues, tree, (_offset, name) => origin(name));
}

export function configFailure(message: string, hint?: string): Failure {
  return new Failure(exitCodes.usage, "config", message, hint === undefined ? {} : { hint });
}

type Locate = (offset: number, name: string) => string;

/** The first error as one sentence that begins with its location. */
export function issueFailure(issues: readonly z.core.$ZodIssue[], tree: Node, locate: Locate): Failure {
  // A misspelt key is also missing; its name is the better message.
  const all = issues.flatMap(insideUnion);
  const issue = all.find(({ code }) => code === "unrecognized_keys") ?? all[0];
  if (issue === undefined) throw new Error("a refused configuration without an issue");
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const name = path.join(".");
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    const known = knownKeys(path);
    const near = nearestName(key, known);
    const unknown = [...path, key].join(".");
    return configFailure(
      `${locate(keyOffset(tree, path, key), unknown)}: unknown key "${unknown}"`,
      near === undefined ? `Known keys: ${known.join(", ")}` : `Did you mean "${[...path, near].join(".")}"?`,
    );
  }
  const node = nodeAt(tree, path);
  if (issue.code === "invalid_key") {
    const rule = issue.issues[0]?.message ?? "is not allowed";
    return configFailure(
      `${locate(keyOffset(tree, path.slice(0, -1), String(path.at(-1))), name)}: the name "${name}" ${rule}`,
    );
  }
  const subject = name === "" ? "the configuration" : `"${name}"`;
  const missing = findNodeAtLocation(tree, path) === undefined;
  const actual =
    issue.code === "custom" ? "" : missing ? ", but it is missing" : `, found ${shorten(getNodeValue(node))}`;
  return configFailure(`${locate(node.offset, name)}: ${subject} ${issue.message}${actual}`);
}

/** Of a value that may have several shapes and has one of them, the errors inside it; else that of the whole. */
function insideUnion(issue: z.core.$ZodIssue): readonly z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const isInside = (one: z.core.$ZodIssue) => one.path.length > 0 || one.code === "unrecognized_keys";
  const inner = issue.errors.find((shape) => shape.every((one) => isInside(one) && one.message !== issue.message));
  return inner?.map((one) => Object.assign(one, { path: [...issue.path, ...one.path] })) ?? [issue];
}

/** The node at a path or, where it is missing, the nearest one around it. */
export function nodeAt(tree: Node, path: readonly (string | number)[]): Node {
  for (let length = path.length; length > 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node !== undefined) return node;
  }
  return tree;
}

function keyOffset(tree: Node, path: readonly (string | number)[], key: string): number {
  const holder = nodeAt(tree, path);
  const property = holder.children?.find((one) => one.children?.[0]?.value === key);
  return property?.offset ?? holder.offset;
}

function refuseDuplicateKeys(node: Node, failure: (key: string, offset: number) => Failure): void {
  const seen = new Set<string>();
  for (const child of node.children ?? []) {
    const key = child.type === "property" ? child.children?.[0] : undefined;
    if (key !== undefined) {
      if (seen.has(String(key.value))) throw failure(String(key.value), key.offset);
      seen.add(String(key.value));
    }
    refuseDuplicateKeys(child, failure);
  }
}

/** As "line:column". */
export function lineColumnAt(text: string, offset: number): string {
  const before = text.slice(0, offset).split("\n");
  return `${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
}

/** "CommaExpected" as "comma expected". */
function formatSyntaxError(error: ParseError): string {
  return printParseErrorCode(error.error)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .toLowerCase();
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
