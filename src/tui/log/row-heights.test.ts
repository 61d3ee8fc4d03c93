import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ESTIMATED_ROWS, RowHeights } from "./row-heights.ts";
import { rounds } from "../../../test/rounds.ts";

/** The same, kept the plain way. */
class PlainHeights {
  heights: number[] = [];
  grow(count: number): void {
    while (this.heights.length < count) this.heights.push(ESTIMATED_ROWS);
  }
  rowsBefore(index: number): number {
    return this.heights.slice(0, index).reduce((sum, height) => sum + height, 0);
  }
  indexAt(row: number): number {
    const at = this.heights.findIndex((height, index) => row < this.rowsBefore(index) + height);
    return at === -1 ? this.heights.length - 1 : at;
  }
}

test("sums and places are those of a plain list, however it grows, is measured, cut and forgotten", () => {
  const step = fc.record({
    kind: fc.constantFrom("grow", "measure", "measure", "hide", "reset"),
    at: fc.nat(),
    by: fc.nat(20),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const [heights, plain] = [new RowHeights(), new PlainHeights()];
      let first = 0;
      for (const { kind, at, by } of steps) {
        const count = plain.heights.length;
        if (kind === "grow") {
          heights.grow(count + by * 40);
          plain.grow(count + by * 40);
        } else if (kind === "measure" && count > first) {
          const index = first + (at % (count - first));
          heights.measure(index, by);
          plain.heights[index] = by;
        } else if (kind === "hide") {
          first = Math.max(first, at % (count + 1));
          heights.hideBefore(first);
          plain.heights.fill(0, 0, first);
        } else if (kind === "reset") {
          heights.reset(count, first);
          plain.heights.fill(ESTIMATED_ROWS, first);
        }
        const total = plain.rowsBefore(plain.heights.length);
        expect(heights.total).toBe(total);
        const index = plain.heights.length === 0 ? 0 : at % plain.heights.length;
        expect(heights.rowsBefore(index)).toBe(plain.rowsBefore(index));
        if (total > 0) expect(heights.indexAt(at % total)).toBe(plain.indexAt(at % total));
      }
    }),
    { numRuns: rounds(25, 2_000) },
  );
});
