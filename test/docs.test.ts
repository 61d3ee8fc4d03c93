/** Links between the documents lead somewhere, and source files that they name in backticks exist. */
import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const pages = globSync(["*.md", "docs/**/*.md", "edges/**/*.md", "examples/*.md"]).filter(
  (page) => page !== "CHANGELOG.md",
);
const prose = (page: string) => readFileSync(page, "utf8").replaceAll(/^```.*?^```/gms, "");

function anchorsOf(page: string): string[] {
  const headings = [...prose(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** Of an edge that is not part of this checkout: whoever deletes one need not edit the pages that mention it. */
function isOfMissingEdge(file: string): boolean {
  const [edge] = /^edges\/[^/]+/.exec(file) ?? [];
  return edge !== undefined && !existsSync(edge);
}

function isBroken(page: string, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? page : path.join(path.dirname(page), file);
  if (isOfMissingEdge(target)) return false;
  return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
}

test("every link between the documents leads to a file and a heading", () => {
  const broken = pages.flatMap((page) =>
    [...prose(page).matchAll(/\]\(([^):\s]+)\)/g)]
      .map(([, link = ""]) => link)
      .filter((link) => isBroken(page, link))
      .map((link) => `${page}: ${link}`),
  );
  expect(pages.length).toBeGreaterThan(30);
  expect(broken).toEqual([]);
});

test("every source file that a document names by its path exists", () => {
  const missing = pages.flatMap((page) =>
    [...prose(page).matchAll(/`((?:src|edges|test|bench|tooling|examples|docs)\/[\w./-]+)`/g)]
      .map(([, file = ""]) => file)
      .filter((file) => !existsSync(file) && !isOfMissingEdge(file))
      .map((file) => `${page}: ${file}`),
  );
  expect(missing).toEqual([]);
});
