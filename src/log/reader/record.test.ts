import { crc32 } from "node:zlib";
import { expect, test } from "vitest";
import { checkRecord, encodeRecords, salvageRecords } from "./record.ts";

const texts = ['{"seq":1,"epoch":1,"type":"a"}', '{"seq":12,"epoch":3,"type":"é€😀"}'];

function encode(): Buffer {
  return encodeRecords(
    texts,
    texts.map((text) => Buffer.byteLength(text)),
  ).bytes;
}

test("[L3] a record is one line of JSON that ends with the crc32 of the bytes before it", () => {
  const crcs = texts.map((text) => crc32(text.slice(0, -1)).toString(16).padStart(8, "0"));
  const lines = texts.map((text, at) => `${text.slice(0, -1)},"crc":"${crcs[at]}"}\n`);
  expect(encode().toString()).toBe(lines.join(""));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { seq: 1, epoch: 1, type: "a", crc: crcs[0] },
    { seq: 12, epoch: 3, type: "é€😀", crc: crcs[1] },
  ]);
});

test("[L3] a record with any one bit flipped is not a record", () => {
  const bytes = encode();
  const end = bytes.indexOf(0x0a);
  const facts = { seq: 0, epoch: 0 };
  expect([checkRecord(bytes, 0, end, facts), facts]).toEqual([true, { seq: 1, epoch: 1 }]);
  for (let at = 0; at < end; at++) {
    for (let bit = 0; bit < 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
      expect([at, bit, checkRecord(flipped, 0, end, facts)]).toEqual([at, bit, false]);
    }
  }
});

test("[L3] no part of a record is a record", () => {
  const bytes = encode();
  const end = bytes.indexOf(0x0a);
  for (let from = 0; from <= end; from++) {
    for (let to = from; to <= end; to++) {
      if (from !== 0 || to !== end) expect(checkRecord(bytes, from, to, { seq: 0, epoch: 0 })).toBe(false);
    }
  }
});

test("[L4] valid records are found inside an invalid line, also when an event looks like the end of a record", () => {
  const tricky = '{"seq":3,"epoch":1,"args":{"seq":9,"crc":"0a1b2c3d"},"more":{"crc":"0a1b2c3d"}}';
  const one = encodeRecords([tricky], [tricky.length]).bytes.subarray(0, -1);
  const line = Buffer.concat([Buffer.from('\ufeff{"seq":2,"epoch":1,"ha'), one, one, Buffer.from("\r")]);
  const start = line.indexOf(one);
  expect(salvageRecords(line, 0, line.length)).toEqual([
    { start, end: start + one.length, seq: 3, epoch: 1 },
    { start: start + one.length, end: start + 2 * one.length, seq: 3, epoch: 1 },
  ]);
});
