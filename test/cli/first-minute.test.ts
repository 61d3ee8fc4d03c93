/** What somebody meets who types it wrong, or whose machine is not as it should be. */
import { describe, expect, test } from "vitest";
import { createHome } from "./program.ts";

const home = createHome();
const said = (text: string) => `roundtable: ${text}\n`;

const mistakes: readonly (readonly [rule: string, args: string[], code: number, stderr: string])[] = [
  [
    "a misspelt command is answered with the one that was meant",
    ["session", "list"],
    2,
    'unknown command "session". Did you mean roundtable sessions list? To ask the members: roundtable -p "session list".',
  ],
  [
    "a question without -p is not taken for a misspelt command",
    ["where", "is", "it"],
    2,
    'unknown command "where". To ask the members: roundtable -p "where is it".',
  ],
  [
    "help for a command that does not exist says so",
    ["help", "council", "asc"],
    2,
    'unknown command "council asc". See roundtable council --help.',
  ],
  [
    "an import of a path that is not there says so",
    ["import", "/no/such"],
    1,
    "there is no file or directory /no/such. roundtable import --list shows what can be imported for this directory.",
  ],
  [
    "a session that does not exist is refused with where to look, also by a whole id",
    ["-p", "x", "--resume", "01AAAAAAAAAAAAAAAAAAAAAAAA"],
    4,
    "There is no session 01AAAAAAAAAAAAAAAAAAAAAAAA. See roundtable sessions list.",
  ],
];

describe.concurrent("mistakes", () => {
  test.each(mistakes)("%s", async (_rule, args, code, stderr) => {
    const ran = await home.run(args);
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([code, "", said(stderr)]);
  });
});

test("help for a command is the command's own", async () => {
  const [asked, own] = await Promise.all([
    home.run(["help", "council", "ask"]),
    home.run(["council", "ask", "--help"]),
  ]);
  expect(asked).toEqual(own);
});
