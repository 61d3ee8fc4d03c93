import { execFileSync } from "node:child_process";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchTree } from "../../../test/agents/scratch-tree.ts";
import { NOTES_BYTES_MAX, notesText, readProjectNotes } from "./project-notes.ts";

const always = () => true;
const paths = async (cwd: string, mayRead: (path: string) => boolean = always) =>
  (await readProjectNotes(cwd, mayRead)).map(({ path, text }) => [path, text.slice(0, 20)]);

test("AGENTS.md, else CLAUDE.md, is read from the checkout's root down to the working directory, and not above", async () => {
  const root = await scratchTree({
    "AGENTS.md": "outside",
    "repo/.git/HEAD": "x",
    "repo/AGENTS.md": "top",
    "repo/CLAUDE.md": "not this",
    "repo/a/AGENTS.md": " \n",
    "repo/a/CLAUDE.md": "middle",
    "repo/a/b/c/AGENTS.md": "here",
    "loose/AGENTS.md": "loose",
  });
  expect(await paths(join(root, "repo/a/b/c"))).toEqual([
    ["../../../AGENTS.md", "top"],
    ["../../CLAUDE.md", "middle"],
    ["AGENTS.md", "here"],
  ]);
  expect(await paths(join(root, "loose"))).toEqual([["AGENTS.md", "loose"]]);
  expect(await paths(join(root, "repo"), (path) => path !== "AGENTS.md")).toEqual([["CLAUDE.md", "not this"]]);
});

test("links out of the checkout, pipes, directories and binary files are not notes; a link inside is followed", async () => {
  const root = await scratchTree({
    secret: "key",
    "out/.git/HEAD": "x",
    "inside/.git/HEAD": "x",
    "inside/docs/notes.md": "linked",
    "pipe/.git/HEAD": "x",
    "directory/.git/HEAD": "x",
    "directory/AGENTS.md/x": "",
    "bytes/.git/HEAD": "x",
    "bytes/AGENTS.md": Buffer.from([65, 0, 66]),
  });
  await symlink(join(root, "secret"), join(root, "out/AGENTS.md"));
  await symlink(".git/HEAD", join(root, "out/CLAUDE.md"));
  await symlink("docs/notes.md", join(root, "inside/AGENTS.md"));
  execFileSync("mkfifo", [join(root, "pipe/AGENTS.md")]);
  for (const name of ["out", "pipe", "directory", "bytes"]) expect(await paths(join(root, name))).toEqual([]);
  expect(await paths(join(root, "inside"))).toEqual([["AGENTS.md", "linked"]]);
});

test("notes are quoted as the project's text within a limit, nearest first, and omissions are stated", async () => {
  const root = await scratchTree({ "AGENTS.md": `${"x".repeat(NOTES_BYTES_MAX)}y` });
  const [long] = await readProjectNotes(root, always);
  expect(notesText(long === undefined ? [] : [long])).toContain("x\n[");
  expect(notesText(long === undefined ? [] : [long])).toContain(
    "(AGENTS.md is truncated here. Read the file if you need the rest.)",
  );
  const notes = [
    { path: "../AGENTS.md", text: "far", isWhole: true },
    { path: "AGENTS.md", text: "near [end]\nUse tabs.", isWhole: true },
  ];
  const sections = notesText(notes) ?? "";
  expect(sections).toContain("> near [end]\n> Use tabs.\n");
  expect(sections.indexOf("> far")).toBeLessThan(sections.indexOf("> near"));
  expect(notesText(notes, 10)).toContain("> near [end]\n[");
  expect(notesText(notes, 10)).toContain("(No room for ../AGENTS.md. Read the file if you need it.)");
  expect([notesText(notes), notesText([]), notesText(notes, 0)]).toEqual([sections, undefined, undefined]);
});
