/** What the page is made of. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bundleWeb, firstLoadBytes } from "../../tooling/bundle-web.ts";

test("the page has nothing from elsewhere, loads its views when they are opened, and is small at first", async () => {
  const files = await bundleWeb({ minify: true });
  const text = (name: string) => files.find((file) => file.name === name)?.text ?? "";
  const scripts = files.filter(({ name }) => name.endsWith(".js") && name !== "highlighter.js");
  const views = scripts.filter(({ isFirst }) => !isFirst).map(({ name }) => name);
  expect(
    files
      .filter((file) => !scripts.includes(file))
      .map(({ name }) => name)
      .sort(),
  ).toEqual([
    "app.css",
    "geist-latin-wght-normal.woff2",
    "highlighter.js",
    "icon-192.png",
    "icon-512.png",
    "icon.svg",
    "index.html",
    "jetbrains-mono-latin-wght-normal.woff2",
    "manifest.webmanifest",
    "panel-view.css",
  ]);
  expect(firstLoadBytes(files)).toBeLessThan(250 * 1024);
  const code = scripts.map((script) => script.text).join("\n");
  expect(/["'`]node:/.test(code)).toBe(false);
  const loaded = [...code.matchAll(/\bimport\s*\(([^)]*)\)/g)].map(([, what = ""]) => what.replaceAll(/["'`]/g, ""));
  expect(views.length).toBeGreaterThan(2);
  expect(views.filter((view) => !loaded.includes(`./${view}`))).toEqual([]);
  expect(loaded.filter((what) => !scripts.some(({ name }) => what === `./${name}`))).toEqual([]);
  expect(text("app.css")).not.toContain("@import");
  expect([...text("app.css").matchAll(/url\(([^)]*)\)/g)].map(([, url]) => url)).toEqual([
    "/geist-latin-wght-normal.woff2",
    "/jetbrains-mono-latin-wght-normal.woff2",
  ]);
  expect([...text("index.html").matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url]) => url)).toEqual([
    "/icon.svg",
    "/icon-192.png",
    "/manifest.webmanifest",
    "/app.css",
    "/app.js",
    ...scripts.filter(({ name, isFirst }) => isFirst && name !== "app.js").map(({ name }) => `/${name}`),
  ]);
});

test("no source of the page can turn text into markup or code, or lean on Node", () => {
  const forbidden =
    /innerHTML|InnerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|\bprocess\.|\bBuffer\b|["']node:|document\.cookie/;
  const sources = readdirSync("src/web", { recursive: true })
    .map(String)
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith(".test.ts"));
  const using = (what: RegExp) => sources.filter((name) => what.test(readFileSync(join("src/web", name), "utf8")));
  expect(sources.length).toBeGreaterThan(50);
  expect(using(forbidden)).toEqual([]);
  // The token is held in memory. What lasts is a key that no script can read, and what one file keeps of the screen.
  expect(using(/localStorage/)).toEqual([join("store", "local-storage.ts")]);
  expect(using(/indexedDB/)).toEqual([join("sign-in", "device-key.ts")]);
  expect(using(/sessionStorage/)).toEqual(["main.tsx"]);
});
