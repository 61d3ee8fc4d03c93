import { expect, test } from "vitest";
import { distinctLength } from "./id-prefix.ts";

test("[X181] the shown beginning of an id is as short as tells all of them apart, and never shorter than eight", () => {
  expect([
    distinctLength([]),
    distinctLength(["01AAAAAAAAAA"]),
    distinctLength(["01AAAAAAAAAA", "02AAAAAAAAAA"]),
    distinctLength(["01AAAAAAAAAC", "02AAAAAAAAAA", "01AAAAAAAAAB"]),
    distinctLength(["01AAAAAAAAAA", "01AAAAAAAAAA"]),
  ]).toEqual([8, 8, 8, 12, 8]);
});
