import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { nativeProgram } from "../adapter.ts";

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "roundtable-codex-")));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function put(file: string): string {
  const whole = path.join(folder, file);
  mkdirSync(path.dirname(whole), { recursive: true });
  writeFileSync(whole, "");
  return whole;
}

test("the native program behind npm's launcher is found for this machine", () => {
  const launcher = put("lib/node_modules/@openai/codex/bin/codex.js");
  const link = path.join(folder, "codex");
  symlinkSync(launcher, link);
  expect(nativeProgram(link, "linux", "x64")).toBe(link);
  const file = "vendor/x86_64-unknown-linux-musl/bin/codex";
  const beside = put(`lib/node_modules/@openai/codex-linux-x64/${file}`);
  expect(nativeProgram(link, "linux", "x64")).toBe(beside);
  const inside = put(
    `lib/node_modules/@openai/codex/node_modules/@openai/codex-linux-arm64/vendor/aarch64-unknown-linux-musl/bin/codex`,
  );
  expect(nativeProgram(link, "linux", "arm64")).toBe(inside);
  expect([nativeProgram(link, "linux", "riscv64"), nativeProgram(beside, "linux", "x64")]).toEqual([link, beside]);
  expect(nativeProgram(path.join(folder, "gone"), "linux", "x64")).toBe(path.join(folder, "gone"));
});
