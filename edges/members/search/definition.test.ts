import { expect, test } from "vitest";
import { definitionOf } from "./definition.ts";

test.each([
  ["a.ts", "export async function createThing<T>(a: T) {", "createThing"],
  ["a.ts", "export const LIMIT_MS = 5;", "LIMIT_MS"],
  ["a.ts", "export interface Thing {", "Thing"],
  ["a.ts", "  type Inner = string;", "Inner"],
  ["a.ts", "  async handle(event: Event): Promise<void> {", "handle"],
  ["a.ts", "  static getter() {", "getter"],
  ["a.js", "exports.doIt = function () {", "doIt"],
  ["a.py", "    def method(self):", "method"],
  ["a.py", "class Thing(Base):", "Thing"],
  ["a.rs", "pub(crate) fn open(path: &Path) -> Result<()> {", "open"],
  ["a.rs", "pub struct Cursor {", "Cursor"],
  ["a.go", "func (s *Server) Start(ctx context.Context) error {", "Start"],
  ["a.c", "static int parse_line(char *line)", "parse_line"],
  ["a.sh", "cleanup() {", "cleanup"],
  ["README.md", "## How to run it", "How to run it"],
  ["Makefile", "test: build", "test"],
])("in %s the line %j defines %s", (path, line, name) => {
  expect(definitionOf(line, path)?.name).toBe(name);
});

test.each([
  ["a.ts", "  if (isReady) {"],
  ["a.ts", "const fs = require('node:fs')"],
  ["a.ts", "createThing(1);"],
  ["a.ts", "// the function that creates"],
  ["a.json", '"function thing": 1'],
  ["a.c", "  return parse_line(line);"],
  ["a.ts", `const data = "${"x".repeat(300)}";`],
])("in %s the line %j defines nothing", (path, line) => {
  expect(definitionOf(line, path)).toBeUndefined();
});
