/** Where the app draws something else than the design, row by row, and why. */

/** A row, or from and to. */
export type RowNumbers = number | readonly [from: number, to: number];

export interface Difference {
  /** Rows of the design's sheet, from 1, that the app does not draw. */
  readonly rows?: readonly RowNumbers[];
  /** Rows of the app's screen, from 1, that the design does not have. */
  readonly drawn?: readonly RowNumbers[];
  readonly why: string;
}

export const differences: Readonly<Record<string, readonly Difference[]>> = {
  "02-columns-160x50": [{ rows: [1, 47, 50], drawn: [1, 47, 50], why: "not drawn as designed yet" }],
  "02-columns-220x60": [{ rows: [1, 57, [59, 60]], drawn: [1, 57, [59, 60]], why: "not drawn as designed yet" }],
  "02-columns-six-160x50": [
    { rows: [1, 24, [46, 47], 50], drawn: [1, [45, 47], 50], why: "not drawn as designed yet" },
  ],
  "03-narrow-100x30": [{ rows: [1, 24, 27, [29, 30]], drawn: [1, 24, 27, [29, 30]], why: "not drawn as designed yet" }],
  "03-narrow-80x24": [
    { rows: [[2, 3], 6, 19, 21, [23, 24]], drawn: [2, [5, 6], 19, 21, [23, 24]], why: "not drawn as designed yet" },
  ],
  "03-narrow-40x12": [
    {
      rows: [
        [1, 3],
        [11, 12],
      ],
      drawn: [
        [1, 3],
        [11, 12],
      ],
      why: "not drawn as designed yet",
    },
  ],
  "04-done-160x50": [
    {
      rows: [1, [5, 11], 28, [45, 47], [49, 50]],
      drawn: [1, 21, [38, 47], [49, 50]],
      why: "not drawn as designed yet",
    },
  ],
  "05-approval-command-120x40": [
    {
      rows: [1, 8, [10, 11], [16, 22], 24, 29, [39, 40]],
      drawn: [1, [9, 10], [15, 21], [23, 24], 29, [39, 40]],
      why: "not drawn as designed yet",
    },
  ],
  "05-approval-edit-120x40": [
    {
      rows: [1, 3, 7, [10, 12], 14, [16, 27], 29, 37, [39, 40]],
      drawn: [1, [8, 10], 12, [14, 28], 30, [39, 40]],
      why: "not drawn as designed yet",
    },
  ],
  "05-approval-command-40x12": [{ rows: [[1, 6], 12], drawn: [[1, 6], 12], why: "not drawn as designed yet" }],
  "05-approval-edit-40x12": [
    {
      rows: [
        [1, 8],
        [10, 12],
      ],
      drawn: [
        [1, 6],
        [8, 12],
      ],
      why: "not drawn as designed yet",
    },
  ],
  "06-work": [{ rows: [24, 28, 43, 6, 16, [20, 23], 29, [33, 36], 41], why: "not drawn as designed yet" }],
  "07-steering": [{ rows: [[7, 8], 10], why: "not drawn as designed yet" }],
  "08-slash-100x30": [
    { rows: [1, [15, 26], [29, 30]], drawn: [1, [14, 15], 17, [20, 30]], why: "not drawn as designed yet" },
  ],
  "08-keys-100x30": [
    {
      rows: [
        [1, 3],
        [5, 12],
        [16, 27],
        [29, 30],
      ],
      drawn: [1, [6, 27], [29, 30]],
      why: "not drawn as designed yet",
    },
  ],
  "08-model-100x30": [
    {
      rows: [1, [11, 24], [26, 27], [29, 30]],
      drawn: [1, [11, 24], [26, 27], [29, 30]],
      why: "not drawn as designed yet",
    },
  ],
  "12-failure-120x40": [
    {
      rows: [1, [12, 14], 24, [26, 27], [29, 33], [36, 37], [39, 40]],
      drawn: [1, 12, [14, 16], 25, [30, 37], [39, 40]],
      why: "not drawn as designed yet",
    },
  ],
};
