/**
 * Short form of an id: its end, because ids of the same day share their beginning. Commands accept it,
 * case-insensitive.
 */
const LENGTH_MIN = 6;

export function shortId(id: string, length = LENGTH_MIN): string {
  return id.slice(-length).toLowerCase();
}

/** Shortest length that is unique among these ids. */
export function shortIdLength(ids: readonly string[]): number {
  const sorted = ids.map((id) => Array.from(id).toReversed().join("")).toSorted();
  let length = LENGTH_MIN;
  for (let at = 1; at < sorted.length; at += 1) {
    const [one = "", other = ""] = [sorted[at - 1], sorted[at]];
    let same = 0;
    while (same < one.length && one[same] === other[same]) same += 1;
    // Duplicate ids are never distinguishable.
    if (one !== other) length = Math.max(length, same + 1);
  }
  return length;
}
