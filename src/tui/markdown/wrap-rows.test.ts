import { visibleWidth } from "@earendil-works/pi-tui";
import { expect, test } from "vitest";
import { wrapRows } from "./wrap-rows.ts";

test("no row begins with a mark of Chinese or Japanese that closes what stands before it", () => {
  expect(wrapRows("一二三四五，六七八九十。", 10)).toEqual(["一二三四", "五，六七八", "九十。"]);
  expect(wrapRows("他说「好的」。然后走了", 10)).toEqual(["他说「好", "的」。然后", "走了"]);
  expect(wrapRows("see the module，and more", 14)).toEqual(["see the", "module，and", "more"]);
});

test("styles go on in a row that was moved, and nothing of the text is lost", () => {
  const text = "这是一个很长的段落，用来检查换行。".repeat(6);
  for (let width = 4; width <= 40; width += 1) {
    const rows = wrapRows(`\u001b[1m${text}\u001b[22m`, width);
    // oxlint-disable-next-line no-control-regex -- our own styles begin with one.
    const plain = rows.map((row) => row.replaceAll(/\u001b\[[0-9;]*m/g, ""));
    expect(plain.join("")).toBe(text);
    expect(rows.every((row) => visibleWidth(row) <= width && row.startsWith("\u001b[1m"))).toBe(true);
    expect(plain.filter((row) => /^[，。]/.test(row))).toEqual([]);
  }
});
