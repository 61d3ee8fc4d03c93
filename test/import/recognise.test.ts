/** Files of one program are never recognised as those of another, so the order of the formats does not matter. */
import { copyFileSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findSessionsIn } from "../../src/host/index.ts";
import { externalFormats } from "../edge-parts.ts";
import { fixtureOf, newDirectory, recorded, writeLines } from "./import-file.ts";

const files = recorded.flatMap((name) => {
  const directory = fixtureOf(name);
  return readdirSync(directory, { recursive: true })
    .map((file) => ({ name, file: path.join(directory, String(file)) }))
    .filter(({ file }) => statSync(file).isFile());
});

async function recognisers(file: string): Promise<string[]> {
  const results = await Promise.all(externalFormats.map((format) => findSessionsIn(file, [format])));
  return results.flatMap(({ sessions }) => sessions.map(({ format }) => format));
}

test.for(recorded)(
  "%s: only its own format recognises a file, whatever its name and however far it is read",
  async (name) => {
    const [format = ""] = name.split("-");
    const names = new Set(files.map(({ file }) => path.basename(file)));
    let sessions = 0;
    for (const { file } of files.filter((one) => one.name === name)) {
      const all = await recognisers(file);
      expect({ file, all }).toEqual({ file, all: all.length === 0 ? [] : [format] });
      sessions += all.length;
      for (const other of names) {
        const copy = path.join(newDirectory(), other);
        copyFileSync(file, copy);
        expect(["", format], `${file} as ${other}`).toContain((await recognisers(copy)).join());
      }
      const lines = readFileSync(file, "utf8").trimEnd().split("\n");
      for (const [count] of lines.entries()) {
        const beginning = writeLines(path.join(newDirectory(), path.basename(file)), lines.slice(0, count + 1));
        expect(["", format]).toContain((await recognisers(beginning)).join());
      }
    }
    expect(sessions).toBeGreaterThan(0);
  },
);
