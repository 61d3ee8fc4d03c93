/** The shortest beginning of ids that tells them apart, so that a person need not type the rest. */
const LENGTH_MIN = 8;

export function distinctLength(ids: readonly string[]): number {
  const sorted = ids.toSorted();
  let length = LENGTH_MIN;
  for (let at = 1; at < sorted.length; at += 1) {
    const [one = "", other = ""] = [sorted[at - 1], sorted[at]];
    let same = 0;
    while (same < one.length && one[same] === other[same]) same += 1;
    // The same id twice cannot be told apart by any length.
    if (one !== other) length = Math.max(length, same + 1);
  }
  return length;
}
