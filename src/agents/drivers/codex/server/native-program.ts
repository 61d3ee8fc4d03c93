/**
 * The program itself behind npm's launcher script. The launcher would stay as a second process of 44 MB for as long as
 * the program runs, and needs a `node` on PATH.
 */
import { existsSync, realpathSync } from "node:fs";
import path from "node:path";

const TRIPLES: Readonly<Record<string, string>> = {
  "linux-x64": "x86_64-unknown-linux-musl",
  "linux-arm64": "aarch64-unknown-linux-musl",
  "darwin-x64": "x86_64-apple-darwin",
  "darwin-arm64": "aarch64-apple-darwin",
  "win32-x64": "x86_64-pc-windows-msvc",
  "win32-arm64": "aarch64-pc-windows-msvc",
};

/** `program` itself when it is no launcher, or when nothing is found behind it. */
export function nativeProgram(program: string, platform = process.platform, arch = process.arch): string {
  const target = `${platform}-${arch}`;
  const triple = TRIPLES[target];
  const launcher = realPath(program);
  if (triple === undefined || !launcher.endsWith(path.join("@openai", "codex", "bin", "codex.js"))) return program;
  const packageRoot = path.dirname(path.dirname(launcher));
  const file = path.join("vendor", triple, "bin", platform === "win32" ? "codex.exe" : "codex");
  const candidates = [
    path.join(packageRoot, "..", `codex-${target}`, file),
    path.join(packageRoot, "node_modules", "@openai", `codex-${target}`, file),
    path.join(packageRoot, file),
  ];
  return candidates.find((candidate) => existsSync(candidate)) ?? program;
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // Removed since it was found; starting it will say so.
    return file;
  }
}
