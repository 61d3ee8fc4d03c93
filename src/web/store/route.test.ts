import { expect, test } from "vitest";
import { readPlace, writePlace } from "./route.ts";

test("[W44] an address names a session and a message of it, and nothing else", () => {
  for (const place of [{}, { sessionId: "01JN" }, { sessionId: "01JN", seq: 12 }]) {
    expect(readPlace(writePlace(place))).toEqual(place);
  }
  for (const hash of ["", "#", "#code=x", "#/s/", "#/s/a/b", "#/s/../x", "#/s/01JN/m/", "#/s/01JN/m/x", "#/s/a b"])
    expect([hash, readPlace(hash)]).toEqual([hash, {}]);
});
