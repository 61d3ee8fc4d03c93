/** Mistyped commands, wrong paths and unknown sessions. */
import { describe, expect, test } from "vitest";
import { createHome } from "./program.ts";

const home = createHome();
const said = (text: string) => `roundtable: ${text}\n`;

const mistakes: readonly (readonly [rule: string, args: string[], code: number, stderr: string])[] = [
  [
    "a misspelt command gets the intended one as a suggestion",
    ["session", "list"],
    2,
    'unknown command "session". Did you mean roundtable sessions list? To ask the members: roundtable -p "session list".',
  ],
  [
    "a question without -p is not mistaken for a command",
    ["where", "is", "it"],
    2,
    'unknown command "where". To ask the members: roundtable -p "where is it".',
  ],
  [
    "a misspelt subcommand of a command with an action of its own gets a suggestion too",
    ["agents", "tets", "scout"],
    2,
    'unknown command "agents tets". Did you mean roundtable agents test?',
  ],
  [
    "help for an unknown command says so",
    ["help", "council", "asc"],
    2,
    'unknown command "council asc". See roundtable council --help.',
  ],
  [
    "an import of a missing path says so",
    ["import", "/no/such"],
    1,
    "there is no file or directory /no/such. roundtable import --list shows what can be imported for this directory.",
  ],
  [
    "a missing session is refused with a hint, even for a full id",
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

test("help COMMAND prints the same as COMMAND --help", async () => {
  const [asked, own] = await Promise.all([
    home.run(["help", "council", "ask"]),
    home.run(["council", "ask", "--help"]),
  ]);
  expect(asked).toEqual(own);
});
