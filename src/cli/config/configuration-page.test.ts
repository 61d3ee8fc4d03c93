import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { defaultConfig } from "./load-config.ts";
import { configJsonSchema, ConfigFile } from "./schema.ts";
import { parse } from "jsonc-parser";

interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly anyOf?: readonly Node[];
}

/** Keys with a value, with NAME for names chosen by the user. */
function keysOf(node: Node, before = ""): string[] {
  const named = Object.entries(node.properties ?? {}).flatMap(([key, child]) => keysOf(child, `${before}.${key}`));
  const { additionalProperties: any } = node;
  const free = typeof any === "object" ? keysOf(any, `${before}.NAME`) : [];
  const either = (node.anyOf ?? []).flatMap((one) => keysOf(one, before));
  const below = [...named, ...free, ...either];
  return [...new Set(below.length === 0 ? [before.slice(1)] : below)];
}

const page = readFileSync("docs/configuration.md", "utf8");
const rows = [...page.matchAll(/^\| `([\w.]+)` \| (.*?) \|/gm)].map(
  ([, key = "", value = ""]) => [key, value] as const,
);

test("the configuration page lists exactly the existing keys, each with its default", () => {
  const known = keysOf(configJsonSchema() as Node)
    .filter((key) => key !== "$schema")
    .map((key) =>
      key
        .replace(/^(council\.limits\.session)\..*/, "$1")
        .replace(/^((?:mcpServers|agents)\.NAME\.(?:headers|env|sandbox))\..*/, "$1"),
    );
  expect(rows.map(([key]) => key).toSorted()).toEqual([...new Set(known)].toSorted());
  const { preamble: _told, limits, ...council } = defaultConfig.council;
  const defaults = [
    ...Object.entries(council).map(([key, value]) => [`council.${key}`, value] as const),
    ...Object.entries(limits).map(([key, value]) => [`council.limits.${key}`, value] as const),
    ["requests.timeout", defaultConfig.requests.timeout] as const,
  ];
  const said = new Map(rows);
  for (const [key, value] of defaults)
    expect([key, said.get(key)?.replaceAll("`", "")]).toEqual([key, JSON.stringify(value)]);
});

test("the example on the page is a valid configuration", () => {
  const example: unknown = parse(/```jsonc\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
  expect(ConfigFile.safeParse(example)).toMatchObject({ success: true });
});
