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

const TITLE_ID = "the session's short id, which every command takes, stands in the title row from 100 columns on";
const CURSOR = "the cursor has a cell of its own before the placeholder";
const HINTS = "hints name what the keys do now, in the app's own order, as far as they fit";
const STATUS = "the status line drops its facts from the right, and money only when nothing has been spent";
const TEXT_WIDTH = "text is at most 100 columns wide, as the design says elsewhere";
const WHERE_IT_HAPPENED = "calls stand where they happened, also one that waits; its changes are in the card";
const FULL_BAR = "the bar of the answer in full runs down to the rule of the strip";
const NOT_BUILT = "verdicts and the line that sums up a round belong to another release";

export const differences: Readonly<Record<string, readonly Difference[]>> = {
  "02-columns-160x50": [
    {
      rows: [1],
      drawn: [1],
      why: TITLE_ID,
    },
  ],
  "02-columns-220x60": [
    {
      rows: [1],
      drawn: [1],
      why: "the session's short id, which every command takes, stands in the title row from 100 columns on; messages are counted while the view is scrolled up",
    },
    { rows: [59], drawn: [59], why: "the first message has cost money as well" },
  ],
  "02-columns-six-160x50": [
    {
      rows: [1],
      drawn: [1],
      why: TITLE_ID,
    },
    { rows: [24], drawn: [45], why: "both rows of columns have the same height" },
    {
      rows: [46],
      drawn: [46],
      why: "who gets what you type is decided by the running message, not by who is still busy",
    },
  ],
  "03-narrow-100x30": [
    {
      rows: [1],
      drawn: [1],
      why: TITLE_ID,
    },
    { rows: [24], drawn: [24], why: "the line of another member uses all the room there is" },
    {
      rows: [29],
      drawn: [29],
      why: STATUS,
    },
    { rows: [30], drawn: [30], why: HINTS },
  ],
  "03-narrow-80x24": [
    { rows: [[2, 3], 6], drawn: [2, [5, 6]], why: "the message fits in one row, which leaves one more for the answer" },
    { rows: [19], drawn: [19], why: "the line of another member uses all the room there is" },
    {
      rows: [23],
      drawn: [23],
      why: STATUS,
    },
  ],
  "03-narrow-40x12": [
    { rows: [1], drawn: [1], why: "no margin at this width, so more of the message is left" },
    { rows: [2], drawn: [2], why: "the effort fits beside the model" },
    { rows: [3], drawn: [3], why: "all the work fits in its line" },
    { rows: [11], drawn: [11], why: CURSOR },
  ],
  "04-done-160x50": [
    {
      rows: [1],
      drawn: [1],
      why: TITLE_ID,
    },
    {
      rows: [[5, 11], 45],
      drawn: [[38, 45]],
      why: NOT_BUILT,
    },
    { rows: [28], drawn: [21], why: "SQL has another sign for comments" },
    { rows: [46], drawn: [46], why: "the second round is not part of the session" },
    {
      rows: [49],
      drawn: [49],
      why: "idle members have their models in the status line, as on the design's own sheet of it",
    },
    { rows: [50], drawn: [50], why: HINTS },
  ],
  "05-approval-command-120x40": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [8], drawn: [[15, 16]], why: WHERE_IT_HAPPENED },
    { rows: [[10, 11]], drawn: [[9, 10]], why: TEXT_WIDTH },
    { rows: [[16, 22]], drawn: [[17, 21], 23], why: FULL_BAR },
    { rows: [24], drawn: [24], why: "both asked at the same time" },
    { rows: [39], drawn: [39], why: STATUS },
  ],
  "05-approval-edit-120x40": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    { rows: [7], drawn: [[9, 10]], why: WHERE_IT_HAPPENED },
    { rows: [[10, 12]], drawn: [[11, 13]], why: FULL_BAR },
    { rows: [37], why: "one blank row below the choices, as in every other request" },
    { rows: [39], drawn: [39], why: STATUS },
  ],
  "05-approval-command-40x12": [{ rows: [1], drawn: [1], why: "the strip says in a word what the others do" }],
  "05-approval-edit-40x12": [
    { rows: [1], drawn: [1], why: "the strip says in a word what the others do" },
    { rows: [2], drawn: [2], why: "the same request as on the wide screen, at the same time" },
    { rows: [[6, 7]], drawn: [[6, 7]], why: "cut lines use the whole width" },
  ],
  "05-approval-question-120x26": [
    { rows: [26], why: "a row in the log says what was asked, also where several questions were answered" },
  ],
  "05-approval-tool-120x20": [{ rows: [18], why: STATUS }],
  "05-approval-why-120x14": [
    { rows: [12], why: "the reason is what counts: the command gives way to it" },
    { rows: [13], why: "a command that went well is part of the work line" },
  ],
  "06-work": [
    { rows: [24, 43], why: "in one session a later call cannot have begun before an earlier one" },
    { rows: [28], why: "the log does not say which rule it was" },
    { rows: [6], why: "the work line names all calls of the turn, commands too" },
    { rows: [16, [20, 23], 29], why: "calls that went well stand in the work line; unfolded, they are indented" },
    { rows: [[33, 36]], why: "o opens the work; Ctrl+O opens changes" },
    { rows: [41], why: "what was thought is unfolded with the work" },
  ],
  "08-slash-100x30": [
    {
      rows: [1],
      drawn: [1],
      why: TITLE_ID,
    },
    { rows: [3], drawn: [13, [24, 26]], why: "the list keeps the view at the answer" },
    { rows: [[17, 18]], why: "/review and /attempt belong to another release" },
    { rows: [26], why: "the rule says that everyone is done" },
    {
      rows: [29],
      drawn: [29],
      why: STATUS,
    },
  ],
  "08-keys-100x30": [
    { rows: [1], drawn: [1], why: TITLE_ID },
    {
      rows: [19, [22, 24]],
      drawn: [19, [22, 24]],
      why: "below 140 columns there are members, not columns; comments belong to another release; the number of keys is real",
    },
    { rows: [26], drawn: [26], why: "the rule says that everyone is done" },
    { rows: [29], drawn: [29], why: STATUS },
  ],
  "08-model-100x30": [
    {
      rows: [1, [14, 24], [26, 27], 29],
      drawn: [1, [11, 16], [20, 24], [26, 27], 29],
      why: "the card of models lists what the members say of themselves",
    },
  ],
  "10-diff-120x40": [
    {
      rows: [1, 4, [7, 9]],
      why: "comments, and what a change is compared with, belong to another release; directories stand one below the other",
    },
    { rows: [5, 6, [10, 12], 17, 20, 23, 24], why: "the log has these lines of the file, and only these" },
  ],
  "13-status": [
    { rows: [2, 30], why: "the rule says that everyone is done" },
    { rows: [3, 31], why: "the box speaks of the answers that are there" },
    { rows: [5, 6], why: "after the last word the view stands at the first answer" },
    { rows: [9, 12], why: "three members work here, with other contexts" },
    { rows: [34], why: "comments belong to another release" },
  ],
  "12-failure-120x40": [
    {
      rows: [1, 14, [26, 27], [29, 33], [36, 37], [39, 40]],
      drawn: [1, 14, [16, 18], [32, 37], [39, 40]],
      why: "members that work have a panel of their own below 140 columns; v is offered only when there is more than what is shown",
    },
  ],
};
