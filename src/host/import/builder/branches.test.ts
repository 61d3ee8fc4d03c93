import { describe, expect, test } from "vitest";
import { forksOf, lastBranch, type Leaf } from "./branches.ts";

function row(...entries: readonly [string, string?][]): Leaf[] {
  return entries.map(([id, parentId], at) => ({ number: at + 1, id, parentId }));
}

function ids(nodes: Iterable<Leaf>): string {
  return [...nodes].map(({ id }) => id).join("");
}

/** A seeded generator. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296;
    return state / 4_294_967_296;
  };
}

describe("branches of a file", () => {
  test("the path is the branch of the last line; the others are counted where they diverge", () => {
    const nodes = row(["a"], ["b", "a"], ["c", "b"], ["d", "b"], ["e", "d"], ["f", "b"]);
    const { path, left, isBroken } = lastBranch(nodes);
    expect([ids(path), ids(left), isBroken]).toEqual(["abf", "cde", false]);
    expect([...forksOf(path, left)].map(([node, count]) => [node?.id, count])).toEqual([["f", 3]]);
  });

  test("every graph of parents gives a path that ends with the last line, without duplicates", () => {
    const seed = Number(process.env["SEED"] ?? Date.now() % 100_000);
    const random = createRandom(seed);
    for (let round = 0; round < 300; round += 1) {
      const size = 1 + Math.floor(random() * 12);
      const name = (): string => String.fromCodePoint(97 + Math.floor(random() * (size + 2)));
      const nodes = row(
        ...Array.from({ length: size }, (): [string, string?] => (random() < 0.2 ? [name()] : [name(), name()])),
      );
      const { path, left } = lastBranch(nodes);
      const what = `seed ${seed}: ${JSON.stringify(nodes)}`;
      expect(path.at(-1), what).toBe(nodes.at(-1));
      expect(new Set([...path, ...left]).size, what).toBe(path.length + left.length);
      expect(new Set(nodes.map(({ id }) => id)).size, what).toBe(path.length + left.length);
    }
  });
});
